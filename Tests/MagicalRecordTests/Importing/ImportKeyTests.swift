import MagicalRecord
import Testing

final class KeyShop: NSManagedObject {}
final class KeyItem: NSManagedObject {}
class KeyPublication: NSManagedObject {}
final class KeyBook: KeyPublication {}
final class KeyMagazine: KeyPublication {}
final class KeyNovel: KeyPublication {}

/// What identifies objects in imports: the keys of relationships and of entities, and those of superentities.
///
/// The order of a relationship's keys is MagicalRecord 2.4's, as its relationships and helpers are documented: what the
/// relationship says, else `<destination>ID`. The destination entity's own key, as the last, is ours.
@Suite struct ImportKeyTests {
    /// The ways to import one record: all must find the same objects.
    enum Way: CaseIterable {
        case legacy, legacyList, one, list, store
    }

    private let stack: MagicalRecord.Stack

    init() throws {
        let shop = Build.entity("KeyShop", class: KeyShop.self)
        let item = Build.entity("KeyItem", class: KeyItem.self)
        shop.properties = [Build.attribute("keyShopID", .integer64AttributeType)]
        item.userInfo = ["relatedByAttribute": "code"]
        item.properties = [
            Build.attribute("keyItemID", .integer64AttributeType, info: ["mappedKeyName": "id"]),
            Build.attribute("code", .stringAttributeType), Build.attribute("sku", .stringAttributeType),
            Build.attribute("note", .stringAttributeType),
            // In no record: tells which of the objects there were before it is, whatever the import has changed.
            Build.attribute("mark", .integer64AttributeType),
        ]
        Build.relationship("plain", of: shop, to: item)
        Build.relationship("bySKU", of: shop, to: item, info: ["relatedByAttribute": "sku"])
        Build.relationship("byNothing", of: shop, to: item, info: ["relatedByAttribute": "missing"])
        let publication = Build.entity("KeyPublication", class: KeyPublication.self)
        publication.isAbstract = true
        publication.userInfo = ["relatedByAttribute": "isbn"]
        publication.properties = [
            Build.attribute("isbn", .stringAttributeType), Build.attribute("title", .stringAttributeType),
        ]
        let book = Build.entity("KeyBook", class: KeyBook.self)
        let novel = Build.entity("KeyNovel", class: KeyNovel.self)
        novel.properties = [Build.attribute("genre", .stringAttributeType)]
        // A key of its own, by its name.
        let magazine = Build.entity("KeyMagazine", class: KeyMagazine.self)
        magazine.properties = [Build.attribute("keyMagazineID", .integer64AttributeType)]
        publication.subentities = [book, magazine]
        book.subentities = [novel]
        Build.relationship("book", of: shop, to: book)
        Build.relationship("novel", of: shop, to: novel)
        Build.relationship("magazine", of: shop, to: magazine)
        Build.relationship("magazineByISBN", of: shop, to: magazine, info: ["relatedByAttribute": "isbn"])
        stack = try MagicalRecord.Stack(
            [ScratchStores.new("Keys.sqlite")], shape: .rootSaving,
            model: .model(Build.model(shop, item, publication, book, novel, magazine)))
    }

    private func save(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = stack.newContext()
        try context.runAndWait { try body(context) }
        try context.save(to: .store)
    }

    private func make(_ entity: String, _ values: [String: Any], in context: NSManagedObjectContext) {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
    }

    /// Imports records about shops and saves.
    private func importShops(_ records: [[String: any Sendable]], _ way: Way) async throws {
        switch way {
        case .store:
            let json = try JSONSerialization.data(withJSONObject: records)
            let report = try await stack.importAll(
                KeyShop.self, from: .data(json), options: MagicalRecord.ImportOptions(chunkSize: 1))
            #expect(report.failures.isEmpty)
        case .list:
            try save { context in
                let report = try KeyShop.importAll(from: records, in: context)
                #expect(report.failures.isEmpty)
            }
        case .one: try save { for record in records { try KeyShop.importOne(from: record, in: $0) } }
        case .legacy: try save { for record in records { KeyShop.mr_import(from: record as Any, in: $0) } }
        case .legacyList: try save { KeyShop.mr_import(from: records as [[AnyHashable: Any]], in: $0) }
        }
    }

    /// Items 1 and 2, each with other keys; then a shop's record with one related record, or an ID.
    ///
    /// - Returns: the number of the item that is related then, nil when it is a new one, and how many items there are.
    private func related(_ name: String, _ data: any Sendable, _ way: Way) async throws -> (Int?, Int) {
        try save { context in
            for number in 1...2 {
                make(
                    "KeyItem", ["keyItemID": number, "code": "c\(number)", "sku": "s\(number)", "mark": number],
                    in: context)
            }
        }
        try await importShops([["keyShopID": 7, name: data]], way)
        let context = stack.newContext()
        return try context.runAndWait {
            let shop = try KeyShop.findFirst(in: context)
            return (shop?.value(forKeyPath: name + ".mark") as? Int, try KeyItem.count(in: context))
        }
    }

    @Test(arguments: Way.allCases) func whatTheRelationshipSaysComesFirst(_ way: Way) async throws {
        let data: [String: any Sendable] = ["sku": "s1", "code": "c2", "note": "x"]
        #expect(try await related("bySKU", data, way) == (1, 2))
    }

    /// The record has no `sku`: no other key stands in, and the object is new.
    @Test(arguments: Way.allCases) func whatTheRelationshipSaysIsTheOnlyKey(_ way: Way) async throws {
        #expect(try await related("bySKU", ["id": 2, "code": "c2"] as [String: any Sendable], way) == (nil, 3))
    }

    @Test(arguments: Way.allCases) func aKeyThatIsNoAttributeFindsNothing(_ way: Way) async throws {
        #expect(try await related("byNothing", ["id": 1, "code": "c2"] as [String: any Sendable], way) == (nil, 3))
    }

    @Test(arguments: Way.allCases) func theDestinationsNameComesBeforeItsOwnKey(_ way: Way) async throws {
        #expect(try await related("plain", ["id": 1, "code": "c2"] as [String: any Sendable], way) == (1, 2))
    }

    @Test(arguments: Way.allCases) func anIDIsOfTheDestinationsName(_ way: Way) async throws {
        #expect(try await related("plain", 2, way) == (2, 2))
    }

    /// The key is searched for under the name of the attribute too, after what its userInfo says.
    @Test(arguments: Way.allCases) func theKeysOwnNameIsSearchedForLast(_ way: Way) async throws {
        #expect(try await related("plain", ["keyItemID": 2, "note": "x"] as [String: any Sendable], way) == (2, 2))
    }

    @Test func theKeysOwnNameGivesANewObjectItsKey() async throws {
        #expect(try await related("plain", ["keyItemID": 3] as [String: any Sendable], .list) == (nil, 3))
        try await importShops([["keyShopID": 8, "plain": ["keyItemID": 3]]], .list)
        #expect(try KeyItem.count(in: stack.newContext()) == 3)
    }

    @Test(arguments: Way.allCases) func theDestinationsOwnKeyComesLast(_ way: Way) async throws {
        #expect(try await related("plain", ["code": "c2", "note": "x"], way) == (2, 2))
    }

    /// Null identifies nothing, so the next key is asked.
    @Test(arguments: Way.allCases) func nullIsNoKey(_ way: Way) async throws {
        try save { make("KeyItem", ["code": "c3", "mark": 3], in: $0) }
        let data: [String: any Sendable] = ["id": NSNull(), "code": "c3"]
        #expect(try await related("plain", data, way) == (3, 3))
    }

    /// As MagicalRecord 2.4's functions of these names.
    @Test func helpers() throws {
        let context = stack.newContext()
        try context.runAndWait {
            let shop = try MagicalRecord.Query<KeyShop>().entity(in: context)
            let plain = try #require(shop.relationshipsByName["plain"])
            let bySKU = try #require(shop.relationshipsByName["bySKU"])
            #expect(plain.mr_primaryKey() == "keyItemID")
            #expect(bySKU.mr_primaryKey() == "sku")
            let record: [String: Any] = ["id": 1, "code": "c2"]
            #expect(record.mr_lookupKey(forRelationship: plain) == "id")
            #expect(record.mr_relatedValue(forRelationship: plain) as? Int == 1)
            #expect(["keyItemID": 3].mr_relatedValue(forRelationship: plain) as? Int == 3)
            #expect(["code": "c2"].mr_relatedValue(forRelationship: plain) as? String == "c2")
            // As in the import, null identifies nothing, and the next key is asked.
            let null: [String: Any] = ["id": NSNull(), "code": "c2"]
            #expect(null.mr_lookupKey(forRelationship: plain) == "code")
            #expect(null.mr_relatedValue(forRelationship: plain) as? String == "c2")
            #expect(["note": "x"].mr_lookupKey(forRelationship: plain) == "keyItemID")
            #expect(record.mr_relatedValue(forRelationship: bySKU) == nil)
            let novel = try MagicalRecord.Query<KeyNovel>().entity(in: context)
            #expect(novel.mr_primaryAttributeToRelateBy()?.name == "isbn")
            let magazine = try MagicalRecord.Query<KeyMagazine>().entity(in: context)
            #expect(magazine.mr_primaryAttributeToRelateBy()?.name == "keyMagazineID")
        }
    }

    /// Exports refer to an object by the key that the import looks for.
    @Test func exportsAreImportedToTheSameObjects() throws {
        let context = stack.newContext()
        let json = try context.runAndWait { () throws -> Data in
            make("KeyItem", ["code": "c1"], in: context)
            make("KeyItem", ["code": "c2", "keyItemID": 2], in: context)
            let items = try KeyItem.findAll(sortedBy: [], in: context)
            for number in 1...4 {
                make("KeyShop", ["keyShopID": number, "plain": items[number % 2]], in: context)
            }
            return try KeyShop.findAll(in: context).exportedJSON()
        }
        try save { context in
            let report = try KeyShop.importAll(from: json, in: context)
            #expect(report.inserted == 4)
        }
        #expect(try KeyItem.count(in: stack.newContext()) == 2)
    }
}

/// Keys that subentities have from the entities above them.
extension ImportKeyTests {
    private static func novels(_ title: String) -> [[String: any Sendable]] {
        (1...600).map { ["isbn": "n\($0)", "title": title, "genre": "crime"] }
    }

    @Test func aSubentityHasTheKeyOfItsSuperentity() throws {
        for title in ["first", "second"] {
            let context = stack.newContext()
            let report = try KeyNovel.importAll(from: Self.novels(title), in: context)
            #expect((report.inserted, report.updated) == (title == "first" ? (600, 0) : (0, 600)))
            try context.save(to: .store)
        }
        #expect(try KeyNovel.count(in: stack.newContext()) == 600)
    }

    @Test func inChunksIntoTheStore() async throws {
        for title in ["first", "second"] {
            let json = try JSONSerialization.data(withJSONObject: Self.novels(title))
            let report = try await stack.importAll(
                KeyNovel.self, from: .data(json), options: MagicalRecord.ImportOptions(chunkSize: 100))
            #expect((report.inserted, report.updated) == (title == "first" ? (600, 0) : (0, 600)))
        }
    }

    @Test func oneByOne() throws {
        let context = stack.newContext()
        try context.runAndWait {
            let record: [String: any Sendable] = ["isbn": "1", "genre": "crime"]
            let novel = try KeyNovel.importOne(from: record, in: context)
            #expect(try KeyNovel.importOne(from: record, in: context) === novel)
            #expect(KeyNovel.mr_import(from: record as Any, in: context) === novel)
            #expect(KeyNovel.mr_import(from: [record] as [[AnyHashable: Any]], in: context) == [novel])
        }
    }

    /// The magazine's key by its name comes before its superentity's, as in MagicalRecord 2.4, which knew only that.
    @Test func theNearestEntityDecides() throws {
        let context = stack.newContext()
        let first = try KeyMagazine.importAll(from: [["keyMagazineID": 1, "isbn": "m"]], in: context)
        let second = try KeyMagazine.importAll(
            from: [["keyMagazineID": 2, "isbn": "m"], ["keyMagazineID": 1, "title": "t"]], in: context)
        #expect((first.inserted, second.inserted, second.updated) == (1, 1, 1))
    }

    @Test(arguments: Way.allCases) func behindRelationships(_ way: Way) async throws {
        try save { context in
            make("KeyNovel", ["isbn": "1"], in: context)
            make("KeyMagazine", ["isbn": "1", "keyMagazineID": 5], in: context)
        }
        // The magazine and the novel have the same key; each relationship finds its own.
        try await importShops(
            [
                ["keyShopID": 1, "novel": ["isbn": "1", "title": "N"], "magazine": ["keyMagazineID": 5]],
                ["keyShopID": 2, "magazineByISBN": ["isbn": "1", "title": "M"], "book": "1"],
                ["keyShopID": 3, "novel": "1", "magazineByISBN": "1"],
            ], way)
        let context = stack.newContext()
        try context.runAndWait { () throws -> Void in
            #expect(try KeyPublication.count(in: context) == 2)
            func titles(_ name: String) throws -> [String?] {
                try KeyShop.findAll(in: context).sorted {
                    ($0.value(forKey: "keyShopID") as? Int ?? 0) < ($1.value(forKey: "keyShopID") as? Int ?? 0)
                }.map { $0.value(forKeyPath: name + ".title") as? String }
            }
            #expect(try titles("novel") == ["N", nil, "N"])
            #expect(try titles("book") == [nil, "N", nil])
            #expect(try titles("magazine") == ["M", nil, nil])
            #expect(try titles("magazineByISBN") == [nil, "M", "M"])
        }
    }
}

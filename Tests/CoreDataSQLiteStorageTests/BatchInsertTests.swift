import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// An object that changes when it is asked for a value: so much text that it has to lie elsewhere than before.
final class Restless: NSManagedObject {
    override func value(forKey key: String) -> Any? {
        if key == "bytes" { setValue(String(repeating: "b", count: 700_000), forKey: "name") }
        return super.value(forKey: key)
    }
}

/// Batch inserts write what saving objects writes, in whatever way the values are given.
@Suite
struct BatchInsertTests {
    private static let types: [(String, NSAttributeType)] = [
        ("small", .integer16AttributeType), ("middle", .integer32AttributeType), ("large", .integer64AttributeType),
        ("flag", .booleanAttributeType), ("real", .doubleAttributeType), ("short", .floatAttributeType),
        ("day", .dateAttributeType), ("price", .decimalAttributeType), ("id", .UUIDAttributeType),
        ("link", .URIAttributeType), ("bytes", .binaryDataAttributeType), ("words", .transformableAttributeType),
    ]
    private static let columns =
        "ZNAME, ZSMALL, ZMIDDLE, ZLARGE, ZFLAG, ZREAL, ZSHORT, ZDAY, ZPRICE, hex(ZID), ZLINK, hex(ZBYTES), length(ZWORDS), "
        + "ZCITY, ZFLOOR, Z_OPT"

    private func store(className: String? = nil) throws -> FormatStore {
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [
            LibraryModel.attribute("city", .stringAttributeType),
            LibraryModel.attribute("floor", .integer16AttributeType, default: 1),
        ]
        let thing = FormatStore.entity(
            "Thing", Self.types.map { LibraryModel.attribute($0.0, $0.1) } + [place])
        thing.attributesByName["small"]?.defaultValue = 42
        if let className { thing.managedObjectClassName = className }
        return try FormatStore([thing])
    }

    private let full: [String: Any] = [
        "name": "a name longer than fifteen bytes", "small": 4464, "middle": -5, "large": Int.max, "flag": 7,
        "real": 0.1, "short": 0.1, "day": Date(timeIntervalSinceReferenceDate: 5.5),
        "price": Decimal(string: "12.5")!, "id": UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!,
        "link": URL(string: "https://example.org/a?b")!, "bytes": Data([1, 2, 3]), "words": ["x", "y"] as NSArray,
        "place": ["city": "Rome", "floor": 2] as [String: Any],
    ]
    /// The same in Foundation's classes.
    private var boxed: [String: Any] {
        full.mapValues { value -> Any in
            switch value {
            case let value as Int: NSNumber(value: value)
            case let value as Double: NSNumber(value: value)
            case let value as String: value as NSString
            case let value as Decimal: NSDecimalNumber(decimal: value)
            default: value
            }
        }
    }
    private var rows: [[String: Any]] {
        [
            full, boxed, ["name": ""], ["name": NSNull(), "small": NSNull(), "place": NSNull()], [:],
            ["flag": true, "real": 3, "large": 2.9, "middle": Int32.min, "name": "é"],
        ]
    }

    /// What a save of objects with these values writes.
    private func saved() throws -> [String] {
        let store = try store()
        for row in rows {
            let object = store.context.insert("Thing")
            for (key, value) in row { object.setValue(value is NSNull ? nil : value, forKey: key) }
        }
        try store.context.save()
        return try store.sql("SELECT \(Self.columns) FROM ZTHING ORDER BY Z_PK")
    }

    private func inserted(_ make: (String) -> NSBatchInsertRequest) throws -> [String] {
        let store = try store()
        _ = try store.context.execute(make("Thing"))
        #expect(try store.problems() == [])
        return try store.sql("SELECT \(Self.columns) FROM ZTHING ORDER BY Z_PK")
    }

    @Test func dictionariesGiveWhatObjectsGive() throws {
        let saved = try saved()
        #expect(
            saved[0].hasPrefix("a name longer than fifteen bytes|4464|-5|9223372036854775807|1|0.1|0.100000001490116|"))
        #expect(saved[0] == saved[1])
        let fromArray = try inserted { NSBatchInsertRequest(entityName: $0, objects: rows) }
        #expect(fromArray == saved)
        var number = -1
        let fromHandler = try inserted {
            NSBatchInsertRequest(entityName: $0) { (dictionary: NSMutableDictionary) in
                number += 1
                guard number < rows.count else { return true }
                dictionary.addEntries(from: rows[number])
                return false
            }
        }
        #expect(fromHandler == saved)
    }

    @Test func objectsGiveWhatObjectsGive() throws {
        var number = -1
        let inserted = try inserted {
            NSBatchInsertRequest(entityName: $0) { (object: NSManagedObject) in
                number += 1
                guard number < rows.count else { return true }
                for (key, value) in rows[number] { object.setValue(value is NSNull ? nil : value, forKey: key) }
                return false
            }
        }
        let saved = try saved()
        #expect(inserted == saved)
    }

    @Test func objectsMayChangeWhenTheyAreAsked() throws {
        let store = try store(className: "CoreDataSQLiteStorageTests.Restless")
        var number = 0
        let request = NSBatchInsertRequest(entityName: "Thing") { (object: NSManagedObject) in
            number += 1
            guard number < 4 else { return true }
            object.setValue(String(repeating: "a", count: 700_000), forKey: "name")
            return false
        }
        _ = try store.context.execute(request)
        #expect(
            try store.sql("SELECT length(ZNAME), length(replace(ZNAME, 'b', '')) FROM ZTHING")
                == ["700000|0", "700000|0", "700000|0"])
    }

    @Test func valuesOfOtherTypesAreRefused() throws {
        for (key, value) in [("name", 5), ("real", "1.5"), ("small", "x"), ("day", 3), ("id", "x")] as [(String, Any)] {
            let store = try store()
            let error = #expect(throws: NSError.self) {
                try store.context.execute(
                    NSBatchInsertRequest(entityName: "Thing", objects: [["name": "first"], [key: value]]))
            }
            #expect(error?.code == NSManagedObjectValidationError)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
            #expect(try store.sql("SELECT count(*) FROM ZTHING") == ["0"])
        }
    }

    // MARK: Wrong rows

    private enum Way: CaseIterable { case list, dictionaries }

    private func insert(_ row: [String: Any], _ way: Way, _ entity: String, _ context: NSManagedObjectContext) throws {
        var isDone = false
        let request =
            switch way {
            case .list: NSBatchInsertRequest(entityName: entity, objects: [row])
            case .dictionaries:
                NSBatchInsertRequest(
                    entityName: entity,
                    dictionaryHandler: { dictionary in
                        if isDone { return true }
                        isDone = true
                        for (key, value) in row { dictionary[key] = value }
                        return false
                    })
            }
        _ = try context.execute(request)
    }

    /// A misspelt key, or a relationship, is the error that it is in a batch update; nothing is written.
    @Test(arguments: Way.allCases)
    private func keysAreChecked(_ way: Way) throws {
        let owner = FormatStore.entity("Owner", []), thing = FormatStore.entity("Thing", [])
        thing.properties.append(LibraryModel.attribute("mood", .stringAttributeType, transient: true))
        LibraryModel.relate(thing, "owner", many: false, owner, "things", many: true)
        let store = try FormatStore([owner, thing])
        for (key, value) in [("nmae", "b"), ("owner", store.context.insert("Owner").objectID)] as [(String, Any)] {
            let error = #expect(throws: NSError.self) {
                try insert(["name": "a", key: value], way, "Thing", store.context)
            }
            #expect(error?.code == NSCoreDataError)
            #expect(error?.userInfo["property"] as? String == key)
            #expect(try store.sql("SELECT count(*) FROM ZTHING") == ["0"])
        }
        try insert(["name": "a", "mood": "not kept"], way, "Thing", store.context)
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == ["1"])
    }

    private func required() throws -> FormatStore {
        let tag = FormatStore.entity(
            "Tag",
            [
                LibraryModel.attribute("size", .integer32AttributeType, optional: false),
                LibraryModel.attribute("note", .stringAttributeType, optional: false, default: "none"),
                LibraryModel.attribute("code", .UUIDAttributeType),
            ])
        tag.uniquenessConstraints = [["name"]]
        return try FormatStore([tag])
    }

    private func expectMissing(_ key: String, _ body: () throws -> Void) {
        let error = #expect(throws: NSError.self, performing: body)
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
        #expect(error?.userInfo["entity"] as? String == "Tag")
    }

    /// As Apple's framework does since iOS 14.
    @Test(arguments: Way.allCases)
    private func requiredAttributesMustBeGiven(_ way: Way) throws {
        let store = try required()
        expectMissing("size") { try insert(["name": "a"], way, "Tag", store.context) }
        expectMissing("size") { try insert(["name": "a", "size": NSNull()], way, "Tag", store.context) }
        expectMissing("note") { try insert(["name": "a", "size": 1, "note": NSNull()], way, "Tag", store.context) }
        #expect(try store.sql("SELECT count(*) FROM ZTAG") == ["0"])
        try insert(["name": "a", "size": 1], way, "Tag", store.context)
        #expect(try store.sql("SELECT ZNAME, ZSIZE, ZNOTE FROM ZTAG") == ["a|1|none"])
    }

    @Test func requiredAttributesOfObjectsMustBeSet() throws {
        let store = try required()
        var count = 0
        let request = NSBatchInsertRequest(
            entityName: "Tag",
            managedObjectHandler: { object in
                count += 1
                if count == 1 { object.setValue(3, forKey: "size") }
                return count > 2
            })
        expectMissing("size") { _ = try store.context.execute(request) }
        #expect(try store.sql("SELECT count(*) FROM ZTAG") == ["0"])
    }

    /// A row that is there already has what a row of the request leaves out.
    @Test func existingRowsKeepRequiredAttributes() throws {
        let store = try required()
        store.context.insert("Tag", ["name": "red", "size": 5])
        try store.context.save()
        store.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try insert(["name": "red", "note": "new"], .list, "Tag", store.context)
        #expect(try store.sql("SELECT ZNAME, ZSIZE, ZNOTE FROM ZTAG") == ["red|5|new"])
        expectMissing("size") { try insert(["name": "blue", "note": "new"], .list, "Tag", store.context) }
        expectMissing("size") { try insert(["name": "red", "size": NSNull()], .list, "Tag", store.context) }
        #expect(try store.sql("SELECT ZNAME, ZSIZE, ZNOTE FROM ZTAG") == ["red|5|new"])
    }

    @Test(arguments: [false, true])
    func batchUpdatesKeepRequiredAttributes(_ isExpression: Bool) throws {
        let value = isExpression ? NSExpression(forConstantValue: nil) : NSNull()
        let store = try required()
        store.context.insert("Tag", ["name": "red", "size": 5])
        try store.context.save()
        let update = NSBatchUpdateRequest(entityName: "Tag")
        update.propertiesToUpdate = ["size": value]
        expectMissing("size") { _ = try store.context.execute(update) }
        #expect(try store.sql("SELECT ZSIZE FROM ZTAG") == ["5"])
    }

    // MARK: Constraints

    private func tags(_ policy: NSMergePolicy, isTracked: Bool = false) throws -> FormatStore {
        let tag = FormatStore.entity(
            "Tag",
            [
                LibraryModel.attribute("size", .integer32AttributeType, default: 1),
                LibraryModel.attribute("note", .stringAttributeType),
            ])
        tag.uniquenessConstraints = [["name"]]
        let store = try FormatStore([tag], options: isTracked ? [NSPersistentHistoryTrackingKey: true] : [:])
        for name in ["red", "blue"] { store.context.insert("Tag", ["name": name, "size": 5, "note": "old"]) }
        try store.context.save()
        store.context.mergePolicy = policy
        return store
    }

    private let update: [[String: Any]] = [
        ["name": "green", "size": 7], ["name": "red"], ["name": "blue", "note": "new"], ["name": "grey"],
        ["name": "green", "size": 8],
    ]

    private func result(_ store: FormatStore, _ type: NSBatchInsertRequestResultType) throws -> Any? {
        let request = NSBatchInsertRequest(entityName: "Tag", objects: update)
        request.resultType = type
        return (try store.context.execute(request) as? NSBatchInsertResult)?.result
    }

    private static let all = "SELECT Z_PK, ZNAME, ZSIZE, ZNOTE, Z_OPT FROM ZTAG ORDER BY Z_PK"

    @Test(arguments: [NSBatchInsertRequestResultType.statusOnly, .objectIDs, .count], [false, true])
    func givenValuesOverwrite(_ type: NSBatchInsertRequestResultType, isTracked: Bool) throws {
        let store = try tags(NSMergePolicy.mergeByPropertyObjectTrump, isTracked: isTracked)
        let result = try result(store, type)
        // Keys go up one by one: rows that overwrite take none.
        #expect(
            try store.sql(Self.all) == [
                "1|red|5|old|2", "2|blue|5|new|2", "3|green|8|NULL|2", "4|grey|1|NULL|1",
            ])
        #expect(try store.sql("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") == ["4"])
        switch type {
        case .statusOnly: #expect(result as? Bool == true)
        case .count: #expect(result as? Int == 5)
        case .objectIDs:
            let keys = (result as? [NSManagedObjectID])?.map { $0.uriRepresentation().lastPathComponent }
            #expect(keys == ["p3", "p1", "p2", "p4", "p3"])
        }
        if isTracked {
            #expect(
                try store.sql(
                    "SELECT ZENTITYPK, ZCHANGETYPE FROM ACHANGE WHERE ZTRANSACTIONID = (SELECT max(Z_PK) FROM ATRANSACTION) "
                        + "ORDER BY Z_PK"
                ) == ["3|0", "1|1", "2|1", "4|0", "3|1"])
        }
        #expect(try store.problems() == [])
    }

    @Test func everythingOverwrites() throws {
        let store = try tags(NSMergePolicy.overwrite)
        #expect(try result(store, .count) as? Int == 5)
        #expect(
            try store.sql(Self.all) == [
                "1|red|1|NULL|2", "2|blue|1|new|2", "3|green|8|NULL|2", "4|grey|1|NULL|1",
            ])
    }

    @Test(arguments: [NSBatchInsertRequestResultType.objectIDs, .count])
    func knownRowsStay(_ type: NSBatchInsertRequestResultType) throws {
        let store = try tags(NSMergePolicy.mergeByPropertyStoreTrump)
        let result = try result(store, type)
        #expect(
            try store.sql(Self.all) == [
                "1|red|5|old|1", "2|blue|5|old|1", "3|green|7|NULL|1", "4|grey|1|NULL|1",
            ])
        #expect((result as? Int ?? (result as? [NSManagedObjectID])?.count) == 2)
        #expect(try store.sql("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") == ["4"])
    }

    @Test func clashesWithoutAPolicyLeaveNothing() throws {
        let store = try tags(NSMergePolicy.error)
        let error = #expect(throws: NSError.self) { try result(store, .count) }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        #expect(try store.sql(Self.all) == ["1|red|5|old|1", "2|blue|5|old|1"])
    }

    /// The constraint is the parent's, and so is the table: what is overwritten may be of a sibling.
    @Test func rowsOfSiblingsKeepTheirEntity() throws {
        let thing = FormatStore.entity("Thing", [LibraryModel.attribute("size", .integer32AttributeType)])
        let vase = LibraryModel.entity("Vase"), clock = LibraryModel.entity("Clock")
        thing.uniquenessConstraints = [["name"]]
        thing.subentities = [vase, clock]
        let store = try FormatStore([thing, vase, clock], options: [NSPersistentHistoryTrackingKey: true])
        store.context.insert("Clock", ["name": "x", "size": 1])
        try store.context.save()
        store.context.reset()
        let token = store.coordinator.currentPersistentHistoryToken(fromStores: nil)
        store.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let request = NSBatchInsertRequest(
            entityName: "Vase",
            objects: [["name": "x", "size": 2], ["name": "y", "size": 3], ["name": "y", "size": 4]])
        request.resultType = .objectIDs
        let result = try store.context.execute(request) as? NSBatchInsertResult
        let ids = try #require(result?.result as? [NSManagedObjectID])
        #expect(ids.map(\.entity.name) == ["Clock", "Vase", "Vase"])
        #expect(try ids.map { try store.context.existingObject(with: $0).value(forKey: "size") as? Int } == [2, 4, 4])
        let history = try store.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        let transactions = (history as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
        let changes = transactions?.flatMap { $0.changes ?? [] } ?? []
        #expect(changes.map(\.changedObjectID) == ids && changes.map(\.changeType) == [.update, .insert, .update])
        #expect(try store.problems() == [])
    }

    /// A handler is called within the transaction. What it tries to save then fails, and the request goes on.
    @Test func handlersCannotSave() throws {
        let store = try tags(NSMergePolicy.mergeByPropertyObjectTrump)
        let other = store.makeContext()
        var number = -1
        let request = NSBatchInsertRequest(entityName: "Tag") { (dictionary: NSMutableDictionary) in
            number += 1
            guard number < 3 else { return true }
            other.performAndWait {
                other.insert("Tag", ["name": "other \(number)"])
                #expect(throws: (any Error).self) { try other.save() }
                other.rollback()
            }
            dictionary["name"] = ["red", "new", "red"][number]
            dictionary["size"] = number
            return false
        }
        request.resultType = .objectIDs
        let result = try store.context.execute(request) as? NSBatchInsertResult
        let keys = (result?.result as? [NSManagedObjectID])?.map { $0.uriRepresentation().lastPathComponent }
        #expect(keys == ["p1", "p3", "p1"])
        #expect(try store.sql(Self.all) == ["1|red|2|old|3", "2|blue|5|old|1", "3|new|1|NULL|1"])
    }
}

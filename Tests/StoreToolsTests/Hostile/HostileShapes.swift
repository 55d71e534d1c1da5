import CoreData
import CoreDataTestSupport
import Foundation

/// A small store whose files are changed.
struct HostileShape: Sendable {
    let name: String
    /// The files by their names in the store's folder.
    let files: [String: [UInt8]]

    /// An entity of the model.
    let entity: String

    static let fileName = "Store.sqlite"
    static let names = [
        "plain", "inheritance", "many-to-many", "ordered", "external", "derived", "history-log", "composite-journal",
        "types-512",
    ]

    /// Makes the store of a shape.
    static func make(_ name: String) throws -> HostileShape {
        let (model, options) = try definition(name)
        let folder = try TemporaryFolder()
        let url = folder.file(fileName)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            try fill(name, context)
            try context.save()
        }
        var files: [String: [UInt8]] = [:]
        if name == "history-log" {
            files = try read(folder.url)
            try coordinator.remove(store)
        } else {
            try coordinator.remove(store)
            if name == "types-512" {
                let sql = try HostileSQL(url)
                try sql.run("PRAGMA journal_mode = DELETE")
                try sql.run("PRAGMA page_size = 512; PRAGMA auto_vacuum = 0; VACUUM")
            }
            files = try read(folder.url)
        }
        files["notes.txt"] = Array("not the store's".utf8)
        return HostileShape(name: name, files: files, entity: model.entities.last?.name ?? "")
    }

    /// Reads the files of a folder, without the index of a log.
    static func read(_ folder: URL) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
            let file = folder.appendingPathComponent(name)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue,
                !name.hasSuffix("-shm")
            else { continue }
            files[name] = [UInt8](try Data(contentsOf: file))
        }
        return files
    }

    private static func definition(_ name: String) throws -> (NSManagedObjectModel, [AnyHashable: Any]?) {
        switch name {
        case "inheritance":
            return (
                makeModel([
                    ("Party abstract", "name: string; visits -> Visit.party 0..0?"),
                    ("Person : Party", "age: i16?; mail: string?"),
                    ("Company : Party", "title: string?"),
                    ("Visit", "day: date; party -> Party.visits 0..1?"),
                ]), nil
            )
        case "many-to-many":
            return (
                makeModel([
                    ("Article", "title: string; tags -> Tag.articles 0..0?"),
                    ("Tag unique=(word)", "word: string; articles -> Article.tags 0..0?; near -> Tag.near 0..0?"),
                ]), nil
            )
        case "ordered":
            return (
                makeModel([
                    ("List", "title: string; items -> Item.list 0..0? ordered; loose -> Item 0..0? ordered"),
                    ("Item", "text: string; list -> List.items 0..1?; songs -> Song.items 0..0? ordered"),
                    ("Song", "name: string; items -> Item.songs 0..0?"),
                ]), nil
            )
        case "external": return (makeModel([("Photo", "name: string; image: data? external; raw: data?")]), nil)
        case "derived":
            let model = makeModel([
                ("Team", "name: string; members -> Member.team 0..0?"),
                ("Member", "name: string; team -> Team.members 0..1?"),
            ])
            for (entity, name, type, text) in [
                ("Team", "size", NSAttributeType.integer64AttributeType, "members.@count"),
                ("Member", "teamName", .stringAttributeType, "team.name"),
            ] {
                let attribute = NSDerivedAttributeDescription()
                attribute.name = name
                attribute.attributeType = type
                attribute.isOptional = true
                attribute.derivationExpression = NSExpression(format: text)
                model.entitiesByName[entity]?.properties.append(attribute)
            }
            return (model, nil)
        case "history-log":
            return (
                makeModel([("Note", "title: string preserve; stars: i32?")]), [NSPersistentHistoryTrackingKey: true]
            )
        case "composite-journal":
            let model = makeModel([("Place", "name: string")])
            let address = NSCompositeAttributeDescription()
            address.name = "address"
            address.elements = [
                LibraryModel.attribute("city", .stringAttributeType),
                LibraryModel.attribute("zip", .integer32AttributeType),
            ]
            address.isOptional = true
            model.entitiesByName["Place"]?.properties.append(address)
            return (model, [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        case "types-512":
            let model = makeModel([
                (
                    "Every",
                    """
                    a16: i16?; a64: i64?; dec: decimal?; dbl: double?; str: string?; flag: bool?; day: date?; \
                    bin: data?; uid: uuid?; uri: uri?; any: transformable?; must: string
                    """
                )
            ])
            let any = model.entitiesByName["Every"]?.attributesByName["any"]
            any?.valueTransformerName = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
            return (model, nil)
        default:
            return (
                makeModel([
                    ("Person", "name: string; age: i32?; team -> Team.people 0..1?; boss -> Person 0..1?"),
                    ("Team", "name: string; people -> Person.team 0..0?"),
                ]), nil
            )
        }
    }

    private static func fill(_ name: String, _ context: NSManagedObjectContext) throws {
        func text(_ index: Int) -> String { "value \(index * 7919 % 1000) of \(name)" }
        switch name {
        case "inheritance":
            for index in 0..<40 {
                let isPerson = index % 3 > 0
                let party = context.insert(isPerson ? "Person" : "Company", ["name": text(index)])
                party.setValue(isPerson ? "\(index)@x" : nil, forKey: isPerson ? "mail" : "title")
                context.insert("Visit", ["day": Date(timeIntervalSinceReferenceDate: Double(index)), "party": party])
            }
        case "many-to-many":
            let tags = (0..<12).map { context.insert("Tag", ["word": text($0)]) }
            for index in 0..<30 {
                let article = context.insert("Article", ["title": text(index)])
                article.setValue(Set(tags[index % 12..<min(12, index % 12 + 3)]), forKey: "tags")
            }
            for index in 1..<12 { tags[index].setValue(Set([tags[index - 1]]), forKey: "near") }
        case "ordered":
            let songs = (0..<8).map { context.insert("Song", ["name": text($0)]) }
            for index in 0..<8 {
                let items = (0..<4).map { context.insert("Item", ["text": text($0 + index)]) }
                let list = context.insert("List", ["title": text(index), "items": NSOrderedSet(array: items)])
                list.setValue(NSOrderedSet(array: [items[0]]), forKey: "loose")
                items[1].setValue(NSOrderedSet(array: Array(songs.prefix(index))), forKey: "songs")
            }
        case "external":
            for index in 0..<20 {
                context.insert(
                    "Photo",
                    [
                        "name": text(index),
                        "image": Data(repeating: UInt8(index), count: index % 5 == 0 ? 110_000 : 90),
                        "raw": Data(repeating: 7, count: index * 900),
                    ])
            }
        case "derived":
            let teams = (0..<6).map { context.insert("Team", ["name": text($0)]) }
            for index in 0..<30 { context.insert("Member", ["name": text(index), "team": teams[index % 6]]) }
        case "history-log":
            for round in 0..<3 {
                context.transactionAuthor = "author \(round)"
                for index in 0..<10 { context.insert("Note", ["title": text(index), "stars": index]) }
                try context.save()
            }
            for note in try context.fetchAll("Note").prefix(4) { context.delete(note) }
        case "composite-journal":
            for index in 0..<40 {
                context.insert(
                    "Place", ["name": text(index), "address": ["city": text(index), "zip": index] as [String: Any]])
            }
        case "types-512":
            for index in 0..<40 {
                context.insert(
                    "Every",
                    [
                        "must": text(index), "a16": index, "a64": Int64.max - Int64(index), "dbl": Double(index) / 3,
                        "dec": NSDecimalNumber(string: "\(index).25"), "flag": index % 2 == 0, "uid": UUID(),
                        "str": String(repeating: "é", count: index * 20), "uri": URL(string: "https://a.b/\(index)")!,
                        "day": Date(timeIntervalSinceReferenceDate: Double(index)), "bin": Data(count: index * 40),
                        "any": NSArray(array: ["a", NSNumber(value: index)]),
                    ])
            }
        default:
            let teams = (0..<5).map { context.insert("Team", ["name": text($0)]) }
            var people: [NSManagedObject] = []
            for index in 0..<60 {
                let person = context.insert("Person", ["name": text(index), "age": index, "team": teams[index % 5]])
                if let boss = people.last { person.setValue(boss, forKey: "boss") }
                people.append(person)
            }
        }
    }
}

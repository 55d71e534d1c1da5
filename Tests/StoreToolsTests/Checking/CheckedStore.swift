import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// A closed store with everything that checks look at, in a folder that goes with the object.
final class CheckedStore {
    let folder: TemporaryFolder
    let url: URL

    /// Creates a store with the objects of ``fill(_:)``; all are copies of one, with history.
    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("Checked.sqlite")
        let source = try Self.filled.get().folder.url
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            try FileManager.default.copyItem(at: source.appendingPathComponent(name), to: folder.file(name))
        }
    }

    /// Creates a store with other objects.
    init(options: [AnyHashable: Any]? = nil, fill: (NSManagedObjectContext) throws -> Void) throws {
        folder = try TemporaryFolder()
        url = folder.file("Checked.sqlite")
        try write(options: options, fill)
    }

    nonisolated(unsafe) private static let filled = Result { try CheckedStore(options: history, fill: fill) }

    /// Opens the store, changes it, and closes it.
    func write(
        model: NSManagedObjectModel = CheckedStore.model(), options: [AnyHashable: Any]? = nil,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            try body(context)
            if context.hasChanges { try context.save() }
        }
        try coordinator.remove(store)
    }

    static var history: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true as NSNumber] }

    /// Damages the file in SQL, as another program would.
    func sql(_ statements: String...) throws {
        let database = try Database(url.path, flags: SQLITE_OPEN_READWRITE)
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        ] {
            _ = sqlite3_create_function_v2(
                database.handle, name, 5, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) }, nil,
                nil, nil)
        }
        for statement in statements { try database.execute(statement) }
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func integer(_ sql: String) throws -> Int64 {
        try Database(url.path, flags: SQLITE_OPEN_READWRITE).integer(sql) ?? -1
    }

    func check() throws -> StoreCheck.Report { try StoreCheck(url).run() }
    func findings() throws -> [StoreFinding] { try check().findings }

    // MARK: Model

    static func model() -> NSManagedObjectModel {
        let model = makeModel([
            (
                "Item abstract",
                "name: string; rank: i16?; total: i32?; done: bool?; made: date; size: double?; price: decimal?; "
                    + "ident: uuid?; link: uri?; blob: data? external; raw: data?; owner -> Person.items 0..1?; "
                    + "tags -> Tag.items 0..0?; folder -> Folder.items 0..1?"
            ),
            ("Note : Item", "text: string?"),
            ("Task : Item", "due: date?; next -> Task.previous 0..1?; previous -> Task.next 0..1?"),
            (
                "Person unique=(code)",
                "code: string; name: string?; items -> Item.owner 0..0?; passport -> Passport.holder 0..1?; "
                    + "friends -> Person.friends 0..0?; favorites -> Task 0..0? ordered; "
                    + "keys -> Key.person 1..3?"
            ),
            ("Passport", "number: i64; holder -> Person.passport 1..1"),
            ("Key", "label: string?; person -> Person.keys 0..1?"),
            ("Folder", "title: string?; items -> Item.folder 0..0? ordered; lead -> Item 0..1?"),
            ("Tag", "word: string; items -> Item.tags 0..0? ordered"),
        ])
        let entities = model.entitiesByName
        entities["Item"]?.properties.append(derived("ownerName", "owner.name", .stringAttributeType))
        entities["Folder"]?.properties.append(derived("itemCount", "items.@count", .integer64AttributeType))
        entities["Tag"]?.properties.append(derived("plain", "canonical:(word)", .stringAttributeType))
        entities["Tag"]?.properties.append(derived("loud", "uppercase:(word)", .stringAttributeType))
        return model
    }

    private static func derived(
        _ name: String, _ expression: String, _ type: NSAttributeType
    ) -> NSDerivedAttributeDescription {
        let attribute = Versions.derived(name, expression)
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    /// Two people, three notes, three tasks, two folders, two tags.
    static func fill(_ context: NSManagedObjectContext) throws {
        let ann = context.insert("Person", ["code": "a", "name": "Ann"])
        let bob = context.insert("Person", ["code": "b", "name": "Bob"])
        context.insert("Passport", ["number": 1, "holder": ann])
        ann.setValue(Set([bob]), forKey: "friends")
        let folders = ["In", "Out"].map { context.insert("Folder", ["title": $0]) }
        let tags = ["Red", "Blåu"].map { context.insert("Tag", ["word": $0]) }
        let notes = (0..<3).map { number in
            context.insert(
                "Note",
                [
                    "name": "note \(number)", "made": Date(timeIntervalSinceReferenceDate: 700_000_000.5),
                    "rank": number,
                    "total": 70_000, "done": number == 1, "size": 1.5, "price": NSDecimalNumber(string: "1.25"),
                    "ident": UUID(), "link": URL(string: "https://example.com/\(number)")!, "text": "töxt",
                    "blob": Data(repeating: 2, count: number == 0 ? 200_000 : 40), "raw": Data([2, 3]), "owner": ann,
                ])
        }
        let tasks = (0..<3).map { number in
            context.insert("Task", ["name": "task \(number)", "made": Date(), "owner": bob])
        }
        tasks[0].setValue(tasks[1], forKey: "next")
        bob.setValue(NSOrderedSet(array: tasks), forKey: "favorites")
        folders[0].setValue(NSOrderedSet(array: notes + tasks.prefix(1)), forKey: "items")
        folders[0].setValue(notes[0], forKey: "lead")
        tags[0].setValue(NSOrderedSet(array: notes), forKey: "items")
        tags[1].setValue(NSOrderedSet(array: Array(notes.prefix(1))), forKey: "items")
        ann.setValue(Set([context.insert("Key"), context.insert("Key")]), forKey: "keys")
    }
}

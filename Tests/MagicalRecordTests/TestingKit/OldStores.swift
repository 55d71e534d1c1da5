import MagicalRecord
import MagicalRecordTesting
import Testing

/// A folder of stores written with earlier versions of a model, for `expectMigration(of:)`.
struct OldStores {
    private let directory: TemporaryDirectory

    var folder: URL { directory.file("OldStores") }

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A place outside of the folder.
    func place(_ name: String) -> URL { directory.file(name) }

    /// Writes a store at a path in the folder. `whileOpen` runs before it is closed.
    func add(
        _ path: String, _ model: NSManagedObjectModel, type: String = NSSQLiteStoreType,
        whileOpen: (URL) throws -> Void = { _ in }, _ fill: (NSManagedObjectContext) throws -> Void
    ) throws {
        try write(folder.appendingPathComponent(path), model, type: type, whileOpen: whileOpen, fill)
    }

    func write(
        _ url: URL, _ model: NSManagedObjectModel, type: String = NSSQLiteStoreType,
        whileOpen: (URL) throws -> Void = { _ in }, _ fill: (NSManagedObjectContext) throws -> Void
    ) throws {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.runAndWait { () throws in
            try fill(context)
            try context.save()
        }
        try whileOpen(url)
    }

    func addFile(_ path: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(path))
    }

    /// The content of every file in the folder, hidden ones too.
    func files() throws -> [String: Data] {
        var found: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let url = folder.appendingPathComponent(path)
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
            if !isFolder.boolValue { found[path] = try Data(contentsOf: url) }
        }
        return found
    }

    /// Forbids writing to the folder and everything in it.
    func forbidWriting(_ isForbidden: Bool = true) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).map {
            folder.appendingPathComponent($0).path
        }
        for path in paths + [folder.path] {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            let mode = isFolder.boolValue ? (isForbidden ? 0o555 : 0o755) : (isForbidden ? 0o444 : 0o644)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
    }

    /// Notes with a text, and stars as text.
    static func fillNotes(_ values: [[String: Any]]) -> (NSManagedObjectContext) throws -> Void {
        { context in
            for note in values {
                let object = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                for (key, value) in note { object.setValue(value, forKey: key) }
            }
        }
    }
}

/// Expects issues that begin like this, in this order, and no others.
@discardableResult
func expectIssues(
    _ expected: String..., sourceLocation: SourceLocation = #_sourceLocation, _ body: () -> MigrationOutcomes
) -> MigrationOutcomes {
    var outcomes = MigrationOutcomes?.none
    withKnownIssue(sourceLocation: sourceLocation) {
        outcomes = body()
    } matching: { issue in
        expected.contains { issue.comments.first?.rawValue.hasPrefix($0) ?? false }
    }
    let failures = outcomes?.failures ?? []
    let isExpected = failures.count == expected.count && zip(failures, expected).allSatisfy { $0.hasPrefix($1) }
    #expect(isExpected, "\(failures)", sourceLocation: sourceLocation)
    return outcomes ?? body()
}

/// Versions of a model of people and their messages.
enum PeopleVersions {
    /// `Person` with messages, a fax number and a picture outside of the database; `Draft`.
    static func first() -> NSManagedObjectModel {
        let person = Build.entity("Person"), message = Build.entity("Message"), draft = Build.entity("Draft")
        let picture = Build.attribute("picture", .binaryDataAttributeType)
        picture.allowsExternalBinaryDataStorage = true
        person.properties = [
            Build.attribute("name", .stringAttributeType), Build.attribute("fax", .stringAttributeType), picture,
        ]
        message.properties = [Build.attribute("text", .stringAttributeType)]
        draft.properties = [Build.attribute("text", .stringAttributeType)]
        Build.inverse(
            Build.relationship("messages", of: person, to: message, many: true, ordered: true),
            Build.relationship("sender", of: message, to: person))
        return Build.model(person, message, draft)
    }

    /// `User`, which was `Person`, with `displayName`, which was `name`, and `country`; without fax number and drafts.
    static func second() -> NSManagedObjectModel {
        let user = Build.entity("User"), message = Build.entity("Message")
        user.renamingIdentifier = "Person"
        let name = Build.attribute("displayName", .stringAttributeType)
        name.renamingIdentifier = "name"
        let picture = Build.attribute("picture", .binaryDataAttributeType)
        picture.allowsExternalBinaryDataStorage = true
        user.properties = [
            name, picture, Build.attribute("country", .stringAttributeType, default: "FR", optional: false),
        ]
        message.properties = [Build.attribute("text", .stringAttributeType)]
        Build.inverse(
            Build.relationship("messages", of: user, to: message, many: true, ordered: true),
            Build.relationship("sender", of: message, to: user))
        return Build.model(user, message)
    }

    static let versions = MagicalRecord.ModelVersions([first(), second()])

    /// Ann with two messages, a fax number and a picture of two million bytes, Bob with one message, and a draft.
    static func fillFirst(_ context: NSManagedObjectContext) throws {
        func object(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            return object
        }
        let ann = object("Person", ["name": "Ann", "fax": "12", "picture": Data(repeating: 7, count: 2_000_000)])
        let bob = object("Person", ["name": "Bob"])
        for (text, sender) in [("one", ann), ("two", ann), ("three", bob)] {
            _ = object("Message", ["text": text, "sender": sender])
        }
        _ = object("Draft", ["text": "never sent"])
    }
}

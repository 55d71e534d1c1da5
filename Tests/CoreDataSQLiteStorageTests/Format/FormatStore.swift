import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation

@testable import CoreData

/// A SQLite store of any model, opened again and again, with plain SQL on its file.
final class FormatStore {
    let folder: TemporaryFolder
    let url: URL
    let model: NSManagedObjectModel
    private(set) var coordinator: NSPersistentStoreCoordinator
    private(set) var context: NSManagedObjectContext

    init(_ entities: [NSEntityDescription], options: [AnyHashable: Any] = [:]) throws {
        folder = try TemporaryFolder()
        url = folder.file("Format.sqlite")
        model = NSManagedObjectModel()
        model.entities = entities
        (coordinator, context) = try Self.open(url, model, options)
    }

    deinit { close() }

    /// A second stack on the file, as another process would have it.
    static func second(on store: FormatStore) throws -> NSManagedObjectContext {
        try open(store.url, store.model.copy() as! NSManagedObjectModel).context
    }

    static func open(
        _ url: URL, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]
    ) throws -> (coordinator: NSPersistentStoreCoordinator, context: NSManagedObjectContext) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (coordinator, context)
    }

    func close() {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    /// Closes the store and opens it as another program would find it.
    func reopen(options: [AnyHashable: Any] = [:]) throws {
        close()
        (coordinator, context) = try Self.open(url, model, options)
    }

    /// The rows of a query, columns joined by `|`.
    func sql(_ text: String) throws -> [String] {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5)
        let statement = try connection.prepare(text)
        var rows: [String] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" }.joined(separator: "|"))
        }
        return rows
    }

    func run(_ text: String) throws {
        try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 5).executeScript(text)
    }

    func creation(_ name: String) throws -> String? {
        try sql("SELECT sql FROM sqlite_master WHERE name = '\(name)'").first
    }

    func problems() throws -> [String] { try StoreAuditor(url, model.layouts).problems() }

    /// Objects by the text of their `name`.
    func named(_ entity: String) throws -> [String: NSManagedObject] {
        var found: [String: NSManagedObject] = [:]
        for object in try context.fetchAll(entity) { found[object.value(forKey: "name") as? String ?? ""] = object }
        return found
    }

    /// Names of what a relationship leads to: in order if it has one, else sorted.
    static func names(_ object: NSManagedObject?, _ relationship: String) -> [String] {
        switch object?.value(forKey: relationship) {
        case let ordered as NSOrderedSet:
            ordered.array.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
        case let set as Set<NSManagedObject>: set.compactMap { $0.value(forKey: "name") as? String }.sorted()
        case let one as NSManagedObject: [one.value(forKey: "name") as? String ?? ""]
        default: []
        }
    }

    /// An entity with a `name`.
    static func entity(_ name: String, _ attributes: [NSAttributeDescription] = []) -> NSEntityDescription {
        let entity = LibraryModel.entity(name)
        entity.properties = [LibraryModel.attribute("name", .stringAttributeType)] + attributes
        return entity
    }

    /// A relationship without an inverse.
    static func relationship(
        _ name: String, to entity: NSEntityDescription, toMany: Bool, ordered: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = toMany ? 0 : 1
        relationship.isOrdered = ordered
        relationship.isOptional = true
        relationship.deleteRule = .nullifyDeleteRule
        return relationship
    }
}

import CCoreDataSQLite
import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import ModelPredicates
import StoreTools

/// Stores that tests compare with schemas.
enum SchemaTestStore {
    /// Makes a store of a model with CoreData, and closes it.
    static func make(_ model: Model, in folder: TemporaryFolder, name: String = UUID().uuidString) throws -> URL {
        let file = folder.file(name + ".mom")
        try model.archive(parser: FormatTextParser()).write(to: file)
        guard let built = NSManagedObjectModel(contentsOf: file) else { throw Unbuilt() }
        return try make(built, in: folder, name: name)
    }

    static func make(_ model: NSManagedObjectModel, in folder: TemporaryFolder, name: String) throws -> URL {
        let url = folder.file(name + ".sqlite")
        try open(model, at: url) { _ in }
        return url
    }

    /// Opens a store, for work with a context that is saved afterwards.
    static func open(
        _ model: NSManagedObjectModel, at url: URL, _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSSQLitePragmasOption: ["synchronous": "OFF"]])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            try body(context)
            if context.hasChanges { try context.save() }
        }
        try coordinator.remove(store)
    }

    struct Unbuilt: Error {}

    static func database(_ url: URL) throws -> Database { try Database(url.path, flags: SQLITE_OPEN_READWRITE) }
}

/// The statements of a file, by name.
struct SchemaTestStatements {
    var tables: [String: String] = [:]
    var others: [String: String] = [:]

    /// Reads the statements of a file, without those of system tables, and of the tables inside spatial indexes.
    init(_ database: Database) throws {
        let statement = try database.prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        var spatial: Set<String> = []
        while try statement.step() {
            let (type, name, sql) = (statement.text(0) ?? "", statement.text(1) ?? "", statement.text(2) ?? "")
            if Self.isOfSystem(name) { continue }
            if sql.hasPrefix("CREATE VIRTUAL TABLE") { spatial.insert(name) }
            if type == "table" { tables[name] = sql } else { others[name] = sql }
        }
        for name in spatial { for part in ["node", "parent", "rowid"] { tables["\(name)_\(part)"] = nil } }
    }

    /// The statements of a schema.
    init(_ schema: StoreSchema) {
        for table in schema.tables { tables[table.name] = table.sql }
        for join in schema.joins { tables[join.name] = join.sql }
        for table in schema.spatialTables { tables[table.name] = table.sql }
        for statement in schema.indexes + schema.triggers + schema.spatialTriggers {
            others[statement.name] = statement.sql
        }
    }

    private static func isOfSystem(_ name: String) -> Bool {
        name.hasPrefix("ACHANGE") || name.hasPrefix("ATRANSACTION") || name.hasPrefix("Z_TRANSACTION")
            || ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains(name)
    }

    /// Returns the names with different statements, each with the texts.
    func differences(from other: SchemaTestStatements) -> [String] {
        Self.differences(tables, other.tables) + Self.differences(others, other.others)
    }

    static func differences(_ one: [String: String], _ other: [String: String]) -> [String] {
        Set(one.keys).union(other.keys).sorted().compactMap { name in
            one[name] == other[name] ? nil : "\(name):\n  \(one[name] ?? "missing")\n  \(other[name] ?? "missing")"
        }
    }
}

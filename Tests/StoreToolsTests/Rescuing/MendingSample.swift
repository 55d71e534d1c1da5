@testable import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// A store of a model in a folder, to be made inconsistent with SQL and rescued.
final class MendingSample {
    let folder: TemporaryFolder
    let model: NSManagedObjectModel
    var url: URL { folder.file("Sample.sqlite") }
    var rescued: URL { folder.file("Rescued.sqlite") }

    init(
        _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil,
        _ fill: (NSManagedObjectContext) throws -> Void
    ) throws {
        folder = try TemporaryFolder()
        self.model = model
        try PreparedStore(model, options: options, fill: fill).write(to: url)
        // All pages in the file, and no trigger that calls functions of the framework.
        try shell("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL;")
    }

    @discardableResult
    func shell(_ script: String, on file: URL? = nil) throws -> String { try rescueShell(script, file ?? url) }

    /// Runs a script as if the store had no triggers.
    func damage(_ script: String) throws {
        let triggers = try shell("SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger'")
        let names = try shell("SELECT 'DROP TRIGGER \"' || name || '\";' FROM sqlite_schema WHERE type = 'trigger'")
        try shell("BEGIN; \(names) \(script); \(triggers) COMMIT; PRAGMA wal_checkpoint(TRUNCATE);")
    }

    /// Overwrites the pages of a table or index with zeros, except its first.
    func zero(_ name: String, _ kind: String = "leaf", including: (Int) -> Bool = { _ in true }) throws -> [Int] {
        let pages = try shell("SELECT pageno FROM dbstat WHERE name = '\(name)' AND pagetype = '\(kind)' ORDER BY path")
            .split(separator: "\n").compactMap { Int($0) }
        let chosen = pages.enumerated().filter { including($0.offset) }.map(\.element)
        let handle = try FileHandle(forUpdating: url)
        for page in chosen {
            try handle.seek(toOffset: UInt64((page - 1) * 4096))
            try handle.write(contentsOf: Data(count: 4096))
        }
        try handle.close()
        return chosen
    }

    func rescue(_ configure: (inout StoreRescue) -> Void = { _ in }) throws -> RescueReport {
        var rescue = StoreRescue(url)
        configure(&rescue)
        return try rescue.write(to: rescued)
    }

    /// Checks the new store by every rule, and opens it with the model.
    func expectSound() throws {
        let report = try StoreCheck(rescued).run()
        #expect(report.findings.map(\.description) == [])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: rescued)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for (name, entity) in model.entitiesByName {
                for object in try context.fetchAll(name) {
                    for key in entity.propertiesByName.keys { _ = object.value(forKey: key) }
                }
            }
        }
        try coordinator.remove(store)
    }
}

import CCoreDataSQLite
import CoreData
import Foundation

/// Reports whether SQLite takes settings before its first use and after it, and how much memory it counts. Without "disable" the
/// settings stay as they are at first.
func reportStatistics(_ url: URL, disables: Bool) throws {
    if disables { report("disabled \(NSPersistentStoreCoordinator.disableSQLiteMemoryStatistics())") }
    let entity = NSEntityDescription()
    entity.name = "Entry"
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    report(sqlite3_memory_used() > 0 ? "counted" : "not counted")
    report("disabled \(NSPersistentStoreCoordinator.disableSQLiteMemoryStatistics())")
    report(sqlite3_memory_used() > 0 ? "counted" : "not counted")
}

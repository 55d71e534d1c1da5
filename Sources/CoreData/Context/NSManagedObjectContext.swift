import Foundation

open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator?
    open var parent: NSManagedObjectContext?
    static var current: NSManagedObjectContext? { nil }
    func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] { [] }
    func refresh(_ object: NSManagedObject, mergeChanges: Bool) {}
    func object(with id: NSManagedObjectID) -> NSManagedObject { fatalError() }
    func delete(_ object: NSManagedObject) {}
    func existingObject(with id: NSManagedObjectID) throws -> NSManagedObject { fatalError() }
}

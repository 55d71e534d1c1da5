import Foundation

open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    open var managedObjectModel = NSManagedObjectModel()
}

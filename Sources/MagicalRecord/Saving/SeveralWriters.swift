#if canImport(Darwin)
import CoreData

extension NSPersistentStoreCoordinator {
    /// False: Apple's stores have one writer each.
    var letsSeveralSave: Bool { false }
}
#endif

import CoreData

extension MagicalRecord {
    /// Every managed object class.
    ///
    /// The framework's finders are written on this protocol, since a class method cannot return an array of its own
    /// class but a protocol's can: `User.findAll()` is a `[User]`. There is no need to conform to it or to name it.
    public protocol ManagedObject: NSManagedObject {}
}

extension NSManagedObject: MagicalRecord.ManagedObject {}

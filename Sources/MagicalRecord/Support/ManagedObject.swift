import CoreData

extension MagicalRecord {
    /// The protocol that every managed object class conforms to.
    ///
    /// The framework's finders are declared on this protocol, since a class method cannot return an array of `Self` but a
    /// protocol's can: `User.findAll()` returns `[User]`. Do not conform to it; there is no need to name it.
    public protocol ManagedObject: NSManagedObject {}
}

extension NSManagedObject: MagicalRecord.ManagedObject {}

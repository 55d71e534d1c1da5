#if !canImport(Darwin)
/// Converts an initialized object to an instance of another class with the same storage.
///
/// Foundation off Apple leaves `NSExpression` and `NSComparisonPredicate` without an accessible initializer, so a subclass
/// can be declared but not created in the ordinary way. Instead, an object of a class that *can* be created is initialized,
/// and then its class pointer is replaced. Both classes must store the same fields in the same order; the sizes are checked.
package enum ClassAdoption {
    /// Whether objects can change their class.
    package static var isSupported: Bool { ClassMetadata.isSupported }

    /// Makes `object` an instance of `newClass`, by replacing its class pointer.
    ///
    /// - Precondition: ``isSupported``, no other code has seen `object` yet, and both classes have the same stored
    ///   properties.
    package static func adopt(_ object: AnyObject, into newClass: AnyClass) {
        guard let old = ClassMetadata(type(of: object)), let new = ClassMetadata(newClass) else {
            preconditionFailure(
                "classes do not lie in memory as this package knows them, so no \(newClass) can be made")
        }
        precondition(
            old.hasStorage(of: new), "classes that adopt each other's objects must have the same storage")
        new.adopt(object)
    }

    /// Returns true if instances of two classes have the same size.
    package static func haveSameStorage(_ a: AnyClass, _ b: AnyClass) -> Bool {
        guard let a = ClassMetadata(a), let b = ClassMetadata(b) else { return false }
        return a.hasStorage(of: b)
    }
}
#endif

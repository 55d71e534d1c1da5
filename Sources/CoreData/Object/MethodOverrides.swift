/// Whether a class overrides a method, found by comparing method tables.
///
/// Calling every overridable method of every object, to find that it does nothing, would cost more than saving the object.
enum MethodOverrides {
    private final class Plain: NSManagedObject, @unchecked Sendable {}
    private final class Validating: NSManagedObject, @unchecked Sendable {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {}
    }
    private final class Reading: NSManagedObject, @unchecked Sendable {
        override func value(forKey key: String) -> Any? { nil }
    }
    private final class Named: NSManagedObject, @unchecked Sendable {
        override class func entity() -> NSEntityDescription { NSEntityDescription() }
    }

    /// Whether `validateValue(_:forKey:)` is overridden; true if that cannot be told.
    static func validatesValues(_ type: NSManagedObject.Type) -> Bool { isOverridden(validateValue, in: type) }

    /// Whether `value(forKey:)` is overridden; true if that cannot be told.
    static func readsValues(_ type: NSManagedObject.Type) -> Bool { isOverridden(value, in: type) }

    /// Whether `entity()` is overridden; true if that cannot be told.
    static func namesEntity(_ type: NSManagedObject.Type) -> Bool { isOverridden(entity, in: type) }

    /// Where the methods lie in the method table; nil if that cannot be told.
    private static let validateValue = place(ofWhat: Validating.self)
    private static let value = place(ofWhat: Reading.self)
    private static let entity = place(ofWhat: Named.self)

    private static func isOverridden(_ place: Int?, in type: NSManagedObject.Type) -> Bool {
        guard let place else { return type != NSManagedObject.self }
        return word(type, place) != word(NSManagedObject.self, place)
    }

    /// Where the only method lies that a class overrides.
    private static func place(ofWhat overriding: NSManagedObject.Type) -> Int? {
        // A class's metadata: fixed fields, then the methods of its ancestors, then its own.
        let base = unsafeBitCast(NSManagedObject.self, to: UnsafeRawPointer.self)
        let size = Int(base.load(fromByteOffset: 32, as: UInt32.self))
        let addressPoint = Int(base.load(fromByteOffset: 36, as: UInt32.self))
        let start = 56
        guard size > start, size < 1 << 16 else { return nil }
        let differing = stride(from: start, to: size - addressPoint, by: 8).filter {
            word(overriding, $0) != word(NSManagedObject.self, $0)
                && word(Plain.self, $0) == word(NSManagedObject.self, $0)
        }
        return differing.count == 1 ? differing[0] : nil
    }

    private static func word(_ type: NSManagedObject.Type, _ offset: Int) -> UInt {
        unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: offset, as: UInt.self)
    }
}

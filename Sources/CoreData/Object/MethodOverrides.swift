import CoreDataRuntimeSupport
import Foundation

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
    static func validatesValues(_ type: NSManagedObject.Type) -> Bool { isOverridden(validateValue, in: type) ?? true }

    /// Whether `value(forKey:)` is overridden; true if that cannot be told.
    static func readsValues(_ type: NSManagedObject.Type) -> Bool { isOverridden(value, in: type) ?? true }

    /// Whether `entity()` is overridden. Where that cannot be told, whether it answers without asking `super`.
    static func namesEntity(_ type: NSManagedObject.Type) -> Bool { isOverridden(entity, in: type) ?? answers(type) }

    // The methods; nil if that cannot be told.
    private static let validateValue = method(overriddenBy: Validating.self)
    private static let value = method(overriddenBy: Reading.self)
    private static let entity = method(overriddenBy: Named.self)

    private static func isOverridden(_ method: ClassMetadata.Method?, in type: NSManagedObject.Type) -> Bool? {
        guard type != NSManagedObject.self else { return false }
        guard let method, let own = ClassMetadata(type), let base = ClassMetadata(NSManagedObject.self) else {
            return nil
        }
        return !own.shares(method, with: base)
    }

    /// The only method that a class overrides; nil where shortcuts are not taken.
    private static func method(overriddenBy overriding: NSManagedObject.Type) -> ClassMetadata.Method? {
        guard MemoryAssumption.allowsShortcuts, let base = ClassMetadata(NSManagedObject.self),
            let plain = ClassMetadata(Plain.self), let overriding = ClassMetadata(overriding)
        else { return nil }
        return base.methods(overriddenBy: overriding, butNotBy: plain, count: 1).first
    }

    // MARK: The plain way

    private static let question = "CoreData.MethodOverrides.entity"

    private static func answers(_ type: NSManagedObject.Type) -> Bool {
        let thread = Thread.current.threadDictionary
        thread[question] = true
        _ = type.entity()
        defer { thread[question] = nil }
        return thread[question] != nil
    }

    /// Called by the method that others override.
    @inline(__always)
    static func noteUnnamedEntity() {
        if entity == nil { Thread.current.threadDictionary[question] = nil }
    }
}

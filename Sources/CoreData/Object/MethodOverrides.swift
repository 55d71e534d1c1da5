import CoreDataRuntimeSupport
import Foundation

/// Detects whether a class overrides a method, by comparing method tables.
///
/// Calling every overridable method of every object, mostly to do nothing, would cost more than saving the object.
enum MethodOverrides {
    private final class Plain: NSManagedObject, @unchecked Sendable {}
    private final class Validating: NSManagedObject, @unchecked Sendable {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {}
    }
    private final class Reading: NSManagedObject, @unchecked Sendable {
        override func value(forKey key: String) -> Any? { nil }
    }
    private final class Editing: NSManagedObject, @unchecked Sendable {
        override func value(forKey key: String) -> Any? { nil }
        override func setValue(_ value: Any?, forKey key: String) {}
        override func willAccessValue(forKey key: String?) {}
        override func didAccessValue(forKey key: String?) {}
        override func willChangeValue(forKey key: String) {}
        override func didChangeValue(forKey key: String) {}
    }
    private final class Deleting: NSManagedObject, @unchecked Sendable {
        override func prepareForDeletion() {}
        override func validateForDelete() throws {}
        override func willSave() {}
        override func didSave() {}
    }
    private final class Named: NSManagedObject, @unchecked Sendable {
        override class func entity() -> NSEntityDescription { NSEntityDescription() }
    }

    /// Returns true if `validateValue(_:forKey:)` is overridden, or if that cannot be detected.
    static func validatesValues(_ type: NSManagedObject.Type) -> Bool { isOverridden(validateValue, in: type) ?? true }

    /// Returns true if `value(forKey:)` is overridden, or if that cannot be detected.
    static func readsValues(_ type: NSManagedObject.Type) -> Bool { isOverridden(value, in: type) ?? true }

    /// Returns true if any function called for reading or setting a value by key is overridden, or if that cannot be detected.
    static func editsValues(_ type: NSManagedObject.Type) -> Bool { isAnyOverridden(of: editing, in: type) }

    /// Returns true if any function called for a deletion is overridden, or if that cannot be detected.
    static func heedsDeletion(_ type: NSManagedObject.Type) -> Bool { isAnyOverridden(of: deleting, in: type) }

    /// Returns true if `entity()` is overridden. If that cannot be detected, calls it, and returns true if it does not call
    /// `super`.
    static func namesEntity(_ type: NSManagedObject.Type) -> Bool { isOverridden(entity, in: type) ?? answers(type) }

    // The methods; nil if they cannot be found.
    private static let validateValue = method(overriddenBy: Validating.self)
    private static let value = method(overriddenBy: Reading.self)
    private static let entity = method(overriddenBy: Named.self)
    private static let editing = methods(overriddenBy: Editing.self, count: 6)
    private static let deleting = methods(overriddenBy: Deleting.self, count: 4)

    private static func isAnyOverridden(of methods: [ClassMetadata.Method], in type: NSManagedObject.Type) -> Bool {
        guard type != NSManagedObject.self else { return false }
        guard !methods.isEmpty, let own = ClassMetadata(type), let base = ClassMetadata(NSManagedObject.self) else {
            return true
        }
        return !methods.allSatisfy { own.shares($0, with: base) }
    }

    private static func isOverridden(_ method: ClassMetadata.Method?, in type: NSManagedObject.Type) -> Bool? {
        guard type != NSManagedObject.self else { return false }
        guard let method, let own = ClassMetadata(type), let base = ClassMetadata(NSManagedObject.self) else {
            return nil
        }
        return !own.shares(method, with: base)
    }

    /// Returns the only method that a class overrides; nil if shortcuts are disabled.
    private static func method(overriddenBy overriding: NSManagedObject.Type) -> ClassMetadata.Method? {
        methods(overriddenBy: overriding, count: 1).first
    }

    /// Returns the methods that a class overrides; none if shortcuts are disabled.
    private static func methods(
        overriddenBy overriding: NSManagedObject.Type, count: Int
    ) -> [ClassMetadata.Method] {
        guard MemoryAssumption.allowsShortcuts, let base = ClassMetadata(NSManagedObject.self),
            let plain = ClassMetadata(Plain.self), let overriding = ClassMetadata(overriding)
        else { return [] }
        return base.methods(overriddenBy: overriding, butNotBy: plain, count: count)
    }

    // MARK: Without method tables

    private static let question = "CoreData.MethodOverrides.entity"

    private static func answers(_ type: NSManagedObject.Type) -> Bool {
        let thread = Thread.current.threadDictionary
        thread[question] = true
        _ = type.entity()
        defer { thread[question] = nil }
        return thread[question] != nil
    }

    /// Records a call of the base class's `entity()`.
    @inline(__always)
    static func noteUnnamedEntity() {
        if entity == nil { Thread.current.threadDictionary[question] = nil }
    }
}

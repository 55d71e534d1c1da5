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

    /// Whether `validateValue(_:forKey:)` is overridden; true if that cannot be told.
    static func validatesValues(_ type: NSManagedObject.Type) -> Bool { isOverridden(validateValue, in: type) ?? true }

    /// Whether `value(forKey:)` is overridden; true if that cannot be told.
    static func readsValues(_ type: NSManagedObject.Type) -> Bool { isOverridden(value, in: type) ?? true }

    /// Whether anything is overridden that reading and setting a value by its key calls; true if that cannot be told.
    static func editsValues(_ type: NSManagedObject.Type) -> Bool { isAnyOverridden(of: editing, in: type) }

    /// Whether anything is overridden that runs when an object is deleted; true if that cannot be told.
    static func heedsDeletion(_ type: NSManagedObject.Type) -> Bool { isAnyOverridden(of: deleting, in: type) }

    /// Whether `entity()` is overridden. Where that cannot be told, whether it answers without asking `super`.
    static func namesEntity(_ type: NSManagedObject.Type) -> Bool { isOverridden(entity, in: type) ?? answers(type) }

    // The methods; nil if that cannot be told.
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

    /// The only method that a class overrides; nil where shortcuts are not taken.
    private static func method(overriddenBy overriding: NSManagedObject.Type) -> ClassMetadata.Method? {
        methods(overriddenBy: overriding, count: 1).first
    }

    /// The methods that a class overrides; none where shortcuts are not taken.
    private static func methods(
        overriddenBy overriding: NSManagedObject.Type, count: Int
    ) -> [ClassMetadata.Method] {
        guard MemoryAssumption.allowsShortcuts, let base = ClassMetadata(NSManagedObject.self),
            let plain = ClassMetadata(Plain.self), let overriding = ClassMetadata(overriding)
        else { return [] }
        return base.methods(overriddenBy: overriding, butNotBy: plain, count: count)
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

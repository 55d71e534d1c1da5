import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// Performs one entity mapping. Subclass it for what value expressions cannot express.
///
/// The manager calls, for every mapping of the model in order: first ``begin(_:with:)``,
/// ``createDestinationInstances(forSource:in:manager:)`` for each source object and
/// ``endInstanceCreation(forMapping:manager:)``; after these calls for all mappings,
/// ``createRelationships(forDestination:in:manager:)`` for each destination object and
/// ``endRelationshipCreation(forMapping:manager:)``; last ``performCustomValidation(forMapping:manager:)`` and
/// ``end(_:manager:)``. An error thrown by any of them ends the migration and is thrown to its caller.
///
/// Off Apple's platforms, `FUNCTION($entityPolicy, "selector:", …)` in a value expression cannot call methods by name: override
/// ``answer(_:arguments:)`` and switch over the selectors.
///
/// Thread rule: called on one thread at a time, on which both contexts of the manager may be used.
open class NSEntityMigrationPolicy: NSObject, PredicateMessageReceiver {
    /// Creates a policy; the manager creates one for each mapping.
    public override init() {
        super.init()
    }

    /// Creates a policy of this class, or of the subclass it is called on, by `init()`.
    fileprivate class func make() -> NSEntityMigrationPolicy { construct(true) }

    /// Calls ``init(_source:)`` through a class value, under another name; see `NSManagedObject.make(_:)`. Traps, as Apple's
    /// framework does, for a class that has designated initializers but no `init()`.
    @_silgen_name("$s8CoreData23NSEntityMigrationPolicyC7_sourceACSb_tcfC")
    private static func construct(_ source: Bool) -> Self

    /// Calls the class's `init()`. Only called by ``construct(_:)``.
    @usableFromInline convenience init(_source: Bool) { self.init() }

    /// Called first, before any object of the mapping is created.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Creates the destination objects for a source object and associates them with it.
    ///
    /// The default implementation creates one object, sets the attributes that have mappings, and associates it. Override it to
    /// create none or several; the next step skips objects that are not associated.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let entity = manager.destinationEntity(for: mapping) else { return }
        let instance = try manager.makeInstance(of: entity, for: mapping)
        for property in mapping.attributeMappings ?? [] {
            guard let value = try manager.value(of: property, in: mapping, self, sInstance, instance) else { continue }
            try manager.set(value.value, of: property, on: instance, from: sInstance, in: mapping)
        }
        manager.associate(sourceInstance: sInstance, withDestinationInstance: instance, for: mapping)
    }

    /// Called after every destination object of the mapping has been created.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of a destination object that have mappings.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let source = manager.sourceInstances(
            forEntityMappingName: mapping.name ?? "", destinationInstances: [dInstance]
        )
        .first
        for property in mapping.relationshipMappings ?? [] {
            guard let value = try manager.value(of: property, in: mapping, self, source, dInstance) else { continue }
            try manager.set(value.value, of: property, on: dInstance, from: source, in: mapping)
        }
    }

    /// Called after every relationship of the mapping's objects has been set.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called when the objects are complete, for checks beyond the validation rules.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called last, before the destination is saved.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Returns the value of `FUNCTION($entityPolicy, "selector:", …)` in value expressions.
    ///
    /// ```swift
    /// override func answer(_ selector: String, arguments: [Any?]) throws -> Any? {
    ///     switch selector {
    ///     case "fullNameFromFirst:last:": fullName(arguments[0] as? String, arguments[1] as? String)
    ///     default: try super.answer(selector, arguments: arguments)
    ///     }
    /// }
    /// ```
    ///
    /// - Throws: an error naming the selector and the class; overrides may throw any error.
    open func answer(_ selector: String, arguments: [Any?]) throws -> Any? {
        throw CoreDataError.make(
            NSEntityMigrationPolicyError, description: "A value expression cannot be evaluated.",
            reason: "\(type(of: self)) does not answer \"\(selector)\".",
            advice: "Override answer(_:arguments:): off Apple's platforms, methods cannot be called by name.")
    }
}

/// Finds the policy classes named by mappings.
enum MigrationPolicies {
    /// Returns a new policy for a mapping.
    ///
    /// - Throws: `NSEntityMigrationPolicyError` for a class that is not found or is no policy.
    static func make(for mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty, name != "NSEntityMigrationPolicy" else {
            return NSEntityMigrationPolicy()
        }
        guard let found = registered.withLock({ $0[name] }) ?? ProgramClasses.anyClass(named: name) else {
            throw failure(mapping, "There is no class \"\(name)\".")
        }
        guard let type = found as? NSEntityMigrationPolicy.Type else {
            throw failure(mapping, "\(name) is not a subclass of NSEntityMigrationPolicy.")
        }
        return type.make()
    }

    private static func failure(_ mapping: NSEntityMapping, _ reason: String) -> NSError {
        CoreDataError.make(
            NSEntityMigrationPolicyError, description: "The mapping \"\(mapping.name ?? "")\" cannot be carried out.",
            reason: reason,
            advice: "Name the class as Module.Class, or call NSEntityMigrationPolicy.register(named:) on it.",
            entity: mapping.destinationEntityName ?? mapping.sourceEntityName)
    }

    fileprivate static let registered = Locked<[String: NSEntityMigrationPolicy.Type]>([:])
}

extension NSEntityMigrationPolicy {
    /// Registers the class under the name that mapping models use for it. Not part of Apple's API.
    ///
    /// Needed only if the name differs from the class's, or if the class's module is not the program's.
    public class func register(named name: String) {
        MigrationPolicies.registered.withLock { $0[name] = self }
    }
}

import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// Carries out one entity mapping. Subclass it for what value expressions cannot say.
///
/// The manager calls, for every mapping of the model in order: first ``begin(_:with:)``,
/// ``createDestinationInstances(forSource:in:manager:)`` for each source object and
/// ``endInstanceCreation(forMapping:manager:)``; when all mappings are through with that,
/// ``createRelationships(forDestination:in:manager:)`` for each destination object and
/// ``endRelationshipCreation(forMapping:manager:)``; last ``performCustomValidation(forMapping:manager:)`` and
/// ``end(_:manager:)``. An error thrown by any of them ends the migration, and is what the caller of the migration gets.
///
/// Off Apple's platforms, `FUNCTION($entityPolicy, "selector:", …)` in a value expression cannot call methods by name:
/// override ``answer(_:arguments:)`` and tell selectors apart there.
///
/// Thread rule: called on one thread at a time, where both contexts of the manager may be used.
open class NSEntityMigrationPolicy: NSObject, PredicateMessageReceiver {
    /// A policy; the manager makes one for each mapping.
    public override init() {
        super.init()
    }

    /// Makes a policy of this class, whatever class that is, by `init()`.
    fileprivate class func make() -> NSEntityMigrationPolicy { construct(true) }

    /// Another name of ``init(_source:)``, as it is called through a class value; see `NSManagedObject.make(_:)`. Stops the
    /// program, as at Apple, for a class that has designated initializers of its own and no `init()`.
    @_silgen_name("$s8CoreData23NSEntityMigrationPolicyC7_sourceACSb_tcfC")
    private static func construct(_ source: Bool) -> Self

    /// Calls the class's own `init()`. Called by ``construct(_:)`` alone.
    @usableFromInline convenience init(_source: Bool) { self.init() }

    /// Called first of all, before any object of the mapping has been made.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes the destination object or objects for a source object, and associates them with it.
    ///
    /// Makes one, sets the attributes the mapping mentions, and associates it. Override it to make none or several; those
    /// that are not associated are left out of the next step.
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

    /// Called when every destination object of the mapping has been made.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of a destination object that the mapping mentions.
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

    /// Called when every relationship of the mapping's objects has been set.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called when the objects are complete, to check what validation rules do not.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called last of all, before the destination is saved.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Answers `FUNCTION($entityPolicy, "selector:", …)` in value expressions.
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
    /// - Throws: an error naming the selector and the class; overrides throw what they like.
    open func answer(_ selector: String, arguments: [Any?]) throws -> Any? {
        throw CoreDataError.make(
            NSEntityMigrationPolicyError, description: "A value expression cannot be evaluated.",
            reason: "\(type(of: self)) does not answer \"\(selector)\".",
            advice: "Override answer(_:arguments:): off Apple's platforms, methods cannot be called by name.")
    }
}

/// Finds the policies mappings name.
enum MigrationPolicies {
    /// A policy for a mapping.
    ///
    /// - Throws: `NSEntityMigrationPolicyError` for a class that is not to be found, or is no policy.
    static func make(for mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty, name != "NSEntityMigrationPolicy" else {
            return NSEntityMigrationPolicy()
        }
        guard let found = registered.withLock({ $0[name] }) ?? ManagedObjectClassRegistry.anyClass(named: name) else {
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
    /// Makes the class known under a name mapping models give it. Not Apple's.
    ///
    /// Needed only where the name is not the class's own, or its module is not the program's.
    public class func register(named name: String) {
        MigrationPolicies.registered.withLock { $0[name] = self }
    }
}

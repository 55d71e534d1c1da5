import Foundation

/// Everything a Core Data mapping model says, as plain values: how the objects of one model become those of another.
///
/// Expressions are trees (``ArchivedExpression``), whose `text` is what `NSExpression(format:)` reads. They may use the
/// variables `$manager`, `$source`, `$destination`, `$entityMapping`, `$propertyMapping` and `$entityPolicy`.
///
/// ```swift
/// let mapping = try MappingModel(contentsOf: URL(filePath: "V2toV3.xcmappingmodel"))
/// for entity in mapping.entityMappings { print(entity.name, entity.kind) }
/// ```
public struct MappingModel: Sendable, Hashable {
    /// The entity mappings, in the order they are carried out.
    public var entityMappings: [EntityMapping]

    /// A mapping model made in code.
    public init(entityMappings: [EntityMapping] = []) {
        self.entityMappings = entityMappings
    }

    /// The mapping of that name. Costs a walk over all.
    public func entityMapping(named name: String) -> EntityMapping? {
        entityMappings.first { $0.name == name }
    }
}

/// How the objects of one entity become those of another.
public struct EntityMapping: Sendable, Hashable {
    /// What is done with the objects. Raw values are those of `NSEntityMappingType`.
    public enum Kind: UInt, Sendable, Hashable, CaseIterable {
        /// Not said.
        case undefined = 0
        /// A migration policy class does it.
        case custom = 1
        /// The entity is new.
        case add = 2
        /// The entity goes.
        case remove = 3
        /// The entity stays as it is.
        case copy = 4
        /// The entity changes.
        case transform = 5
    }

    public var name: String
    /// What happens to the entity's objects.
    public var kind: Kind
    /// The entity of the old model; `nil` for a new entity.
    public var sourceEntityName: String?
    /// The version hash the old entity has, 32 bytes.
    public var sourceEntityVersionHash: Data?
    /// The entity of the new model; `nil` for one that goes.
    public var destinationEntityName: String?
    /// The version hash the new entity has, 32 bytes.
    public var destinationEntityVersionHash: Data?
    /// Gives the old objects: as a rule a `FETCH(…)` of all of them, or of those that meet a filter.
    public var sourceExpression: ArchivedExpression?
    /// The migration policy's class, verbatim; `nil` for the framework's own.
    public var migrationPolicyClassName: String?
    /// One mapping per attribute of the new entity.
    public var attributeMappings: [PropertyMapping] = []
    /// One mapping per relationship of the new entity.
    public var relationshipMappings: [PropertyMapping] = []
    /// Notes of the developer's.
    public var userInfo: [String: ModelValue] = [:]

    /// A mapping without properties.
    public init(name: String, kind: Kind = .undefined) {
        self.name = name
        self.kind = kind
    }
}

/// How one property of a new object gets its value.
public struct PropertyMapping: Sendable, Hashable {
    /// The property of the new entity.
    public var name: String
    /// Gives the value; `nil` leaves the default.
    public var valueExpression: ArchivedExpression?
    public var userInfo: [String: ModelValue] = [:]

    /// A property's mapping.
    public init(name: String, valueExpression: ArchivedExpression? = nil) {
        self.name = name
        self.valueExpression = valueExpression
    }
}

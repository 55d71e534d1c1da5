import Foundation

/// A Core Data mapping model as plain values: the mappings from the objects of one model to those of another.
///
/// Expressions are trees (``ArchivedExpression``) with a `text` that `NSExpression(format:)` parses. They may use the variables
/// `$manager`, `$source`, `$destination`, `$entityMapping`, `$propertyMapping` and `$entityPolicy`.
///
/// ```swift
/// let mapping = try MappingModel(contentsOf: URL(filePath: "V2toV3.xcmappingmodel"))
/// for entity in mapping.entityMappings { print(entity.name, entity.kind) }
/// ```
public struct MappingModel: Sendable, Hashable {
    /// The entity mappings, in order of execution.
    public var entityMappings: [EntityMapping]

    /// Creates a mapping model.
    public init(entityMappings: [EntityMapping] = []) {
        self.entityMappings = entityMappings
    }

    /// Returns the first mapping with a name. Costs a linear search.
    public func entityMapping(named name: String) -> EntityMapping? {
        entityMappings.first { $0.name == name }
    }
}

/// The mapping from the objects of one entity to those of another.
public struct EntityMapping: Sendable, Hashable {
    /// The kind of a mapping. Raw values are those of `NSEntityMappingType`.
    public enum Kind: UInt, Sendable, Hashable, CaseIterable {
        /// Unspecified.
        case undefined = 0
        /// A migration policy class performs the mapping.
        case custom = 1
        /// The entity is added.
        case add = 2
        /// The entity is removed.
        case remove = 3
        /// The entity is unchanged.
        case copy = 4
        /// The entity changes.
        case transform = 5
    }

    /// The name of the mapping.
    public var name: String
    /// The kind of the mapping.
    public var kind: Kind
    /// The entity of the old model; `nil` for a new entity.
    public var sourceEntityName: String?
    /// The version hash of the old entity, 32 bytes.
    public var sourceEntityVersionHash: Data?
    /// The entity of the new model; `nil` for a removed entity.
    public var destinationEntityName: String?
    /// The version hash of the new entity, 32 bytes.
    public var destinationEntityVersionHash: Data?
    /// The expression for the source objects: usually a `FETCH(…)` of all of them, or of those that match a filter.
    public var sourceExpression: ArchivedExpression?
    /// The class of the migration policy, verbatim; `nil` for the standard one.
    public var migrationPolicyClassName: String?
    /// One mapping per attribute of the new entity.
    public var attributeMappings: [PropertyMapping] = []
    /// One mapping per relationship of the new entity.
    public var relationshipMappings: [PropertyMapping] = []
    /// The developer's user-info dictionary.
    public var userInfo: [String: ModelValue] = [:]

    /// Creates a mapping without properties.
    public init(name: String, kind: Kind = .undefined) {
        self.name = name
        self.kind = kind
    }
}

/// The mapping of one property of the new entity.
public struct PropertyMapping: Sendable, Hashable {
    /// The property of the new entity.
    public var name: String
    /// The expression for the value; `nil` keeps the default.
    public var valueExpression: ArchivedExpression?
    /// The developer's user-info dictionary.
    public var userInfo: [String: ModelValue] = [:]

    /// Creates a property mapping.
    public init(name: String, valueExpression: ArchivedExpression? = nil) {
        self.name = name
        self.valueExpression = valueExpression
    }
}

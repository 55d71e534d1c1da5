import Foundation

/// The kind of an entity mapping. Raw values are Apple's.
public enum NSEntityMappingType: UInt, Sendable {
    /// The kind is not set; the mapping is performed as a transformation.
    case undefinedEntityMappingType = 0
    /// A custom policy class performs the mapping.
    case customEntityMappingType = 1
    /// The entity is new: no objects are migrated.
    case addEntityMappingType = 2
    /// The entity was removed; its objects are not migrated.
    case removeEntityMappingType = 3
    /// The entity is the same in both models.
    case copyEntityMappingType = 4
    /// The entity has changed.
    case transformEntityMappingType = 5
}

/// The mapping of an entity's objects from the source to the destination.
open class NSEntityMapping: NSObject, NSCopying, @unchecked Sendable {
    /// The mapping's name, unique in its mapping model, by which relationships refer to it.
    open var name: String!

    /// The kind of the mapping; `undefinedEntityMappingType` unless set.
    open var mappingType = NSEntityMappingType.undefinedEntityMappingType

    /// The source entity; nil for a mapping that adds an entity.
    open var sourceEntityName: String?

    /// The version hash of the source entity, which must match the source model's.
    open var sourceEntityVersionHash: Data?

    /// The destination entity; nil for a mapping that removes an entity.
    open var destinationEntityName: String?

    /// The version hash of the destination entity, which must match the destination model's.
    open var destinationEntityVersionHash: Data?

    /// The mappings of the destination's attributes. Attributes without a mapping keep their default values.
    open var attributeMappings: [NSPropertyMapping]?

    /// The mappings of the destination's relationships.
    open var relationshipMappings: [NSPropertyMapping]?

    /// The expression for the source objects: a `FETCH` expression, or any other that evaluates to a collection.
    ///
    /// nil means all objects of the source entity, without those of its subentities.
    open var sourceExpression: NSExpression?

    /// The name of the `NSEntityMigrationPolicy` subclass that performs the mapping, as `Class` or `Module.Class`; nil for
    /// `NSEntityMigrationPolicy` itself.
    open var entityMigrationPolicyClassName: String?

    /// Arbitrary information for a policy.
    open var userInfo: [AnyHashable: Any]?

    /// Creates a mapping without entities and property mappings.
    public override init() {
        super.init()
    }

    // MARK: NSObject

    /// Returns a copy with copies of the property mappings.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSEntityMapping()
        copy.name = name
        copy.mappingType = mappingType
        copy.sourceEntityName = sourceEntityName
        copy.sourceEntityVersionHash = sourceEntityVersionHash
        copy.destinationEntityName = destinationEntityName
        copy.destinationEntityVersionHash = destinationEntityVersionHash
        copy.attributeMappings = attributeMappings?.compactMap { $0.copy() as? NSPropertyMapping }
        copy.relationshipMappings = relationshipMappings?.compactMap { $0.copy() as? NSPropertyMapping }
        copy.sourceExpression = sourceExpression
        copy.entityMigrationPolicyClassName = entityMigrationPolicyClassName
        copy.userInfo = userInfo
        return copy
    }

    /// Compares mappings by content; the order of property mappings does not matter.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        if self === other { return true }
        return Swift.type(of: self) == Swift.type(of: other) && name == other.name && mappingType == other.mappingType
            && sourceEntityName == other.sourceEntityName && destinationEntityName == other.destinationEntityName
            && sourceEntityVersionHash == other.sourceEntityVersionHash
            && destinationEntityVersionHash == other.destinationEntityVersionHash
            && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
            && sourceExpression == other.sourceExpression
            && Set(attributeMappings ?? []) == Set(other.attributeMappings ?? [])
            && Set(relationshipMappings ?? []) == Set(other.relationshipMappings ?? [])
            && MappingUserInfo.areEqual(userInfo, other.userInfo)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(mappingType)
        hasher.combine(sourceEntityName)
        hasher.combine(destinationEntityName)
        return hasher.finalize()
    }

    open override var description: String {
        "(<NSEntityMapping>) name \(name ?? "(null)"), type \(mappingType.rawValue), "
            + "sourceEntityName \(sourceEntityName ?? "(null)"), "
            + "destinationEntityName \(destinationEntityName ?? "(null)"), "
            + "policy \(entityMigrationPolicyClassName ?? "NSEntityMigrationPolicy")"
    }
}

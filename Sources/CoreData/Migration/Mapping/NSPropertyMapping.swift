import Foundation

/// The mapping that sets one property of the destination.
open class NSPropertyMapping: NSObject, NSCopying, @unchecked Sendable {
    /// The name of the property in the destination entity.
    open var name: String?

    /// The expression for the value; nil leaves the property unset. The variables `$manager`, `$source`, `$destination`,
    /// `$entityMapping`, `$propertyMapping` and `$entityPolicy` are set; `SELF` is the source object.
    open var valueExpression: NSExpression? { didSet { composite = nil } }

    /// The conversion of the expression's value, a dictionary, to that of a composite attribute, for inferred mappings.
    final var composite: CompositeMapping?

    /// Arbitrary information for a policy.
    open var userInfo: [AnyHashable: Any]?

    /// Creates a mapping without a name and a value.
    public override init() {
        super.init()
    }

    convenience init(name: String, valueExpression: NSExpression?) {
        self.init()
        self.name = name
        self.valueExpression = valueExpression
    }

    /// Returns a copy.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPropertyMapping()
        copy.name = name
        copy.valueExpression = valueExpression
        copy.composite = composite
        copy.userInfo = userInfo
        return copy
    }

    /// Compares mappings by content: name, value expression and user info.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        return self === other
            || type(of: self) == type(of: other) && name == other.name && valueExpression == other.valueExpression
                && composite == other.composite && MappingUserInfo.areEqual(userInfo, other.userInfo)
    }

    open override var hash: Int { name.hashValue }

    open override var description: String {
        "(<NSPropertyMapping>) for property \(name ?? "(null)"), "
            + "valueExpression \(valueExpression.map { $0.description } ?? "(null)")"
    }
}

/// Comparison of the user info of mappings: nil equals an empty dictionary.
enum MappingUserInfo {
    static func areEqual(_ one: [AnyHashable: Any]?, _ other: [AnyHashable: Any]?) -> Bool {
        AttributeValues.areEqual(one ?? [:], other ?? [:])
    }
}

// MARK: - Variables

/// The name of the variable for the migration manager.
public let NSMigrationManagerKey = "manager"
/// The name of the variable for the source object.
public let NSMigrationSourceObjectKey = "source"
/// The name of the variable for the destination object.
public let NSMigrationDestinationObjectKey = "destination"
/// The name of the variable for the entity mapping being performed.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The name of the variable for the property mapping being evaluated.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The name of the variable for the policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"

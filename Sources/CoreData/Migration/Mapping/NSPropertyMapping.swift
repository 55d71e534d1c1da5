import Foundation

/// What one property of the destination is set to.
open class NSPropertyMapping: NSObject, NSCopying, @unchecked Sendable {
    /// Name of the property in the destination entity.
    open var name: String?

    /// Yields the value. The variables `$manager`, `$source`, `$destination`, `$entityMapping`, `$propertyMapping` and
    /// `$entityPolicy` are set; `SELF` is the source object. nil leaves the property alone.
    open var valueExpression: NSExpression? { didSet { composite = nil } }

    /// How the expression's value, a dictionary, becomes that of a composite attribute, where the mapping was inferred.
    final var composite: CompositeMapping?

    /// Anything a policy wants to know.
    open var userInfo: [AnyHashable: Any]?

    /// A mapping without name and value.
    public override init() {
        super.init()
    }

    convenience init(name: String, valueExpression: NSExpression?) {
        self.init()
        self.name = name
        self.valueExpression = valueExpression
    }

    /// A copy.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPropertyMapping()
        copy.name = name
        copy.valueExpression = valueExpression
        copy.composite = composite
        copy.userInfo = userInfo
        return copy
    }

    /// Equal by content: name, value expression and user info.
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

/// User info of mappings: nil says the same as an empty dictionary.
enum MappingUserInfo {
    static func areEqual(_ one: [AnyHashable: Any]?, _ other: [AnyHashable: Any]?) -> Bool {
        AttributeValues.areEqual(one ?? [:], other ?? [:])
    }
}

// MARK: - Variables

/// Name of the variable that holds the migration manager.
public let NSMigrationManagerKey = "manager"
/// Name of the variable that holds the source object.
public let NSMigrationSourceObjectKey = "source"
/// Name of the variable that holds the destination object.
public let NSMigrationDestinationObjectKey = "destination"
/// Name of the variable that holds the entity mapping being carried out.
public let NSMigrationEntityMappingKey = "entityMapping"
/// Name of the variable that holds the property mapping being evaluated.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// Name of the variable that holds the policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"

/// A relationship, to-one or to-many.
public struct Relationship: Sendable, Hashable {
    /// The name of the relationship.
    public var name: String
    /// The name of the destination entity.
    public var destinationName: String
    /// The name of the inverse relationship, a property of the destination entity.
    public var inverseName: String?
    /// True if the relationship may be empty, whatever `minCount` is.
    public var isOptional = false
    /// True if the relationship is not stored.
    public var isTransient = false
    /// True if its objects are ordered.
    public var isOrdered = false
    /// The minimum count, as written. A to-one is required if `isOptional` is false; a to-many with 0 may be empty.
    public var minCount = 0
    /// The maximum count: 1 for a to-one; for a to-many the limit, or 0 for no limit.
    public var maxCount: Int
    /// The effect of deleting an object on its related objects.
    public var deleteRule = DeleteRule.nullify
    /// The legacy index flag. See ``Entity/effectiveFetchIndexes``.
    public var isIndexed = false
    /// True if the `@NSManaged` accessors have no setter.
    public var isReadOnly = false
    /// True if Spotlight indexes the relationship. Preserved in the file only.
    public var isIndexedBySpotlight = false
    /// True for Spotlight's external records. Preserved in the file only.
    public var isStoredInExternalRecord = false
    /// The predicates that the value must satisfy. For models made in code only.
    public var validation: [ValidationRule] = []
    /// The name of the relationship in the previous version, if it was renamed.
    public var renamingIdentifier: String?
    /// The modifier that changes the version hash; nil for none.
    public var versionHashModifier: String?
    /// The developer's user-info dictionary.
    public var userInfo: [String: ModelValue] = [:]
    /// Unknown XML attributes, preserved when writing.
    public var extraAttributes: [String: String] = [:]
    /// Unknown XML elements, preserved when writing.
    public var extraElements: [ExtraElement] = []

    /// Creates a relationship.
    public init(name: String, destinationName: String, inverseName: String? = nil, isToMany: Bool = false) {
        self.name = name
        self.destinationName = destinationName
        self.inverseName = inverseName
        maxCount = isToMany ? 0 : 1
    }

    /// True if the relationship may have several objects.
    public var isToMany: Bool { maxCount != 1 }

    /// True if an object without related objects cannot be saved. A to-many with a `minCount` of 0 may be empty, optional or
    /// not.
    public var isRequired: Bool { !isOptional && (!isToMany || minCount > 0) }
}

/// The effect of deleting an object on its related objects. Raw values are those of `NSDeleteRule`.
public enum DeleteRule: UInt, Sendable, Hashable, CaseIterable {
    /// Nothing: related objects keep a dangling reference.
    case noAction = 0
    /// The inverse is set to nil.
    case nullify = 1
    /// The related objects are deleted too.
    case cascade = 2
    /// The deletion fails while there are related objects.
    case deny = 3

    /// The spelling in XML models.
    public var xmlName: String {
        switch self {
        case .noAction: "No Action"
        case .nullify: "Nullify"
        case .cascade: "Cascade"
        case .deny: "Deny"
        }
    }

    /// Looks up a rule by its spelling in XML models; nil for an unknown one.
    public init?(xmlName: String) {
        guard let rule = Self.allCases.first(where: { $0.xmlName == xmlName }) else { return nil }
        self = rule
    }
}

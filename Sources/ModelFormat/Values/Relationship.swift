/// A relationship, to-one or to-many.
public struct Relationship: Sendable, Hashable {
    public var name: String
    /// The entity it leads to.
    public var destinationName: String
    /// The inverse relationship, a property of the destination entity.
    public var inverseName: String?
    /// Whether there may be fewer objects than `minCount`, none.
    public var isOptional = false
    /// Whether it is not stored.
    public var isTransient = false
    /// Whether its objects have an order.
    public var isOrdered = false
    /// As written. Whether a to-one is required is `isOptional` alone; a to-many of which this is 0 may be empty.
    public var minCount = 0
    /// 1 for a to-one; for a to-many the limit, or 0 for none.
    public var maxCount: Int
    /// What happens at the other end when an object is deleted.
    public var deleteRule = DeleteRule.nullify
    /// The legacy flag. See ``Entity/effectiveFetchIndexes``.
    public var isIndexed = false
    /// Whether `@NSManaged` accessors have no setter.
    public var isReadOnly = false
    /// Spotlight's. Part of the file only.
    public var isIndexedBySpotlight = false
    /// Spotlight's external records. Part of the file only.
    public var isStoredInExternalRecord = false
    /// Predicates the value must meet. Models made in code only.
    public var validation: [ValidationRule] = []
    /// The name this relationship had in the previous version, if it was renamed.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: ModelValue] = [:]
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]
    /// XML elements without meaning here, kept for writing.
    public var extraElements: [ExtraElement] = []

    /// A relationship made in code.
    public init(name: String, destinationName: String, inverseName: String? = nil, isToMany: Bool = false) {
        self.name = name
        self.destinationName = destinationName
        self.inverseName = inverseName
        maxCount = isToMany ? 0 : 1
    }

    /// Whether it may lead to several objects.
    public var isToMany: Bool { maxCount != 1 }

    /// Whether an object without related ones cannot be saved. A to-many whose `minCount` is 0 may be empty, optional or not.
    public var isRequired: Bool { !isOptional && (!isToMany || minCount > 0) }
}

/// What happens to the other side when an object goes. Raw values are those of `NSDeleteRule`.
public enum DeleteRule: UInt, Sendable, Hashable, CaseIterable {
    /// Nothing: the other end still refers to what is gone.
    case noAction = 0
    /// The other end forgets the object.
    case nullify = 1
    /// The other end's objects are deleted too.
    case cascade = 2
    /// The deletion is refused while there are objects.
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

    /// The rule of that name in XML; nil for an unknown one.
    public init?(xmlName: String) {
        guard let rule = Self.allCases.first(where: { $0.xmlName == xmlName }) else { return nil }
        self = rule
    }
}

/// A relationship, to-one or to-many.
public struct Relationship: Sendable, Hashable {
    public var name: String
    public var destinationName: String
    /// The inverse relationship, a property of the destination entity.
    public var inverseName: String?
    public var isOptional = false
    public var isTransient = false
    public var isOrdered = false
    /// As written. Whether a to-one is required is `isOptional` alone.
    public var minCount = 0
    /// 1 for a to-one; for a to-many the limit, or 0 for none.
    public var maxCount: Int
    public var deleteRule = DeleteRule.nullify
    /// The legacy flag. See ``Entity/effectiveFetchIndexes``.
    public var isIndexed = false
    public var isReadOnly = false
    public var isIndexedBySpotlight = false
    public var isStoredInExternalRecord = false
    /// Predicates the value must meet. Models made in code only.
    public var validation: [ValidationRule] = []
    /// The name this relationship had in the previous version, if it was renamed.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: ModelValue] = [:]
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]

    public init(name: String, destinationName: String, inverseName: String? = nil, isToMany: Bool = false) {
        self.name = name
        self.destinationName = destinationName
        self.inverseName = inverseName
        maxCount = isToMany ? 0 : 1
    }

    public var isToMany: Bool { maxCount != 1 }
}

/// What happens to the other side when an object goes. Raw values are those of `NSDeleteRule`.
public enum DeleteRule: UInt, Sendable, Hashable, CaseIterable {
    case noAction = 0
    case nullify = 1
    case cascade = 2
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

    public init?(xmlName: String) {
        guard let rule = Self.allCases.first(where: { $0.xmlName == xmlName }) else { return nil }
        self = rule
    }
}

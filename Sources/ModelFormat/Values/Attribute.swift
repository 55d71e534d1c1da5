/// An attribute, plain, derived or composite.
public struct Attribute: Sendable, Hashable {
    public var name: String
    public var type: AttributeType
    public var isOptional = false
    public var isTransient = false
    /// The default, already converted to the attribute's type.
    public var defaultValue: ModelValue?
    /// Limits and predicates a value must meet, in the order Core Data checks them.
    public var validation: [ValidationRule] = []
    /// The expression a derived attribute is computed by, as text (`canonical:(name)`, `items.@count`, `now()`).
    public var derivation: String?
    /// The predicate that limits what a derivation looks at. Models made in code only.
    public var derivationFilter: String?
    /// The name of the ``CompositeType`` an XML model gives a composite attribute.
    public var compositeName: String?
    /// The attributes inside a composite attribute, resolved: nested composites carry theirs in turn.
    public var elements: [Attribute] = []
    public var valueTransformerName: String?
    /// The value class of a transformable attribute, verbatim: `NSArray`, `[String]`, `UIColor`.
    public var valueClassName: String?
    public var allowsExternalBinaryDataStorage = false
    public var preservesValueInHistoryOnDeletion = false
    public var allowsCloudEncryption = false
    public var isIndexedBySpotlight = false
    public var isStoredInExternalRecord = false
    /// The legacy flag: a one-property index. See ``Entity/effectiveFetchIndexes``.
    public var isIndexed = false
    public var isReadOnly = false
    /// The name this attribute had in the previous version, if it was renamed.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: ModelValue] = [:]
    /// Whether generated code uses a Swift scalar. `nil` if the file does not say.
    public var usesScalarValueType: Bool?
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]

    public init(name: String, type: AttributeType, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }

    public var isDerived: Bool { derivation != nil }
}

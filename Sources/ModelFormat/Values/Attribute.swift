/// An attribute, plain, derived or composite.
public struct Attribute: Sendable, Hashable {
    public var name: String
    /// What its values are.
    public var type: AttributeType
    /// Whether nil is allowed in a save.
    public var isOptional = false
    /// Whether it is not stored.
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
    /// The transformer of a transformable attribute.
    public var valueTransformerName: String?
    /// The value class of a transformable attribute, verbatim: `NSArray`, `[String]`, `UIColor`.
    public var valueClassName: String?
    /// Whether large values may lie in files of their own.
    public var allowsExternalBinaryDataStorage = false
    /// Whether history keeps the value of deleted objects.
    public var preservesValueInHistoryOnDeletion = false
    /// CloudKit's encryption. Part of the file only.
    public var allowsCloudEncryption = false
    /// Spotlight's. Part of the file only.
    public var isIndexedBySpotlight = false
    /// Spotlight's external records. Part of the file only.
    public var isStoredInExternalRecord = false
    /// The legacy flag: a one-property index. See ``Entity/effectiveFetchIndexes``.
    public var isIndexed = false
    /// Whether `@NSManaged` accessors have no setter.
    public var isReadOnly = false
    /// The name this attribute had in the previous version, if it was renamed.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: ModelValue] = [:]
    /// Whether generated code uses a Swift scalar. `nil` if the file does not say.
    public var usesScalarValueType: Bool?
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]
    /// XML elements without meaning here, kept for writing.
    public var extraElements: [ExtraElement] = []

    /// An attribute made in code.
    public init(name: String, type: AttributeType, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }

    /// Whether its value is computed from others.
    public var isDerived: Bool { derivation != nil }
}

/// An attribute: plain, derived or composite.
public struct Attribute: Sendable, Hashable {
    /// The name of the attribute.
    public var name: String
    /// The type of the values.
    public var type: AttributeType
    /// True if nil is valid.
    public var isOptional = false
    /// True if the attribute is not stored.
    public var isTransient = false
    /// The default value, converted to the attribute's type.
    public var defaultValue: ModelValue?
    /// The limits and predicates that a value must satisfy, in the order in which Core Data checks them.
    public var validation: [ValidationRule] = []
    /// The expression of a derived attribute, as text (`canonical:(name)`, `items.@count`, `now()`).
    public var derivation: String?
    /// The predicate that filters the objects of a derivation. For models made in code only.
    public var derivationFilter: String?
    /// The name of the ``CompositeType`` of a composite attribute, in an XML model.
    public var compositeName: String?
    /// The elements of a composite attribute, with nested composites resolved.
    public var elements: [Attribute] = []
    /// The name of the value transformer of a transformable attribute.
    public var valueTransformerName: String?
    /// The value class of a transformable attribute, verbatim: `NSArray`, `[String]`, `UIColor`.
    public var valueClassName: String?
    /// True if large values may be stored in external files.
    public var allowsExternalBinaryDataStorage = false
    /// True if history preserves the value of deleted objects.
    public var preservesValueInHistoryOnDeletion = false
    /// True if CloudKit encrypts the value. Preserved in the file only.
    public var allowsCloudEncryption = false
    /// True if Spotlight indexes the attribute. Preserved in the file only.
    public var isIndexedBySpotlight = false
    /// True for Spotlight's external records. Preserved in the file only.
    public var isStoredInExternalRecord = false
    /// The legacy index flag: a one-property index. See ``Entity/effectiveFetchIndexes``.
    public var isIndexed = false
    /// True if the `@NSManaged` accessors have no setter.
    public var isReadOnly = false
    /// The name of the attribute in the previous version, if it was renamed.
    public var renamingIdentifier: String?
    /// The modifier that changes the version hash; nil for none.
    public var versionHashModifier: String?
    /// The developer's user-info dictionary.
    public var userInfo: [String: ModelValue] = [:]
    /// True if generated code uses a Swift scalar. `nil` if the file does not specify it.
    public var usesScalarValueType: Bool?
    /// Unknown XML attributes, preserved when writing.
    public var extraAttributes: [String: String] = [:]
    /// Unknown XML elements, preserved when writing.
    public var extraElements: [ExtraElement] = []

    /// Creates an attribute.
    public init(name: String, type: AttributeType, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }

    /// True if the value is computed from other properties.
    public var isDerived: Bool { derivation != nil }
}

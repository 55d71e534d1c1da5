/// An entity: its name, class, properties, indexes and uniqueness constraints.
public struct Entity: Sendable, Hashable {
    /// The name of the entity.
    public var name: String
    /// The class as spelled in the file: `Thing`, `Module.Thing`, `.Thing` (the module being compiled), or `nil` for
    /// `NSManagedObject` itself.
    public var className: String?
    /// The name of the parent entity.
    public var parentName: String?
    /// True if only subentities have instances.
    public var isAbstract = false
    /// The declared attributes, without inherited ones.
    public var attributes: [Attribute] = []
    /// The declared relationships, without inherited ones.
    public var relationships: [Relationship] = []
    /// The declared fetched properties, without inherited ones.
    public var fetchedProperties: [FetchedProperty] = []
    /// The declared fetch indexes. Old models use flags instead: see ``effectiveFetchIndexes``.
    public var fetchIndexes: [FetchIndex] = []
    /// The legacy compound indexes: arrays of property names.
    public var compoundIndexes: [[String]] = []
    /// One array of property names per uniqueness constraint, in the order of the file.
    public var uniquenessConstraints: [[String]] = []
    /// The name of the entity in the previous version, if it was renamed.
    public var renamingIdentifier: String?
    /// The modifier that changes the version hash; nil for none.
    public var versionHashModifier: String?
    /// The developer's user-info dictionary.
    public var userInfo: [String: ModelValue] = [:]
    /// The code that Xcode generates for the entity.
    public var codeGeneration = CodeGeneration.manual
    /// Spotlight's display name, as expression text.
    public var spotlightDisplayNameExpression: String?
    /// Unknown XML attributes, preserved when writing.
    public var extraAttributes: [String: String] = [:]
    /// Unknown XML elements, preserved when writing.
    public var extraElements: [ExtraElement] = []

    /// Creates an entity without properties.
    public init(name: String, className: String? = nil, parentName: String? = nil) {
        self.name = name
        self.className = className
        self.parentName = parentName
    }

    /// The declared fetch indexes, plus those for the legacy `indexed` flags and compound indexes: binary and ascending, named
    /// by the properties joined with `_`, as Core Data creates them when it loads an old model.
    public var effectiveFetchIndexes: [FetchIndex] {
        let hasOldIndexes =
            !compoundIndexes.isEmpty || attributes.contains { $0.isIndexed } || relationships.contains { $0.isIndexed }
        if !hasOldIndexes { return fetchIndexes }
        var indexes = fetchIndexes
        var names = Set(indexes.map(\.name))
        let flagged = attributes.filter(\.isIndexed).map(\.name) + relationships.filter(\.isIndexed).map(\.name)
        for properties in flagged.map({ [$0] }) + compoundIndexes where !properties.isEmpty {
            let name = properties.joined(separator: "_")
            guard names.insert(name).inserted else { continue }
            indexes.append(FetchIndex(name: name, elements: properties.map { FetchIndexElement(.named($0)) }))
        }
        return indexes
    }
}

/// The code that Xcode, or `modelc` of this package, generates for an entity.
public enum CodeGeneration: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the class is written by hand.
    case manual = ""
    /// The class and its properties.
    case classDefinition = "class"
    /// The properties in an extension; the class is written by hand.
    case categoryExtension = "category"

    /// Looks up a choice by its spelling in XML models. `none` and `manual` occur in models of other tools.
    init?(xmlName: String) {
        switch xmlName {
        case "none", "manual": self = .manual
        default: self.init(rawValue: xmlName)
        }
    }
}

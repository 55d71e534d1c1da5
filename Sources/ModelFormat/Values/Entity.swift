/// An entity: what a kind of object is called, which properties it has, and how they are indexed and kept unique.
public struct Entity: Sendable, Hashable {
    public var name: String
    /// The class as the file names it: `Thing`, `Module.Thing`, `.Thing` (the module being compiled), or `nil` for
    /// `NSManagedObject` itself.
    public var className: String?
    /// The parent entity's name.
    public var parentName: String?
    /// Whether only sub-entities have objects.
    public var isAbstract = false
    /// The attributes the entity itself declares; inherited ones are its ancestors'.
    public var attributes: [Attribute] = []
    /// The relationships the entity itself declares.
    public var relationships: [Relationship] = []
    /// The fetched properties the entity itself declares.
    public var fetchedProperties: [FetchedProperty] = []
    /// The fetch indexes as declared. Old models index with flags instead: see ``effectiveFetchIndexes``.
    public var fetchIndexes: [FetchIndex] = []
    /// The legacy compound indexes: arrays of property names.
    public var compoundIndexes: [[String]] = []
    /// One array of property names per uniqueness constraint, both in the order of the file.
    public var uniquenessConstraints: [[String]] = []
    /// The name this entity had in the previous version, if it was renamed.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: ModelValue] = [:]
    /// What Xcode generates for the entity.
    public var codeGeneration = CodeGeneration.manual
    /// Spotlight's display name, as expression text.
    public var spotlightDisplayNameExpression: String?
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]
    /// XML elements without meaning here, kept for writing.
    public var extraElements: [ExtraElement] = []

    /// An entity made in code, without properties.
    public init(name: String, className: String? = nil, parentName: String? = nil) {
        self.name = name
        self.className = className
        self.parentName = parentName
    }

    /// The declared fetch indexes, and those that stand for the legacy `indexed` flags and compound indexes: binary and
    /// ascending, named by the properties joined with `_`, as Core Data makes them when it loads an old model.
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

/// What Xcode, and `modelc` here, generates for an entity.
public enum CodeGeneration: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the class is written by hand.
    case manual = ""
    /// The class and its properties.
    case classDefinition = "class"
    /// The properties in an extension; the class is written by hand.
    case categoryExtension = "category"

    /// The choice an XML model spells that way. `none` and `manual` occur in models of other tools.
    init?(xmlName: String) {
        switch xmlName {
        case "none", "manual": self = .manual
        default: self.init(rawValue: xmlName)
        }
    }
}

/// Everything a Core Data model file says, as plain values.
///
/// A model holds entities by name and refers between them by name, so it can be copied, compared, sent between
/// threads, changed and written again. It knows no runtime: predicates and expressions are text in Apple's
/// predicate format.
///
/// ```swift
/// let model = try Model(contentsOf: URL(filePath: "AddressBook.xcdatamodeld"))
/// for entity in model.entities { print(entity.name, entity.attributes.map(\.name)) }
/// ```
public struct Model: Sendable, Hashable {
    /// The entities, in the order of the file. The order has no meaning.
    public var entities: [Entity] = []
    /// The named composite types that composite attributes of an XML model refer to. A compiled model has none: there
    /// each composite attribute carries its elements.
    public var composites: [CompositeType] = []
    /// The named configurations. The default one, which holds every entity, is never written down.
    public var configurations: [Configuration] = []
    /// The fetch request templates.
    public var fetchTemplates: [FetchTemplate] = []
    /// The version identifiers. Xcode writes exactly one, often the empty string.
    public var versionIdentifiers: [String] = []
    /// The language Xcode generates classes in: `Swift`, `Objective-C`, or `nil` in old files.
    public var sourceLanguage: String?
    /// Where Xcode's editor draws each entity.
    public var diagram: [DiagramElement] = []
    /// Attributes of the XML root that do not change the model (editor bookkeeping, unknown ones), kept for writing.
    public var extraAttributes: [String: String] = [:]
    /// XML elements without meaning here, kept for writing.
    public var extraElements: [ExtraElement] = []

    /// A model made in code.
    public init(entities: [Entity] = []) {
        self.entities = entities
    }

    /// The entity of that name. Costs a walk over all entities.
    public func entity(named name: String) -> Entity? {
        entities.first { $0.name == name }
    }
}

/// A named subset of a model's entities, which a store can be opened with.
public struct Configuration: Sendable, Hashable {
    public var name: String
    /// The members, exactly as written: a configuration does not pull in parent entities.
    public var entityNames: [String]

    /// A configuration made in code.
    public init(name: String, entityNames: [String]) {
        self.name = name
        self.entityNames = entityNames
    }
}

/// A named group of attributes, used as the type of composite attributes.
public struct CompositeType: Sendable, Hashable {
    public var name: String
    /// Its parts.
    public var attributes: [Attribute]
    public var extraAttributes: [String: String] = [:]

    /// A composite type made in code.
    public init(name: String, attributes: [Attribute]) {
        self.name = name
        self.attributes = attributes
    }
}

/// Where the editor draws an entity, in points.
public struct DiagramElement: Sendable, Hashable {
    public var name: String
    /// Distance from the left, in points.
    public var positionX: Double
    /// Distance from the top, in points.
    public var positionY: Double
    /// In points.
    public var width: Double
    /// In points.
    public var height: Double

    /// A box made in code.
    public init(name: String, positionX: Double, positionY: Double, width: Double, height: Double) {
        self.name = name
        self.positionX = positionX
        self.positionY = positionY
        self.width = width
        self.height = height
    }
}

/// A Core Data model file as plain values.
///
/// A model refers to entities by name, so it can be copied, compared, sent between threads, modified and written. It does not
/// depend on the runtime: predicates and expressions are text in Apple's predicate format.
///
/// ```swift
/// let model = try Model(contentsOf: URL(filePath: "AddressBook.xcdatamodeld"))
/// for entity in model.entities { print(entity.name, entity.attributes.map(\.name)) }
/// ```
public struct Model: Sendable, Hashable {
    /// The entities, in the order of the file. The order has no meaning.
    public var entities: [Entity] = []
    /// The named composite types that composite attributes of an XML model refer to. A compiled model has none: there each
    /// composite attribute contains its elements.
    public var composites: [CompositeType] = []
    /// The named configurations. The default one, which contains every entity, is not listed.
    public var configurations: [Configuration] = []
    /// The fetch request templates.
    public var fetchTemplates: [FetchTemplate] = []
    /// The version identifiers. Xcode writes exactly one, often the empty string.
    public var versionIdentifiers: [String] = []
    /// The language of the classes that Xcode generates: `Swift`, `Objective-C`, or `nil` in old files.
    public var sourceLanguage: String?
    /// The positions of the entities in Xcode's editor.
    public var diagram: [DiagramElement] = []
    /// Attributes of the XML root that do not affect the model (editor state, unknown ones), preserved when writing.
    public var extraAttributes: [String: String] = [:]
    /// Unknown XML elements, preserved when writing.
    public var extraElements: [ExtraElement] = []

    /// Creates a model.
    public init(entities: [Entity] = []) {
        self.entities = entities
    }

    /// Returns the first entity with a name. Costs a linear search.
    public func entity(named name: String) -> Entity? {
        entities.first { $0.name == name }
    }
}

/// A named subset of a model's entities that a store can be opened with.
public struct Configuration: Sendable, Hashable {
    /// The name of the configuration.
    public var name: String
    /// The members, exactly as written: a configuration does not include parent entities implicitly.
    public var entityNames: [String]

    /// Creates a configuration.
    public init(name: String, entityNames: [String]) {
        self.name = name
        self.entityNames = entityNames
    }
}

/// A named group of attributes, used as the type of composite attributes.
public struct CompositeType: Sendable, Hashable {
    /// The name of the type.
    public var name: String
    /// The elements.
    public var attributes: [Attribute]
    /// Unknown XML attributes, preserved when writing.
    public var extraAttributes: [String: String] = [:]

    /// Creates a composite type.
    public init(name: String, attributes: [Attribute]) {
        self.name = name
        self.attributes = attributes
    }
}

/// The position and size of an entity in the editor, in points.
public struct DiagramElement: Sendable, Hashable {
    /// The name of the entity.
    public var name: String
    /// The distance from the left, in points.
    public var positionX: Double
    /// The distance from the top, in points.
    public var positionY: Double
    /// The width in points.
    public var width: Double
    /// The height in points.
    public var height: Double

    /// Creates an element of the diagram.
    public init(name: String, positionX: Double, positionY: Double, width: Double, height: Double) {
        self.name = name
        self.positionX = positionX
        self.positionY = positionY
        self.width = width
        self.height = height
    }
}

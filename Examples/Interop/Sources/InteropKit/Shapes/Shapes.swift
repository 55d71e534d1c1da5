/// The type of an attribute, independent of Core Data.
public enum Kind: Sendable {
    case integer16, integer32, integer64, decimal, double, float, text, bool, date, data, uuid, uri
    /// Binary data that may be stored in an external file.
    case externalData
    /// Any value that the secure transformer archives.
    case transformable
    case composite([AttributeShape])
}

/// The source of a derived attribute.
public enum Derivation: Sendable {
    case count(of: String)
    case sum(of: String, over: String)
    case value(of: String, through: String)
    case lowercase(of: String)
    case uppercase(of: String)
    case canonical(of: String)

    /// The derivation expression in the format of a model.
    var format: String {
        switch self {
        case .count(let link): "\(link).@count"
        case .sum(let attribute, let link): "\(link).@sum.\(attribute)"
        case .value(let attribute, let link): "\(link).\(attribute)"
        case .lowercase(let attribute): "lowercase:(\(attribute))"
        case .uppercase(let attribute): "uppercase:(\(attribute))"
        case .canonical(let attribute): "canonical:(\(attribute))"
        }
    }
}

/// An attribute of an entity.
public struct AttributeShape: Sendable {
    var name: String
    var kind: Kind
    var isOptional = true
    var defaultValue = Value.none
    var derivation: Derivation?
    /// True if the tombstone of a deleted object preserves the value.
    var outlivesObject = false
    /// The name in the version before, where it was another.
    var formerName: String?

    init(_ name: String, _ kind: Kind, defaultValue: Value = .none, derivation: Derivation? = nil) {
        self.name = name
        self.kind = kind
        self.defaultValue = defaultValue
        self.derivation = derivation
    }

    static let key = AttributeShape("key", .text)
}

/// A relationship of an entity. Every relationship has an inverse.
public struct LinkShape: Sendable {
    var name: String
    var destination: String
    var inverse: String
    var isToMany = false
    var isOrdered = false
    /// True if the delete rule is Cascade; otherwise it is Nullify.
    var cascades = false
    /// The name in the version before, where it was another.
    var formerName: String?

    static func one(_ name: String, _ destination: String, inverse: String) -> Self {
        .init(name: name, destination: destination, inverse: inverse)
    }

    static func many(_ name: String, _ destination: String, inverse: String, cascades: Bool = false) -> Self {
        .init(name: name, destination: destination, inverse: inverse, isToMany: true, cascades: cascades)
    }

    static func ordered(_ name: String, _ destination: String, inverse: String) -> Self {
        .init(name: name, destination: destination, inverse: inverse, isToMany: true, isOrdered: true)
    }
}

/// An entity of a model.
public struct EntityShape: Sendable {
    var name: String
    var parent: String?
    var isAbstract = false
    var attributes: [AttributeShape]
    var links: [LinkShape] = []
    var constraints: [[String]] = []
    /// The name in the version before, where it was another.
    var formerName: String?

    init(
        _ name: String, parent: String? = nil, isAbstract: Bool = false, _ attributes: [AttributeShape],
        links: [LinkShape] = [], constraints: [[String]] = []
    ) {
        self.name = name
        self.parent = parent
        self.isAbstract = isAbstract
        // The key identifies an object in the lists of an exchange.
        self.attributes = (parent == nil ? [.key] : []) + attributes
        self.links = links
        self.constraints = constraints
    }
}

/// An index of an entity's table.
public struct FetchIndex: Sendable, Hashable {
    public var name: String
    /// What it is over, in order.
    public var elements: [FetchIndexElement]
    /// The predicate of a partial index, as text.
    public var partialIndexPredicate: String?
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]

    /// An index made in code.
    public init(name: String, elements: [FetchIndexElement]) {
        self.name = name
        self.elements = elements
    }
}

/// One column of an index.
public struct FetchIndexElement: Sendable, Hashable {
    /// What is indexed: a property (inherited ones and relationships included), or an expression.
    public enum Subject: Sendable, Hashable {
        /// A property, by name.
        case property(String)
        /// An expression as text, with the type of its result.
        case expression(String, resultType: AttributeType)

        /// What a name stands for. The object and its entity are no properties, but expressions.
        static func named(_ name: String) -> Subject {
            isObjectKey(name) ? .expression(name, resultType: .undefined) : .property(name)
        }

        /// Whether a name is a key every object has without its being a property.
        static func isObjectKey(_ name: String) -> Bool { ["self", "SELF", "entity"].contains(name) }
    }

    /// Raw values are those of `NSFetchIndexElementType`.
    public enum Kind: UInt, Sendable, Hashable {
        /// An ordinary index.
        case binary = 0
        /// A spatial one.
        case rTree = 1
    }

    /// What is indexed.
    public var subject: Subject
    /// How.
    public var kind: Kind
    /// Whether small values come first.
    public var isAscending: Bool

    /// An element made in code.
    public init(_ subject: Subject, kind: Kind = .binary, isAscending: Bool = true) {
        self.subject = subject
        self.kind = kind
        self.isAscending = isAscending
    }

    /// An element over a property.
    public init(property: String, kind: Kind = .binary, isAscending: Bool = true) {
        self.init(.property(property), kind: kind, isAscending: isAscending)
    }
}

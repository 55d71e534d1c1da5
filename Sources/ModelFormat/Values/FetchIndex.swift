/// An index of an entity's table.
public struct FetchIndex: Sendable, Hashable {
    /// The name of the index.
    public var name: String
    /// The indexed properties and expressions, in order.
    public var elements: [FetchIndexElement]
    /// The predicate of a partial index, as text.
    public var partialIndexPredicate: String?
    /// Unknown XML attributes, preserved when writing.
    public var extraAttributes: [String: String] = [:]

    /// Creates an index.
    public init(name: String, elements: [FetchIndexElement]) {
        self.name = name
        self.elements = elements
    }
}

/// One column of an index.
public struct FetchIndexElement: Sendable, Hashable {
    /// The subject of the index: a property (including inherited ones and relationships), or an expression.
    public enum Subject: Sendable, Hashable {
        /// A property, by name.
        case property(String)
        /// An expression as text, with the type of its result.
        case expression(String, resultType: AttributeType)

        /// Returns the subject for a name. The object and its entity are expressions, not properties.
        static func named(_ name: String) -> Subject {
            isObjectKey(name) ? .expression(name, resultType: .undefined) : .property(name)
        }

        /// Returns whether a name is a key of every object that is not a property.
        static func isObjectKey(_ name: String) -> Bool { ["self", "SELF", "entity"].contains(name) }
    }

    /// The kind of an index. Raw values are those of `NSFetchIndexElementType`.
    public enum Kind: UInt, Sendable, Hashable {
        /// An ordinary index.
        case binary = 0
        /// A spatial index.
        case rTree = 1
    }

    /// The indexed property or expression.
    public var subject: Subject
    /// The kind of the index.
    public var kind: Kind
    /// True if smaller values come first.
    public var isAscending: Bool

    /// Creates an element.
    public init(_ subject: Subject, kind: Kind = .binary, isAscending: Bool = true) {
        self.subject = subject
        self.kind = kind
        self.isAscending = isAscending
    }

    /// Creates an element for a property.
    public init(property: String, kind: Kind = .binary, isAscending: Bool = true) {
        self.init(.property(property), kind: kind, isAscending: isAscending)
    }
}

/// An index of an entity's table.
public struct FetchIndex: Sendable, Hashable {
    public var name: String
    public var elements: [FetchIndexElement]
    /// The predicate of a partial index, as text.
    public var partialIndexPredicate: String?
    /// XML attributes without meaning for the model, kept for writing.
    public var extraAttributes: [String: String] = [:]

    public init(name: String, elements: [FetchIndexElement]) {
        self.name = name
        self.elements = elements
    }
}

/// One column of an index.
public struct FetchIndexElement: Sendable, Hashable {
    /// What is indexed: a property (inherited ones and relationships included), or an expression.
    public enum Subject: Sendable, Hashable {
        case property(String)
        /// An expression as text, with the type of its result.
        case expression(String, resultType: AttributeType)
    }

    /// Raw values are those of `NSFetchIndexElementType`.
    public enum Kind: UInt, Sendable, Hashable {
        case binary = 0
        case rTree = 1
    }

    public var subject: Subject
    public var kind: Kind
    public var isAscending: Bool

    public init(_ subject: Subject, kind: Kind = .binary, isAscending: Bool = true) {
        self.subject = subject
        self.kind = kind
        self.isAscending = isAscending
    }

    public init(property: String, kind: Kind = .binary, isAscending: Bool = true) {
        self.init(.property(property), kind: kind, isAscending: isAscending)
    }
}

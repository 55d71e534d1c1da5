/// An ambiguous difference between two models, for which no mapping can be inferred.
package struct InferenceRefusal: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Several entities or properties correspond to one of the source.
        case ambiguity
        /// Entities of several tables would share one table.
        case hierarchy
        /// An attribute became a relationship, or the reverse.
        case kind
        /// A type that does not convert to the other.
        case type
        case toManyToOne
    }

    package var kind: Kind
    /// The destination entity; nil if several are affected.
    package var entity: String?
    /// The property of the destination, with the path of elements of a composite attribute.
    package var property: String?
    /// The description of the problem, as one clause that names entity and property.
    package var reason: String

    package init(_ kind: Kind, entity: String? = nil, property: String? = nil, reason: String) {
        self.kind = kind
        self.entity = entity
        self.property = property
        self.reason = reason
    }

    /// The advice for developers.
    package var advice: String {
        switch kind {
        case .ambiguity: "give each its own renaming identifier"
        case .hierarchy: "rows of one table cannot come from several; write a mapping model"
        case .kind: "add a property of another name and carry the values over with a mapping model or a custom stage"
        case .type: "add an attribute of another name and convert, or write a mapping model"
        case .toManyToOne: "write a mapping model that chooses the object to keep"
        }
    }
}

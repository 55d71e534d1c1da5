/// Data that some stores contain and an inferred migration cannot preserve. Migrating such a store fails with error 134110
/// before anything is written.
package struct MigrationHazard: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A required attribute without a default value, for objects that have no value for it.
        case missingValue
        /// A required to-one relationship, for objects without a related object.
        case missingObject
        /// A relationship to objects that no longer belong to its destination entity.
        case destination
        /// A single place that several objects may claim.
        case place
    }

    package var kind: Kind
    /// The destination entity that declares the property.
    package var entity: String
    /// The property, with the path of elements of a composite attribute.
    package var property: String
    /// The description of the problem, as a clause that follows entity and property.
    package var words: String

    package init(_ kind: Kind, entity: String, property: String, words: String) {
        self.kind = kind
        self.entity = entity
        self.property = property
        self.words = words
    }

    /// The description of the problem, as one clause that names entity and property.
    package var reason: String { "\(entity).\(property) \(words)" }

    /// The affected objects, as text that follows "where a store holds".
    package var objects: String {
        switch kind {
        case .missingValue: "objects without a value"
        case .missingObject: "objects that would lead nowhere"
        case .destination: "references to such objects"
        case .place: "several objects for one place"
        }
    }

    /// The advice for developers.
    package var advice: String {
        switch kind {
        case .missingValue: "give it a default value, make it optional, or write a mapping model that sets it"
        case .missingObject: "make it optional, or write a mapping model that sets it"
        case .destination: "add a relationship of another name, or write a mapping model that says what becomes of them"
        case .place: "write a mapping model that chooses the object to keep"
        }
    }
}

extension Sequence<MigrationHazard> {
    /// The hazards, with those of links first: an object without a related object may have lost its link.
    package var linksFirst: [MigrationHazard] {
        func isLink(_ hazard: MigrationHazard) -> Bool { hazard.kind == .destination || hazard.kind == .place }
        return filter(isLink) + filter { !isLink($0) }
    }
}

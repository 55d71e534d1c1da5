/// What some stores hold and an inferred migration cannot carry over: in front of such a store it fails with error 134110,
/// before anything is written.
package struct MigrationHazard: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A required attribute without a default value, of objects that have no value for it.
        case missingValue
        /// A required to-one relationship of objects that lead nowhere.
        case missingObject
        /// A relationship to objects that are not of its destination entity any more.
        case destination
        /// A place for one object which several may claim.
        case place
    }

    package var kind: Kind
    /// The destination entity that declares the property.
    package var entity: String
    /// The property, with the path of elements of a composite attribute.
    package var property: String
    /// What cannot stand, as a clause that follows entity and property.
    package var words: String

    package init(_ kind: Kind, entity: String, property: String, words: String) {
        self.kind = kind
        self.entity = entity
        self.property = property
        self.words = words
    }

    /// What is wrong, in one clause that names entity and property.
    package var reason: String { "\(entity).\(property) \(words)" }

    /// Which objects are concerned, in words that follow "where a store holds".
    package var objects: String {
        switch kind {
        case .missingValue: "objects without a value"
        case .missingObject: "objects that would lead nowhere"
        case .destination: "references to such objects"
        case .place: "several objects for one place"
        }
    }

    /// What a developer can do about it.
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
    /// The hazards, those of links first: an object that leads nowhere may be one that lost its link.
    package var linksFirst: [MigrationHazard] {
        func isLink(_ hazard: MigrationHazard) -> Bool { hazard.kind == .destination || hazard.kind == .place }
        return filter(isLink) + filter { !isLink($0) }
    }
}

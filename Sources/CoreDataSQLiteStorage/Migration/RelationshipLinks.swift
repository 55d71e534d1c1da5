import CoreDataRowStorage

/// The places where the source stores the links of a relationship of the destination.
struct RelationshipLinks {
    /// The places of the relationship's own links.
    let own: [LinkSource]
    /// The places of its inverse's links, if the two were not inverses of each other: both are kept.
    let foreign: [LinkSource]

    init(_ name: SQLSchema.RelationshipName, inverse: SQLSchema.RelationshipName?, _ session: InPlaceSession) {
        let own = LinkSource.sources(of: name, session)
        self.own = own
        let others = inverse.map { LinkSource.sources(of: $0, session) } ?? []
        foreign = others.filter { other in !own.contains { $0.isInverse(of: other, session) } }
    }

    init(_ relationship: EntityLayout.Relationship, of layout: EntityLayout, _ session: InPlaceSession) {
        let destination = session.new.byNumber[relationship.destinationNumber]
        let inverse = relationship.inverse.flatMap { inverse in
            destination.map {
                SQLSchema.RelationshipName(entity: $0.declaring(inverse.name).number, name: inverse.name)
            }
        }
        self.init(.init(entity: layout.number, name: relationship.name), inverse: inverse, session)
    }

    /// Selects the valid pairs, without duplicates, as ``LinkSource/pairs(to:_:)`` does; returns nil if there are none.
    func pairs(_ session: InPlaceSession) -> String? {
        let parts =
            own.compactMap { $0.pairs(to: $0.targets, session) } + foreign.compactMap { $0.reversedPairs(session) }
        guard !parts.isEmpty else { return nil }
        return parts.map { "SELECT s, t, se, te FROM (\($0))" }.joined(separator: " UNION ")
    }
}

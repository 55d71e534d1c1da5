/// One entity of a model, as its layout is made of it.
package struct EntitySpec {
    package let name: String
    package let isAbstract: Bool
    /// The place of the entity it inherits from among the specifications; nil for the top of a hierarchy.
    package let parent: Int?
    /// The graph's entity, which must live as long as the layout.
    package let traits: any EntityTraits
    /// What the entity adds to those it inherits from, in the order of rows.
    package var properties: [PropertySpec] = []

    package init(name: String, isAbstract: Bool, parent: Int?, traits: any EntityTraits) {
        self.name = name
        self.isAbstract = isAbstract
        self.parent = parent
        self.traits = traits
    }
}

/// One property of an entity.
package struct PropertySpec {
    package enum Form {
        case attribute(ElementSpec)
        case relationship(RelationshipSpec)
        case composite([ElementSpec])
        case fetched
    }

    package let name: String
    /// The property, as the graph knows it.
    package let source: AnyObject
    package let form: Form

    package init(_ name: String, _ source: AnyObject, _ form: Form) {
        self.name = name
        self.source = source
        self.form = form
    }
}

/// An attribute, or an element of a composite one.
package struct ElementSpec {
    /// The names of the elements that lead there; empty for an attribute of its own.
    package var path: [String] = []
    package var kind: CellKind
    package var traits: EntityLayout.Traits
    package var source: AnyObject
    /// For a transformable one.
    package var coder: (any ValueCoding)?

    package init(
        path: [String] = [], kind: CellKind, traits: EntityLayout.Traits, source: AnyObject,
        coder: (any ValueCoding)? = nil
    ) {
        self.path = path
        self.kind = kind
        self.traits = traits
        self.source = source
        self.coder = coder
    }
}

/// A relationship, as its entity has it.
package struct RelationshipSpec {
    package var isToMany: Bool
    package var isOrdered: Bool
    package var traits: EntityLayout.Traits
    package var deleteRule: EntityLayout.DeleteRule
    /// The number of the entity at the other end; 0 where that is none of those laid out.
    package var destinationNumber: Int
    package var inverse: EntityLayout.Inverse?

    package init(
        isToMany: Bool, isOrdered: Bool, traits: EntityLayout.Traits, deleteRule: EntityLayout.DeleteRule,
        destinationNumber: Int, inverse: EntityLayout.Inverse? = nil
    ) {
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.traits = traits
        self.deleteRule = deleteRule
        self.destinationNumber = destinationNumber
        self.inverse = inverse
    }
}

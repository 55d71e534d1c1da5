/// The description of an entity from which its layout is built.
package struct EntitySpec {
    package let name: String
    package let isAbstract: Bool
    /// The index of its superentity among the specifications; nil for a root entity.
    package let parent: Int?
    /// The graph's entity, which must outlive the layout.
    package let traits: any EntityTraits
    /// The properties that the entity adds to those it inherits, in the order of slots.
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
    /// The graph's property.
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
    /// The names of the elements on the path; empty for an attribute that is not part of a composite.
    package var path: [String] = []
    package var kind: CellKind
    package var traits: EntityLayout.Traits
    package var source: AnyObject
    /// The coder of a transformable attribute.
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

/// A relationship as its entity declares it.
package struct RelationshipSpec {
    package var isToMany: Bool
    package var isOrdered: Bool
    package var traits: EntityLayout.Traits
    package var deleteRule: EntityLayout.DeleteRule
    /// The number of the destination entity; 0 if it is not part of the model.
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

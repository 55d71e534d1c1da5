import CoreDataRowStorage

/// The descriptions from which layouts were built; the layout stores them without their types.
extension EntityLayout {
    @inline(__always)
    package var entity: NSEntityDescription { unsafeDowncast(traits, to: NSEntityDescription.self) }
}

extension EntityLayout.Cell {
    /// The attribute, or the element of a composite attribute; nil for to-one relationships.
    package var attribute: NSAttributeDescription? {
        traits.contains(.attribute) ? unsafeDowncast(source, to: NSAttributeDescription.self) : nil
    }

    package var relationship: NSRelationshipDescription? {
        kind == .reference ? unsafeDowncast(source, to: NSRelationshipDescription.self) : nil
    }

    /// The composite attribute that contains the slot's element.
    package var composite: NSCompositeAttributeDescription? {
        compositeSource.map { unsafeDowncast($0, to: NSCompositeAttributeDescription.self) }
    }
}

extension EntityLayout.Relationship {
    @inline(__always)
    package var description: NSRelationshipDescription {
        unsafeDowncast(source, to: NSRelationshipDescription.self)
    }
}

extension EntityLayout.Member {
    package var fetchedProperty: NSFetchedPropertyDescription? {
        guard case .fetched(let source) = self else { return nil }
        return unsafeDowncast(source, to: NSFetchedPropertyDescription.self)
    }

    package var composite: NSCompositeAttributeDescription? {
        guard case .composite(let source, _) = self else { return nil }
        return unsafeDowncast(source, to: NSCompositeAttributeDescription.self)
    }
}

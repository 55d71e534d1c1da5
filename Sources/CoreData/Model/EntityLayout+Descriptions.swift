import CoreDataRowStorage

/// The descriptions that layouts were made of, which a layout itself knows as objects of no particular class.
extension EntityLayout {
    @inline(__always)
    package var entity: NSEntityDescription { unsafeDowncast(traits, to: NSEntityDescription.self) }
}

extension EntityLayout.Cell {
    /// The attribute, or the element of a composite one; nil for to-one relationships.
    package var attribute: NSAttributeDescription? {
        traits.contains(.attribute) ? unsafeDowncast(source, to: NSAttributeDescription.self) : nil
    }

    package var relationship: NSRelationshipDescription? {
        kind == .reference ? unsafeDowncast(source, to: NSRelationshipDescription.self) : nil
    }

    /// The composite attribute that the cell is an element of.
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

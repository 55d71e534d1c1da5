import CoreDataRowStorage

extension NSManagedObject: BrieflyPrinted {
    /// The entity and the ID, without values.
    package final var briefDescription: String { "<\(layout.name) \(uriText)>" }

    final var uriText: String { identifier.uriRepresentation().absoluteString }
}

extension NSManagedObjectID: BrieflyPrinted {
    package final var briefDescription: String { "<\(entity.name ?? "") \(uriRepresentation().absoluteString)>" }
}

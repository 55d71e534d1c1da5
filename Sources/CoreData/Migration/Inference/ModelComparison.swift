import CoreDataRowStorage
import Foundation
import ModelFormat

/// Which entities and properties of two versions of a model correspond to each other, as descriptions.
///
/// The rules are those of ``ModelCorrespondence``, which works on plain values.
final class ModelComparison {
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    private let correspondence: ModelCorrespondence

    /// Freezes both models.
    init(source: NSManagedObjectModel, destination: NSManagedObjectModel) {
        source.freeze()
        destination.freeze()
        self.source = source
        self.destination = destination
        correspondence = ModelCorrespondence(
            source: ModelValues.compared(source), destination: ModelValues.compared(destination))
    }

    // MARK: Asking

    func sourceEntity(of entity: NSEntityDescription) -> NSEntityDescription? {
        entity.name.flatMap { correspondence.sourceNames[$0] }.flatMap { source.entitiesByName[$0] }
    }

    func destinationEntity(of entity: NSEntityDescription) -> NSEntityDescription? {
        entity.name.flatMap { correspondence.destinationNames[$0] }.flatMap { destination.entitiesByName[$0] }
    }

    /// The property of the source entity that a property of a destination entity, own or inherited, is made from.
    func sourceProperty(of property: String, in entity: NSEntityDescription) -> NSPropertyDescription? {
        guard let name = entity.name, let sourceName = correspondence.propertyNames(of: name)[property] else {
            return nil
        }
        return sourceEntity(of: entity)?.propertiesByName[sourceName]
    }

    /// The stored attribute whose values a destination attribute takes over.
    func sourceAttribute(of attribute: NSAttributeDescription, in entity: NSEntityDescription)
        -> NSAttributeDescription?
    {
        guard let found = sourceProperty(of: attribute.name, in: entity) as? NSAttributeDescription,
            !found.isTransient, !attribute.isTransient
        else { return nil }
        return found
    }

    /// The stored relationship whose objects a destination relationship takes over.
    ///
    /// A relationship to another hierarchy than the objects it led to belong to now is a new one.
    func sourceRelationship(of relationship: NSRelationshipDescription, in entity: NSEntityDescription)
        -> NSRelationshipDescription?
    {
        guard let found = formerRelationship(of: relationship, in: entity), let old = found.destinationEntity,
            let root = relationship.destinationEntity?.rootEntity
        else { return nil }
        let survives = old.rootEntity.selfAndDescendants.contains { destinationEntity(of: $0)?.rootEntity === root }
        return survives ? found : nil
    }

    /// The stored relationship that a destination relationship was, wherever it led.
    func formerRelationship(of relationship: NSRelationshipDescription, in entity: NSEntityDescription)
        -> NSRelationshipDescription?
    {
        guard let found = sourceProperty(of: relationship.name, in: entity) as? NSRelationshipDescription,
            !found.isTransient, !relationship.isTransient
        else { return nil }
        return found
    }

    /// The destination entities that have a property as an entity declares it, with the entities their objects were of.
    func heirs(of property: String, declaredIn entity: NSEntityDescription)
        -> [(new: NSEntityDescription, old: NSEntityDescription)]
    {
        correspondence.heirs(of: property, declaredIn: entity.name ?? "").compactMap { name in
            guard let new = destination.entitiesByName[name], let old = sourceEntity(of: new) else { return nil }
            return (new, old)
        }
    }

    /// Why no mapping can be inferred; empty when one can.
    private(set) lazy var refusals: [InferenceRefusal] = correspondence.refusals()

    /// What stores may hold that the inferred mapping cannot carry over; links first.
    private(set) lazy var hazards: [MigrationHazard] = correspondence.hazards().linksFirst

    /// What the inferred mapping drops, by name.
    private(set) lazy var losses: [String] = correspondence.losses()

    /// The direction of the migration, as far as the models tell it: one that only adds and changes leads forward.
    var direction: MigrationDirection {
        guard !losses.isEmpty else { return .forward }
        let reverse = ModelCorrespondence(
            source: correspondence.destination.model, destination: correspondence.source.model)
        return reverse.losses().isEmpty ? .unknown : .forward
    }

    /// The same by layouts, for stores that migrate themselves.
    private(set) lazy var layouts = LayoutCorrespondence(
        correspondence, source: source.layouts, destination: destination.layouts)

    /// - Throws: 134190 with all reasons.
    func checkInferable() throws {
        guard !refusals.isEmpty else { return }
        throw CoreDataError.make(
            NSInferredMappingModelError,
            description: "Persistent store migration failed, unable to infer a mapping model.",
            reason: "Can't infer mapping model for migration: " + refusals.map(\.reason).listed(by: "; ") + ".",
            advice:
                "Add a mapping model, migrate in several steps, or change the model: give new required attributes a "
                + "default value, and renamed entities and properties the old name as their renaming identifier.",
            userInfo: ["sourceModel": source, "destinationModel": destination, "reasons": refusals.map(\.reason)])
    }
}

extension NSAttributeDescription {
    /// The type as model files have it.
    var plainType: ModelFormat.AttributeType {
        ModelFormat.AttributeType(rawValue: UInt32(attributeType.rawValue)) ?? .undefined
    }
}

extension NSPropertyDescription {
    /// The property as correspondences see it.
    var matched: Matching.Item { Matching.Item(name: name, identifier: storedRenamingIdentifier) }
}

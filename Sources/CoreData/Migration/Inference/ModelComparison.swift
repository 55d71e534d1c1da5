import CoreDataRowStorage
import Foundation
import ModelFormat

/// The correspondence between entities and properties of two versions of a model, as descriptions.
///
/// The rules are those of ``ModelCorrespondence``, which works on plain values.
final class ModelComparison {
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    private let correspondence: ModelCorrespondence

    /// Creates a comparison and freezes both models.
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

    /// Returns the source entity's property that corresponds to a property, own or inherited, of a destination entity.
    func sourceProperty(of property: String, in entity: NSEntityDescription) -> NSPropertyDescription? {
        guard let name = entity.name, let sourceName = correspondence.propertyNames(of: name)[property] else {
            return nil
        }
        return sourceEntity(of: entity)?.propertiesByName[sourceName]
    }

    /// Returns the stored source attribute that provides the values of a destination attribute.
    func sourceAttribute(of attribute: NSAttributeDescription, in entity: NSEntityDescription)
        -> NSAttributeDescription?
    {
        guard let found = sourceProperty(of: attribute.name, in: entity) as? NSAttributeDescription,
            !found.isTransient, !attribute.isTransient
        else { return nil }
        return found
    }

    /// Returns the stored source relationship that provides the objects of a destination relationship.
    ///
    /// Returns nil, which makes the relationship a new one, if its destination is no longer in the entity hierarchy to which
    /// the source relationship's objects belong after the migration.
    func sourceRelationship(of relationship: NSRelationshipDescription, in entity: NSEntityDescription)
        -> NSRelationshipDescription?
    {
        guard let found = formerRelationship(of: relationship, in: entity), let old = found.destinationEntity,
            let root = relationship.destinationEntity?.rootEntity
        else { return nil }
        let survives = old.rootEntity.selfAndDescendants.contains { destinationEntity(of: $0)?.rootEntity === root }
        return survives ? found : nil
    }

    /// Returns the stored source relationship that corresponds to a destination relationship, regardless of its destination
    /// entity.
    func formerRelationship(of relationship: NSRelationshipDescription, in entity: NSEntityDescription)
        -> NSRelationshipDescription?
    {
        guard let found = sourceProperty(of: relationship.name, in: entity) as? NSRelationshipDescription,
            !found.isTransient, !relationship.isTransient
        else { return nil }
        return found
    }

    /// Returns the destination entities that have a property as declared by an entity, each with its source entity.
    func heirs(of property: String, declaredIn entity: NSEntityDescription)
        -> [(new: NSEntityDescription, old: NSEntityDescription)]
    {
        correspondence.heirs(of: property, declaredIn: entity.name ?? "").compactMap { name in
            guard let new = destination.entitiesByName[name], let old = sourceEntity(of: new) else { return nil }
            return (new, old)
        }
    }

    /// The reasons for which no mapping can be inferred; empty if one can.
    private(set) lazy var refusals: [InferenceRefusal] = correspondence.refusals()

    /// The kinds of data that the inferred mapping cannot migrate if a store contains them; links first.
    private(set) lazy var hazards: [MigrationHazard] = correspondence.hazards().linksFirst

    /// The names of entities and properties that the inferred mapping drops.
    private(set) lazy var losses: [String] = correspondence.losses()

    /// The direction of the migration as far as the models show it: a migration that only adds and changes leads to a newer
    /// version.
    var direction: MigrationDirection {
        guard !losses.isEmpty else { return .forward }
        let reverse = ModelCorrespondence(
            source: correspondence.destination.model, destination: correspondence.source.model)
        return reverse.losses().isEmpty ? .unknown : .forward
    }

    /// The same correspondence between layouts, for stores that migrate themselves.
    private(set) lazy var layouts = LayoutCorrespondence(
        correspondence, source: source.layouts, destination: destination.layouts)

    /// Checks that a mapping can be inferred.
    ///
    /// - Throws: 134190 with all reasons against it.
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
    /// The type as a value of model files.
    var plainType: ModelFormat.AttributeType {
        ModelFormat.AttributeType(rawValue: UInt32(attributeType.rawValue)) ?? .undefined
    }
}

extension NSPropertyDescription {
    /// The name and renaming identifier by which properties of two versions are matched.
    var matched: Matching.Item { Matching.Item(name: name, identifier: storedRenamingIdentifier) }
}

import ModelFormat

/// The result of comparing classes with a model.
package struct MergedModel {
    /// A difference, and its description with the line of the sources.
    package struct Difference {
        /// The difference in short: `Book.pages: type Integer 16 -> Integer 32`.
        package var text: String
        /// True if the difference follows from a Swift type, which builds check by themselves.
        package var isImplied: Bool
        package var diagnostic: Diagnostic
    }

    /// The model as the classes say.
    package var model: Model
    /// The number of entities among the classes.
    package var classCount: Int
    /// The errors in the classes. With any, ``model`` is invalid.
    package var problems: [Diagnostic]
    /// Warnings that do not prevent the change.
    package var notes: [Diagnostic] = []
    /// True if the classes were compared with the model; false if they cannot be.
    package var isComplete = false
    /// The parts that the model lacks.
    package var additions: [Difference] = []
    /// The parts that say something else in the model.
    package var disagreements: [Difference] = []
    /// The properties in the model that no class has.
    package var unclassed: [Difference] = []
    /// The properties that have been removed.
    package private(set) var removals: [Difference] = []

    /// True if the model says something else than the classes.
    package var differs: Bool { !additions.isEmpty || !disagreements.isEmpty || !removals.isEmpty }

    static let additionAdvice = "Run swift package generate-model, or add it to the model"
    static let disagreementAdvice =
        "Change the class or the model; or run swift package generate-model --new-version, which writes the change into a "
        + "new version, or --replace, which writes it into this one"

    /// Removes the properties that no class has from the model, with the inverses, unique keys and indexes that name them.
    package mutating func removeUnclassed() {
        removals = unclassed
        unclassed = []
        for difference in removals {
            guard let entity = difference.diagnostic.entity, let name = difference.diagnostic.property else { continue }
            model.removeProperty(name, of: entity)
        }
    }
}

extension Model {
    fileprivate mutating func removeProperty(_ name: String, of entity: String) {
        for index in entities.indices {
            if entities[index].name == entity {
                entities[index].attributes.removeAll { $0.name == name }
                entities[index].relationships.removeAll { $0.name == name }
                entities[index].uniquenessConstraints.removeAll { $0.contains(name) }
                entities[index].fetchIndexes.removeAll { $0.elements.contains { $0.subject == .property(name) } }
            }
            for position in entities[index].relationships.indices {
                let relationship = entities[index].relationships[position]
                if relationship.destinationName == entity, relationship.inverseName == name {
                    entities[index].relationships[position].inverseName = nil
                    entities[index].relationships[position].extraAttributes["inverseEntity"] = nil
                }
            }
        }
    }
}

import CoreDataRowStorage
import Foundation

/// Checks that a store class supports the features that a model uses.
struct StoreFeatures {
    private let storeClass: NSPersistentStore.Type

    init(_ storeClass: NSPersistentStore.Type) { self.storeClass = storeClass }

    /// Checks the entities of a configuration.
    ///
    /// - Throws: `NSPersistentStoreIncompatibleSchemaError` for features that the store class does not support, as Apple's
    ///   stores do: only SQLite supports derived and composite attributes and enforces uniqueness constraints, and no file
    ///   format stores values without a type. The in-memory store accepts uniqueness constraints without enforcing them. The
    ///   same error for a constraint or an index on a property that does not exist.
    func check(_ model: NSManagedObjectModel, configuration: String?, at url: URL) throws {
        let abilities = storeClass.abilities
        if storeClass.hasOwnPlace { try checkTypes(model, configuration, url) }
        if abilities.contains(.uniqueness) { try checkPaths(model, configuration, url) }
        guard !abilities.isSuperset(of: [.uniqueness, .derivations, .composites]) else { return }
        var reasons: [String] = []
        let entities = model.entities(forConfigurationName: configuration) ?? []
        for entity in entities
        where !entity.uniquenessConstraints.isEmpty && !storeClass.ignoresUniquenessConstraints
            && !abilities.contains(.uniqueness)
        {
            reasons.append("\(entity.name ?? "?") has uniqueness constraints")
        }
        for entity in Self.withAncestors(entities) {
            let name = entity.name ?? "?"
            for property in entity.ownProperties {
                if property is NSDerivedAttributeDescription, !abilities.contains(.derivations) {
                    reasons.append("\(name).\(property.name) is derived")
                }
                if property is NSCompositeAttributeDescription, !abilities.contains(.composites) {
                    reasons.append("\(name).\(property.name) is composite")
                }
            }
        }
        guard let first = reasons.first else { return }
        throw CoreDataError.make(
            NSPersistentStoreIncompatibleSchemaError, description: "The store cannot hold objects of this model.",
            reason: "Stores of this type don't support a part of the model: \(reasons.joined(separator: "; ")).",
            advice:
                "Use NSSQLiteStoreType (with the URL file:///dev/null for a store without a file), or put entities such "
                + "as the one in \"\(first)\" in a configuration of their own.",
            userInfo: [NSURLErrorKey: url])
    }

    /// Returns the entities and their ancestors, without duplicates.
    private static func withAncestors(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var seen = Set<ObjectIdentifier>(minimumCapacity: entities.count)
        var all: [NSEntityDescription] = []
        for entity in entities {
            var next: NSEntityDescription? = entity
            while let current = next, seen.insert(ObjectIdentifier(current)).inserted {
                all.append(current)
                next = current.parent
            }
        }
        return all
    }

    /// Checks that constraints and indexes name existing properties; they would be silently ignored otherwise.
    private func checkPaths(_ model: NSManagedObjectModel, _ configuration: String?, _ url: URL) throws {
        for entity in model.entities(forConfigurationName: configuration) ?? [] {
            let indexed = entity.indexes.flatMap { index in
                index.elements.filter { !($0.property is NSExpressionDescription) }
                    .map { ("fetch index \"\(index.name)\"", $0.propertyPath) }
            }
            let named = entity.constraintNames.joined().map { ("uniqueness constraint", $0) } + indexed
            for (kind, path) in named where entity.property(at: path) == nil {
                throw CoreDataError.make(
                    NSPersistentStoreIncompatibleSchemaError,
                    description: "The store cannot hold objects of this model.",
                    reason: "A \(kind) of \(entity.name ?? "?") is over \(path), which is no property of it.",
                    advice: "Name a property, or an element of a composite attribute by its path, as in address.city.",
                    entity: entity.name, key: path, userInfo: [NSURLErrorKey: url])
            }
        }
    }

    /// Checks that every stored attribute has a type; values without a type cannot be stored in a file.
    private func checkTypes(_ model: NSManagedObjectModel, _ configuration: String?, _ url: URL) throws {
        for entity in model.entities(forConfigurationName: configuration) ?? [] {
            for case let attribute as NSAttributeDescription in entity.ownProperties
            where attribute.attributeType == .undefinedAttributeType && !attribute.isTransient {
                let name = "\(entity.name ?? "?").\(attribute.name)"
                throw CoreDataError.make(
                    NSPersistentStoreIncompatibleSchemaError,
                    description: "The store cannot hold objects of this model.",
                    reason: "The attribute \(name) has no type.", advice: "Give it a type, or make it transient.",
                    entity: entity.name, key: attribute.name, userInfo: [NSURLErrorKey: url])
            }
        }
    }
}

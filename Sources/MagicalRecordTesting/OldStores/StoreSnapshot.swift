import Foundation
import MagicalRecord

/// The values and links of all objects of a store, in memory.
struct StoreSnapshot {
    /// The objects of one entity, without subentities: a column for each attribute and relationship.
    struct Entity {
        let description: NSEntityDescription
        /// The numbers of the objects in the store.
        var objects: Range<Int>
        /// The values by attribute, one for each object.
        var values: [String: [AnyHashable?]] = [:]
        /// The numbers of the destinations by relationship, one list for each object; -1 is an object that does not exist.
        var links: [String: [[Int]]] = [:]
    }

    /// The entities that are not abstract, by name.
    private(set) var entities: [String: Entity] = [:]
    /// The number of objects.
    private(set) var count = 0

    /// Reads everything, on the context's queue.
    ///
    /// - Parameters:
    ///   - context: a context on the store alone.
    ///   - model: the model of the context.
    ///   - configuration: the configuration of the model that the store contains.
    init(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel, configuration: String?) throws {
        var numbers: [NSManagedObjectID: Int] = [:]
        var destinations: [String: [String: [[NSManagedObjectID]]]] = [:]
        let stored = configuration.flatMap { model.entities(forConfigurationName: $0) } ?? model.entities
        for description in stored where !description.isAbstract {
            guard let name = description.name else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            request.returnsObjectsAsFaults = false
            let objects = try context.fetch(request)
            var entity = Entity(description: description, objects: count..<(count + objects.count))
            for attribute in description.storedAttributes {
                let values = objects.map { Self.key(of: $0.value(forKey: attribute.name)) }
                if attribute.allowsExternalBinaryDataStorage {
                    try Self.check(values, of: attribute.name, in: name, context)
                }
                entity.values[attribute.name] = values
            }
            for key in description.relationshipsByName.values.filter({ !$0.isTransient }).map(\.name) {
                destinations[name, default: [:]][key] = objects.map { $0.objectIDs(forRelationshipNamed: key) }
            }
            for object in objects {
                numbers[object.objectID] = count
                count += 1
            }
            entities[name] = entity
            #if !canImport(ObjectiveC)
            // Resetting clears the error.
            if let error = context.takeReadError() { throw error }
            #endif
            context.reset()
        }
        for (name, relationships) in destinations {
            entities[name]?.links = relationships.mapValues { lists in lists.map { $0.map { numbers[$0] ?? -1 } } }
        }
    }

    /// Throws for values in files that are missing: they are read as nil.
    private static func check(
        _ values: [AnyHashable?], of key: String, in entity: String, _ context: NSManagedObjectContext
    ) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.includesSubentities = false
        request.predicate = NSPredicate(format: "%K != nil", key)
        let missing = try context.count(for: request) - values.count { $0 != nil }
        guard missing > 0 else { return }
        throw MagicalRecordError(
            .storeFile, "The files of \(missing) values of \(entity).\(key) are missing.",
            advice: "Keep the folder .<store>_SUPPORT beside the store.", entity: entity, key: key)
    }

    /// Returns a value that equals another if Core Data's values are equal; nil for nil.
    private static func key(of value: Any?) -> AnyHashable? {
        switch value {
        case nil, is NSNull: nil
        case let elements as [String: Any]: AnyHashable(elements.compactMapValues { key(of: $0) })
        case let elements as [Any]: AnyHashable(elements.map { key(of: $0) })
        // NaN is not equal to itself.
        case let number as NSNumber where number.doubleValue.isNaN: AnyHashable(number.stringValue)
        // Hashing an NSDecimalNumber overflows the stack of swift-corelibs-foundation.
        case let number as NSDecimalNumber: AnyHashable(number.decimalValue)
        case let value as AnyHashable: value
        case let value?: AnyHashable("\(value)")
        }
    }
}

extension NSEntityDescription {
    /// The attributes, including inherited ones, that a program stores, by name.
    var storedAttributes: [NSAttributeDescription] {
        attributesByName.values.filter { !$0.isTransient && !($0 is NSDerivedAttributeDescription) }
            .sorted { $0.name < $1.name }
    }
}

extension NSManagedObjectModel {
    /// Returns a copy with objects of the class `NSManagedObject`, so that reading runs no code of the program.
    func withPlainObjects() throws -> NSManagedObjectModel {
        guard let copy = copy() as? NSManagedObjectModel else {
            throw MagicalRecordError(.modelNotFound, "The model cannot be copied.")
        }
        for entity in copy.entities { entity.managedObjectClassName = "NSManagedObject" }
        return copy
    }
}

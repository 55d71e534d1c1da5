import CoreData
import Foundation

/// The objects of a store as Core Data returns them, in a form that can be compared.
struct DamageSnapshot: Sendable {
    /// A row: the key is unique in the hierarchy of the root entity.
    struct Key: Sendable, Hashable {
        let root: String
        let key: Int64
    }

    struct Object: Sendable, Equatable {
        var entity: String
        /// The texts of the stored attributes that are not derived, without those that have no value.
        var values: [String: String] = [:]
        /// The texts of derived attributes.
        var derived: [String: String] = [:]
        var toOne: [String: Key] = [:]
        /// The members of to-many relationships: in their order if they are ordered, else sorted.
        var toMany: [String: [Key]] = [:]
    }

    private(set) var objects: [Key: Object] = [:]
    /// The relationships that are ordered, as `Entity.name`.
    private(set) var ordered: Set<String> = []

    /// Reads all objects of a store with a model, without migrating it.
    ///
    /// - Parameter isLarge: Whether to-many relationships whose inverse is a to-one are left out.
    init(_ url: URL, model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil, isLarge: Bool = false) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        defer { try? coordinator.remove(store) }
        var objects: [Key: Object] = [:]
        try context.performAndWait {
            for entity in model.entities where entity.superentity == nil {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.returnsObjectsAsFaults = false
                for object in try context.fetch(request) {
                    objects[Self.key(object)] = try Self.read(object, isLarge)
                }
            }
        }
        self.objects = objects
        for entity in model.entities {
            for (name, relationship) in entity.relationshipsByName where relationship.isOrdered {
                ordered.insert("\(entity.name ?? "").\(name)")
            }
        }
    }

    private static func key(_ object: NSManagedObject) -> Key {
        var entity = object.entity
        while let parent = entity.superentity { entity = parent }
        let name = object.objectID.uriRepresentation().lastPathComponent
        return Key(root: entity.name ?? "", key: Int64(name.dropFirst()) ?? 0)
    }

    private static func read(_ object: NSManagedObject, _ isLarge: Bool) throws -> Object {
        var result = Object(entity: object.entity.name ?? "")
        for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
            guard let value = object.value(forKey: name) else { continue }
            if attribute is NSDerivedAttributeDescription {
                result.derived[name] = text(value)
            } else {
                result.values[name] = text(value)
            }
        }
        for (name, relationship) in object.entity.relationshipsByName where !relationship.isTransient {
            if !relationship.isToMany {
                guard let other = object.value(forKey: name) as? NSManagedObject else { continue }
                result.toOne[name] = key(other)
            } else if relationship.isOrdered {
                let members = object.value(forKey: name) as? NSOrderedSet
                result.toMany[name] = members?.compactMap { ($0 as? NSManagedObject).map(key) } ?? []
            } else if !isLarge || relationship.inverseRelationship?.isToMany != false {
                let members = object.value(forKey: name) as? NSSet
                result.toMany[name] =
                    members?.compactMap { ($0 as? NSManagedObject).map(key) }
                    .sorted { ($0.root, $0.key) < ($1.root, $1.key) } ?? []
            }
        }
        return result
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let value as String: value
        case let value as Data: value.withUnsafeBytes { DamageSQL.digest($0) }
        case let value as Date: "\(value.timeIntervalSinceReferenceDate)"
        case let value as [String: Any]:
            value.keys.sorted().map { "\($0)=\(text(value[$0] ?? ""))" }.joined(separator: ";")
        case let value as NSArray: value.map { text($0) }.joined(separator: ";")
        default: "\(value)"
        }
    }
}

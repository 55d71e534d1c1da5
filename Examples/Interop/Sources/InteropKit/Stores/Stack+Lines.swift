import CoreData
import Foundation

extension Stack {
    /// Returns all values and relationships in the store, one line each, in the format of ``Scene/lines``.
    ///
    /// - Throws: Core Data's errors.
    func lines() throws -> [String] {
        context.reset()
        var lines: [String] = []
        for name in model.entities.compactMap(\.name) {
            lines.append(
                "count of \(name) = \(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name)))")
        }
        for root in roots {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: root)) {
                lines += Self.lines(of: object)
            }
        }
        return lines.sorted()
    }

    private static func lines(of object: NSManagedObject) -> [String] {
        let name = "\(object.entity.name ?? "") \(key(of: object))"
        let values = object.entity.attributesByName.map { attribute, description in
            "\(name).\(attribute) = \(Value(object.value(forKey: attribute), description).line)"
        }
        let links = object.entity.relationshipsByName.map { relationship, description in
            let value = object.value(forKey: relationship)
            let destinations: [Any] =
                switch value {
                case let ordered as NSOrderedSet: ordered.array
                case let set as NSSet: set.allObjects
                case let object as NSManagedObject: [object]
                default: []
                }
            let keys = destinations.compactMap { $0 as? NSManagedObject }.map(key)
            return "\(name).\(relationship) = \(Scene.line(keys, of: description.isToMany, description.isOrdered))"
        }
        return values + links
    }

    static func key(of object: NSManagedObject) -> String { object.value(forKey: "key") as? String ?? "without key" }
}

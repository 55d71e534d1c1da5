import CoreData
import CoreDataTestSupport
import Foundation

/// The objects of a store as a program sees them: for each URI the values and relationships, as text.
enum GraphContent {
    /// Reads a store through a context.
    ///
    /// - Parameter roundsDates: Whether dates are rounded to microseconds, and numbers and texts taken as PostgreSQL has them.
    static func of(
        _ url: URL, _ model: NSManagedObjectModel, roundsDates: Bool = false, skipsDerived: Bool = false
    ) throws -> (objects: [String: [String: String]], metadata: [String: String]) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let type = url.isFileURL ? NSSQLiteStoreType : "PostgreSQL"
        let options: [AnyHashable: Any]? = url.isFileURL ? [NSReadOnlyPersistentStoreOption: true] : nil
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        defer { try? coordinator.remove(store) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let objects = try context.performAndWait {
            var result: [String: [String: String]] = [:]
            for entity in model.entities where entity.superentity == nil {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                for object in try context.fetch(request) {
                    var values: [String: String] = [:]
                    for (name, property) in object.entity.propertiesByName where !property.isTransient {
                        guard !(property is NSFetchedPropertyDescription),
                            (property as? NSDerivedAttributeDescription)?.derivationExpression?.description != "now()",
                            !skipsDerived || !(property is NSDerivedAttributeDescription)
                        else { continue }
                        values[name] = text(object.value(forKey: name), roundsDates)
                    }
                    result[object.objectID.uriRepresentation().absoluteString] = values
                }
            }
            return result
        }
        let own = ["NSStore", "NSPersistence", "_NS"]
        let entries = coordinator.metadata(for: store).filter { key, _ in
            key == NSStoreUUIDKey || key == NSStoreModelVersionHashesKey || !own.contains { key.hasPrefix($0) }
        }
        return (objects, entries.mapValues { text($0, false) })
    }

    private static func text(_ value: Any?, _ roundsDates: Bool) -> String {
        switch value {
        case nil: return "nil"
        case let object as NSManagedObject: return object.objectID.uriRepresentation().absoluteString
        case let set as NSOrderedSet: return "[" + set.array.map { text($0, roundsDates) }.joined(separator: ",") + "]"
        case let set as NSSet:
            return "{" + set.allObjects.map { text($0, roundsDates) }.sorted().joined(separator: ",") + "}"
        case let set as Set<AnyHashable>:
            return "{" + set.map { text($0.base, roundsDates) }.sorted().joined(separator: ",") + "}"
        case let date as Date:
            var seconds = date.timeIntervalSinceReferenceDate
            // Independent of the engine: to the nearest microsecond since 2001.
            if roundsDates { seconds = (seconds * 1e6).rounded() / 1e6 }
            return "date \(seconds)"
        case let data as Data: return "data \(data.base64EncodedString())"
        case let number as NSDecimalNumber: return "decimal \(number.decimalValue)"
        case let number as NSNumber: return "number \(number.doubleValue == 0 ? "0" : number.stringValue)"
        case let dictionary as [String: Any]:
            return "<" + dictionary.map { "\($0): \(text($1, roundsDates))" }.sorted().joined(separator: ",") + ">"
        case let value?: return "\(value)"
        }
    }

    /// Returns the first differences of two contents, for messages.
    static func differences(
        _ first: [String: [String: String]], _ second: [String: [String: String]]
    ) -> [String] {
        var result: [String] = []
        for key in Set(first.keys).union(second.keys).sorted() where first[key] != second[key] {
            guard let one = first[key], let other = second[key] else {
                result.append("\(key) only in \(first[key] == nil ? "the second" : "the first")")
                continue
            }
            for name in Set(one.keys).union(other.keys).sorted() where one[name] != other[name] {
                result.append("\(key).\(name): \((one[name] ?? "-").prefix(90)) | \((other[name] ?? "-").prefix(90))")
            }
        }
        return Array(result.prefix(8))
    }
}

import CoreData
import Foundation

/// Functions that write and print tasks. They use key-value coding, because the entities of the two versions differ.
enum TaskList {
    static func fill(_ context: NSManagedObjectContext) {
        let places = ["Home", "Office"].map { name in
            insert("Location", ["name": name], context)
        }
        let tasks: [(String, Int, Int, Int)] = [
            ("Water the plants", 1, 3, 0), ("Write the report", 3, 1, 1), ("Call the bank", 2, 2, 1),
        ]
        for (text, priority, days, place) in tasks {
            let due = Date(timeIntervalSinceNow: Double(days) * 86_400)
            insert(
                "Task", ["text": text, "priority": priority, "dueDate": due, "location": places[place]], context)
        }
    }

    @discardableResult
    private static func insert(
        _ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// Sets the address of every location. Version 1 of the model does not have this attribute.
    static func giveAddresses(_ context: NSManagedObjectContext) throws {
        for location in try fetch("Location", by: "name", context) {
            let name = location.value(forKey: "name") as? String ?? ""
            location.setValue("1 \(name) Street", forKey: "address")
        }
    }

    static func print(_ context: NSManagedObjectContext) throws {
        for location in try fetch("Location", by: "name", context) {
            let hasAddress = location.entity.attributesByName["address"] != nil
            let address = hasAddress ? ", address \(location.value(forKey: "address") as? String ?? "none")" : ""
            Swift.print("  \(location.value(forKey: "name") as? String ?? "?")\(address)")
            let tasks = (location.value(forKey: "tasks") as? Set<NSManagedObject>) ?? []
            let texts = tasks.map { task in
                let due = (task.value(forKey: "dueDate") as? Date)?.timeIntervalSinceNow ?? 0
                let days = Int((due / 86_400).rounded())
                return "    \(task.value(forKey: "text") as? String ?? "?"), priority "
                    + "\(task.value(forKey: "priority") ?? "none"), due \(days == 0 ? "now" : "in \(days) days")"
            }
            for text in texts.sorted() { Swift.print(text) }
        }
    }

    private static func fetch(
        _ entity: String, by key: String, _ context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try context.fetch(request)
    }
}

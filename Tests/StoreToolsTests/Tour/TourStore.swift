import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The store that Examples/AddressBook writes: its model, its contacts, and the messages and the ended friendship of its
/// program. Dates of messages are fixed.
struct TourStore {
    static let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Examples/AddressBook/Sources/AddressBook")
    static let model = example.deletingLastPathComponent()
        .appendingPathComponent("AddressBookModel/AddressBook.xcdatamodeld/AddressBook.xcdatamodel")

    let identifier: String

    init(at url: URL) throws {
        let model = try #require(NSManagedObjectModel(contentsOf: Self.model))
        // The classes are those of the program.
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        identifier = store.identifier
        let contacts = try JSONSerialization.jsonObject(
            with: Data(contentsOf: Self.example.appendingPathComponent("Resources/contacts.json")))
        let records = try #require(contacts as? [[String: Any]])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            try Self.add(records, context)
            try Self.use(context)
        }
        try coordinator.remove(store)
    }

    /// Inserts the users of the file in the chunks of the example's import.
    private static func add(_ records: [[String: Any]], _ context: NSManagedObjectContext) throws {
        let dates = ISO8601DateFormatter()
        for (number, record) in records.enumerated() {
            let user = NSEntityDescription.insertNewObject(forEntityName: "User", into: context)
            for (name, attribute) in user.entity.attributesByName {
                let key = attribute.userInfo?["mappedKeyName"] as? String ?? name
                guard let value = record[key], !(value is NSNull) else { continue }
                let date = attribute.attributeType == .dateAttributeType ? dates.date(from: "\(value)") : nil
                user.setValue(date ?? value, forKey: name)
            }
            if number % 200 == 199 { try context.save() }
        }
        try context.save()
    }

    /// Ends the friendship with the first friend by name, and writes to the three after it.
    private static func use(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "User")
        request.predicate = NSPredicate(
            format: "isFriend == 1 AND (display_name CONTAINS[c] 'an' OR user_name CONTAINS[c] 'an')")
        request.sortDescriptors = [
            NSSortDescriptor(key: "display_name", ascending: true), NSSortDescriptor(key: "user_id", ascending: true),
        ]
        let friends = try context.fetch(request)
        friends.first?.setValue(false, forKey: "isFriend")
        try context.save()
        for (number, friend) in friends.dropFirst().prefix(3).enumerated() {
            let message = NSEntityDescription.insertNewObject(forEntityName: "Message", into: context)
            let id = friend.value(forKey: "user_id") as? Int ?? 0
            message.setValue("\(id): Hello from the server!", forKey: "message_id")
            message.setValue("Hello from the server!", forKey: "text")
            message.setValue(Date(timeIntervalSinceReferenceDate: 790_000_000 + Double(number)), forKey: "date")
            message.setValue(friend, forKey: "user")
            try context.save()
        }
    }
}

import CoreData
import Foundation
import Testing

@Suite struct JournalTests {
    private func context(_ type: String, at url: URL) throws -> NSManagedObjectContext {
        let file = try #require(Bundle.module.url(forResource: "Journal", withExtension: "momd"))
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: file)))
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: type == NSInMemoryStoreType ? nil : url)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test(
        "Properties of Objective-C's classes keep their values in memory and in a store",
        arguments: [NSInMemoryStoreType, NSSQLiteStoreType])
    @MainActor func classTypes(_ type: String) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) } }
        let context = try context(type, at: url)
        let entry = JournalEntry(context: context)
        let identifier = NSUUID()
        entry.count = 7
        entry.day = NSDate(timeIntervalSinceReferenceDate: 86_400)
        entry.identifier = identifier
        entry.keywords = ["sun", "sea"]
        entry.link = NSURL(string: "https://example.org/a")
        entry.photo = NSData(data: Data([1, 2, 3]))
        entry.places = ["home"]
        entry.price = NSDecimalNumber(string: "1.25")
        entry.rating = NSNumber(value: 4)
        entry.text = NSString(string: "fine")
        let other = JournalEntry(context: context)
        other.primitiveDay = NSDate(timeIntervalSinceReferenceDate: 1)
        entry.addToEarlier(other)
        entry.neighbor = other

        func check(_ entry: JournalEntry) {
            #expect(entry.count == 7)
            #expect(entry.day == NSDate(timeIntervalSinceReferenceDate: 86_400))
            #expect(entry.primitiveDay == entry.day)
            #expect(entry.identifier == identifier)
            #expect(entry.keywords == ["sun", "sea"])
            #expect(entry.link?.absoluteString == "https://example.org/a")
            #expect(entry.photo == NSData(data: Data([1, 2, 3])))
            #expect(entry.places as? [String] == ["home"])
            #expect(entry.price == NSDecimalNumber(string: "1.25"))
            #expect(entry.rating as? NSNumber == 4)
            #expect(entry.text == "fine")
            #expect(entry.earlier?.count == 1)
            #expect((entry.earlier?.anyObject() as? JournalEntry)?.later?.count == 1)
            #expect((entry.neighbor as? JournalEntry)?.day == NSDate(timeIntervalSinceReferenceDate: 1))
        }
        check(entry)
        try context.save()
        context.reset()
        let request = JournalEntry.fetchRequest()
        request.predicate = NSPredicate(format: "count == 7")
        check(try #require(try context.fetch(request).first))
    }

    @available(*, deprecated)
    @Test("A deprecated property has a body, and its nil is nil")
    @MainActor func deprecatedProperty() throws {
        let context = try context(NSInMemoryStoreType, at: URL(fileURLWithPath: "/"))
        let entry = JournalEntry(context: context)
        #expect(entry.timestamp == nil)
        entry.timestamp = NSDate(timeIntervalSinceReferenceDate: 5)
        #expect(entry.timestamp?.timeIntervalSinceReferenceDate == 5)
        entry.timestamp = nil
        #expect(entry.timestamp == nil)
        #expect(entry.text == nil)
        #expect(entry.keywords == nil)
    }
}

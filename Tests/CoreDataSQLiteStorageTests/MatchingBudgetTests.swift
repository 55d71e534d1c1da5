import CoreData
import Foundation
import MagicalRecordTestSupport
import Testing

/// Regular expressions whose steps grow with the power of the text: each row stays below the limit of one match, all rows
/// of a fetch together would take minutes.
@Suite(.slow) struct MatchingBudgetTests {
    private static let types = [NSSQLiteStoreType, NSInMemoryStoreType]

    private func context(_ type: String, rows: Int, text: String, pattern: String) throws -> NSManagedObjectContext {
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = "NSManagedObject"
        note.properties = ["text", "pattern"].map {
            let attribute = NSAttributeDescription()
            attribute.name = $0
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [note]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let url =
            type == NSSQLiteStoreType
            ? FileManager.default.temporaryDirectory.appendingPathComponent("matching-\(UUID().uuidString).sqlite")
            : nil
        _ = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for _ in 0..<rows {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            object.setValue(text, forKey: "text")
            object.setValue(pattern, forKey: "pattern")
        }
        return context
    }

    private func request(_ format: String) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: format)
        return request
    }

    private func end(_ context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator, let store = coordinator.persistentStores.first,
            let url = store.url, store.type == NSSQLiteStoreType
        else { return }
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
    }

    @Test(
        arguments: types,
        LongForm.choose(["text MATCHES pattern"], long: ["text MATCHES '(a+)+b'", "text MATCHES pattern"]))
    func allRowsShareOneBudget(_ type: String, _ format: String) throws {
        let context = try context(type, rows: 600, text: String(repeating: "a", count: 20), pattern: "(a+)+b")
        try context.save()
        context.reset()
        let start = Date()
        let error = #expect(throws: (any Error).self) { try context.fetch(request(format)) } as NSError?
        #expect(error?.domain == NSCocoaErrorDomain)
        let details = "\(error?.userInfo ?? [:])"
        #expect(details.contains("too many steps"))
        // All 600 rows would take some two minutes.
        #expect(Date().timeIntervalSince(start) < 30)
        #expect(throws: (any Error).self) { try context.count(for: request(format)) }
        try end(context)
    }

    /// Rows that a context has not saved are matched in memory.
    @Test func unsavedRowsShareOneBudget() throws {
        let context = try context(
            NSSQLiteStoreType, rows: 600, text: String(repeating: "a", count: 20), pattern: "(a+)+b")
        #expect(throws: (any Error).self) { try context.fetch(request("text MATCHES '(a+)+b'")) }
        try end(context)
    }

    /// The budget is each fetch's own, and what grows with the text is not counted.
    @Test(arguments: types) func ordinaryExpressionsLookAtAnyNumberOfRows(_ type: String) throws {
        let text = String(repeating: "lorem ipsum ", count: 2000) + "end"
        let context = try context(type, rows: 300, text: text, pattern: "x")
        try context.save()
        context.reset()
        for _ in 0..<3 { #expect(try context.count(for: request("text MATCHES '(?:[a-z]+ )*en.'")) == 300) }
        try end(context)
    }
}

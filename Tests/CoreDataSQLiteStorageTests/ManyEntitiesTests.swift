import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// What takes time or memory in proportion takes no more than that.
@Suite("Many entities, and many objects that come and go", .slow, .serialized)
struct ManyEntitiesTests {
    private func makeModel(_ count: Int) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let entities = (0..<count).map { number in
            let entity = NSEntityDescription()
            entity.name = "Entity\(number)"
            entity.properties = [LibraryModel.attribute("name", .stringAttributeType)]
            return entity
        }
        for (number, entity) in entities.enumerated() {
            let others = NSRelationshipDescription()
            others.name = "others"
            others.destinationEntity = entities[(number + 1) % count]
            entity.properties.append(others)
        }
        model.entities = entities
        return model
    }

    /// In seconds, the shortest of three times.
    private func timeToOpen(_ count: Int) throws -> Double {
        let folder = try TemporaryFolder()
        let model = makeModel(count)
        let url = folder.file("many.sqlite")
        var shortest = Double.infinity
        for round in 0..<4 {
            let start = ContinuousClock.now
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            try coordinator.remove(store)
            // The first makes the tables, for which SQLite looks through its schema each time.
            if round > 0 { shortest = min(shortest, elapsed) }
        }
        return shortest
    }

    @Test(.timeLimit(.minutes(5))) func openingTakesTimeInProportionToTheEntities() throws {
        let (few, many) = (try timeToOpen(200), try timeToOpen(1000))
        // Five times as many; were all compared with all, it would be twenty-five. Other tests run at the same time.
        #expect(many < few * 18, "\(few) and \(many) seconds")
    }

    #if os(Linux)
    @Test func objectsThatAreDeletedLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            let library = try Library()
            let context = library.context
            func round() throws {
                try context.performAndWait {
                    let tags = (0..<2000).map { context.insert("Tag", ["word": "\($0)"]) }
                    try context.save()
                    for tag in tags { context.delete(tag) }
                    try context.save()
                }
            }
            func residentBytes() throws -> Int {
                let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                return (Int(numbers[1]) ?? 0) * Int(getpagesize())
            }
            for _ in 0..<5 { try round() }
            // What is left behind is left behind each time; a new thread's memory comes once.
            var least = Int.max
            for _ in 0..<4 where least > 250_000 {
                let before = try residentBytes()
                for _ in 0..<15 { try round() }
                least = min(least, try residentBytes() - before)
            }
            // A place in a table for each, here and in the table of unsaved objects, would be 480 KB.
            if least > 250_000 { fatalError("\(least) bytes more after 30,000 objects have come and gone") }
        }
    }
    #endif
}

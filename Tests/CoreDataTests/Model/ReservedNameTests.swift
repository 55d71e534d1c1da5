import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Names of properties that managed objects already have")
struct ReservedNameTests {
    @Test("A coordinator refuses a model with one")
    func inCode() async {
        await #expect(processExitsWith: .failure) {
            let model = makeModel([("A", "description: i16")])
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        }
    }

    @Test("A model file with one is not loaded")
    func inFiles() throws {
        let folder = try TemporaryFolder()
        let (good, bad) = (folder.file("Good.mom"), folder.file("Bad.mom"))
        try makeModel([("A", "isDead: i16")]).write(to: good)
        try makeModel([("A", "isDeleted: i16")]).write(to: bad)
        #expect(NSManagedObjectModel(contentsOf: good) != nil)
        #expect(NSManagedObjectModel(contentsOf: bad) == nil)
    }
}

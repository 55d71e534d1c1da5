import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("PostgreSQL stores of another model", .enabled(if: StoreKind.hasServer, StoreKind.needsServer))
struct ServerMismatchTests {
    private func add(_ model: NSManagedObjectModel, at place: StoreKind.Place) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let type = StoreKind.postgreSQL.type
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: place.url)
        try coordinator.remove(store)
    }

    @Test func theyAreRefusedInPlainWordsAndLeftAsTheyAre() throws {
        let place = try StoreKind.postgreSQL.makePlace()
        defer { place.remove() }
        try add(LibraryModel.make(), at: place)
        let other = LibraryModel.make()
        other.entitiesByName["Book"]?.properties.removeAll { $0.name == "pages" }
        let error = #expect(throws: NSError.self) { try add(other, at: place) }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(error?.localizedRecoverySuggestion?.contains("Book") == true)
        try add(LibraryModel.make(), at: place)
    }
}

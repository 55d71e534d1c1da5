import CoreData
import CoreDataTestSupport
import Foundation
import Testing
import ToyStore

/// Stores that are found by a URL scheme of their own, through containers and coordinators.
@Suite("Stores of registered kinds")
struct OpeningTests {
    @Test func theSchemeNamesTheType() throws {
        let url = ToyStores.url()
        #expect(NSPersistentStoreDescription(url: url).type == "Toy")
        #expect(NSPersistentStoreDescription(url: URL(fileURLWithPath: "/a")).type == NSSQLiteStoreType)
        let container = try ToyStores.container(Versions.first(), at: url)
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        #expect(store.type == "Toy")
        #expect(store.url == url)
        #expect(store.metadata[NSStoreTypeKey] as? String == "Toy")
    }

    @Test func rowsStayWhenTheStoreIsOpenedAgain() throws {
        let url = ToyStores.url()
        let first = try ToyStores.container(Versions.first(), at: url)
        try ToyStores.save("A", to: first)
        let coordinator = first.persistentStoreCoordinator
        let uuid = coordinator.persistentStores[0].identifier
        try coordinator.remove(coordinator.persistentStores[0])
        let second = try ToyStores.container(Versions.first(), at: url)
        #expect(second.persistentStoreCoordinator.persistentStores[0].identifier == uuid)
        #expect(try ToyStores.titles(second) == ["A"])
        // No part of the URL is taken for a path.
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func aStoreIsAddedOnce() throws {
        let url = ToyStores.url()
        let coordinator = try ToyStores.container(Versions.first(), at: url).persistentStoreCoordinator
        #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: "Toy", configurationName: nil, at: url)
        }
    }

    @Test func metadataAndModelAreReadWithoutOpening() throws {
        let url = ToyStores.url()
        let model = Versions.first()
        _ = try ToyStores.container(model, at: url)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: "Toy", at: url)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        try NSPersistentStoreCoordinator.setMetadata(["mine": 1], forPersistentStoreOfType: "Toy", at: url)
        let changed = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: "Toy", at: url)
        #expect(changed["mine"] as? Int == 1)
        #expect(changed[NSStoreUUIDKey] as? String == metadata[NSStoreUUIDKey] as? String)
        let stored = try NSManagedObjectModel(cachedInStoreAt: url)
        #expect(stored.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test func destroyedStoresAreGone() throws {
        let url = ToyStores.url()
        let container = try ToyStores.container(Versions.first(), at: url)
        try ToyStores.save("A", to: container)
        try container.persistentStoreCoordinator.destroyPersistentStore(at: url, ofType: "Toy")
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        #expect(ToyDatabase.named(url) == nil)
        #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: "Toy", at: url)
        }
        #expect(try ToyStores.titles(ToyStores.container(Versions.first(), at: url)) == [])
    }

    // MARK: Mistakes

    private func failure(_ body: () throws -> Void) throws -> NSError {
        var found: NSError?
        do { try body() } catch { found = error as NSError }
        return try #require(found)
    }

    @Test func unknownSchemesAreNamedWithThoseThereAre() throws {
        _ = ToyStores.url()
        let error = try failure {
            _ = try ToyStores.container(Versions.first(), at: URL(string: "troy://horse")!)
        }
        #expect(error.code == NSPersistentStoreOpenError)
        let reason = try #require(error.localizedFailureReason)
        #expect(
            reason.contains("\"troy\"") && reason.contains("there are file, ") && reason.contains("toy"), "\(reason)")
    }

    @Test func aSchemeOfAnotherTypeIsNamedWithItsType() throws {
        let url = ToyStores.url()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Versions.first())
        let error = try failure {
            _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        }
        #expect(error.code == NSPersistentStoreOpenError)
        #expect(error.localizedRecoverySuggestion?.contains("the type Toy") == true, "\(error)")
        let file = URL(fileURLWithPath: "/tmp/a.toy")
        let other = try failure {
            _ = try coordinator.addPersistentStore(ofType: "Toy", configurationName: nil, at: file)
        }
        #expect(other.localizedFailureReason?.contains("a URL of the scheme toy") == true, "\(other)")
    }

    @Test func optionsThatTheKindDoesNotKnowAreNamed() throws {
        let url = ToyStores.url()
        for key in [NSSQLitePragmasOption, NSPersistentHistoryTrackingKey, "Colour"] {
            let error = try failure {
                _ = try ToyStores.container(Versions.first(), at: url) {
                    $0.setOption(
                        key == NSSQLitePragmasOption ? ["a": "b"] as NSDictionary : true as NSNumber, forKey: key)
                }
            }
            #expect(error.code == NSPersistentStoreOpenError)
            #expect(error.localizedFailureReason?.contains(key) == true, "\(error)")
            #expect(error.localizedRecoverySuggestion?.contains("ToyApplicationName") == true, "\(error)")
            #expect(ToyDatabase.named(url) == nil)
        }
        _ = try ToyStores.container(Versions.first(), at: url) {
            $0.setOption("Tests" as NSString, forKey: "ToyApplicationName")
            // Asks for nothing.
            $0.setOption(false as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        }
    }

    @Test func modelsThatTheKindCannotHoldAreRefused() throws {
        let model = Versions.changed { entities, _ in entities["Card"]?.uniquenessConstraints = [["number"]] }
        let url = ToyStores.url()
        let error = try failure { _ = try ToyStores.container(model, at: url) }
        #expect(error.code == NSPersistentStoreIncompatibleSchemaError)
        #expect(ToyDatabase.named(url) == nil)
    }

    @Test func failuresOfTheKindAreThrown() throws {
        let url = ToyStores.url()
        let container = try ToyStores.container(Versions.first(), at: url)
        try ToyStores.save("A", to: container)
        let database = try #require(ToyDatabase.named(url))
        let failure = NSError(domain: "Toy", code: 7)
        database.fail(with: failure)
        #expect(throws: failure) { try ToyStores.titles(container) }
        #expect(throws: failure) { try ToyStores.save("B", to: container) }
        #expect(throws: failure) { _ = try ToyStores.container(Versions.first(), at: url) }
        database.fail(with: nil)
        #expect(try ToyStores.titles(container) == ["A"])
    }
}

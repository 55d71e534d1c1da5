import CoreData
import Foundation
import MagicalRecord
import Testing

/// Subclasses that override what Apple declares open are called where Apple's framework calls them.
@Suite("Overriding", .serialized) struct OverridingTests {
    private let model: NSManagedObjectModel
    private let context: OverridingContext

    init() throws {
        let station = NSEntityDescription(), stop = NSEntityDescription()
        station.name = "Station"
        station.managedObjectClassName = "SourceCompatibilityTests.Station"
        station.properties = [NSAttributeDescription.make("title"), NSAttributeDescription.make("date")]
        stop.name = "Stop"
        stop.managedObjectClassName = ".Stop"
        stop.properties = [NSAttributeDescription.make("label")]
        let stops = NSRelationshipDescription(), back = NSRelationshipDescription()
        stops.name = "stops"
        stops.destinationEntity = stop
        stops.deleteRule = .cascadeDeleteRule
        back.name = "station"
        back.destinationEntity = station
        back.maxCount = 1
        stops.inverseRelationship = back
        back.inverseRelationship = stops
        station.properties.append(stops)
        stop.properties.append(back)
        model = NSManagedObjectModel()
        model.entities = [station, stop]
        Station.model = model
        context = OverridingContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = try .inMemory(model)
    }

    private func calls(_ body: () throws -> Void) rethrows -> [String] {
        context.calls = []
        try body()
        return context.calls
    }

    @Test func insertingFetchingAndSavingGoThroughOverrides() throws {
        #expect(calls { _ = Station(context: context) } == ["insert(_:)"])
        #expect(
            calls { _ = NSEntityDescription.insertNewObject(forEntityName: "Stop", into: context) } == ["insert(_:)"])
        let saved = try calls { try context.save() }
        #expect(saved.first == "save()" && saved.contains("processPendingChanges()"))
        let typed = NSFetchRequest<Station>(entityName: "Station")
        var found: [Station] = []
        #expect(try calls { found = try context.fetch(typed) }.first == "fetch(_:)")
        #expect(found.count == 1)
        let untyped = Station.fetchRequest()
        var results: [Any] = []
        #expect(try calls { results = try context.fetch(untyped) }.contains("fetch(_:)"))
        #expect(results.count == 1)
        var count = 0
        #expect(try calls { count = try context.count(for: typed) }.first == "count(for:)")
        #expect(count == 1)
        let any: NSManagedObjectContext = context
        #expect(try calls { found += try any.fetch(typed) }.first == "fetch(_:)")
        #expect(found.count == 2 && found[0] === found[1])
        let asObjects: [AnyObject] = try context.fetch(untyped)
        #expect(asObjects.count == 1)
    }

    @Test func queuesDeletesAndTheRestGoThroughOverrides() async throws {
        #expect(calls { _ = context.performAndWait { 1 } } == ["performAndWait(_:)"])
        #expect(throws: CocoaError.self) { try context.performAndWait { throw CocoaError(.fileNoSuchFile) } }
        context.calls = []
        let answer = await context.perform { 42 }
        #expect(answer == 42 && context.calls.first == "perform(_:)")
        let station = Station(context: context)
        let stop = Stop(context: context)
        stop.setValue(station, forKey: "station")
        try context.save()
        let deleted = calls {
            context.delete(station)
            context.processPendingChanges()
        }
        #expect(deleted.filter { $0 == "delete(_:)" }.count == 2 && stop.isDeleted)
        #expect(calls { context.rollback() } == ["rollback()"])
        #expect(try calls { try context.obtainPermanentIDs(for: []) } == ["obtainPermanentIDs(for:)"])
        #expect(calls { context.refresh(station, mergeChanges: false) }.first == "refresh(_:mergeChanges:)")
        #expect(calls { context.reset() } == ["reset()"])
    }

    @Test func savingByMagicalRecordCallsTheOverride() throws {
        _ = Station(context: context)
        #expect(try calls { _ = try context.performAndWait { try context.save(to: .store) } }.contains("save()"))
    }

    @Test func classesNameTheirEntityAndRequest() throws {
        #expect(Station.entity().name == "Station")
        let station = Station(context: context)
        #expect(station.entity === model.entitiesByName["Station"])
        #expect(Station.fetchRequest().entityName == "Station")
        #expect(
            station.value(forKey: "title") as? String == "computed" && station.value(forKey: "x") as? String == "no x")
    }

    @Test func namesOfTheProgramsOwnAreNotTaken() {
        let stop = Stop(context: context)
        #expect(stop["label"] as? String == "own label" && stop.keys == ["label"] && stop.key == "key")
        let station = Station(context: context)
        station["date"] = "today"
        #expect(station["date"] as? String == "today")
    }

    @Test func collectionsByKeyAreFoundationsClasses() throws {
        let station = Station(context: context)
        let stop = Stop(context: context)
        stop.setValue(station, forKey: "station")
        #expect(station.value(forKey: "stops") is NSSet)
        let listing = try #require(station.value(forKey: "stops") as Any as? Listing)
        #expect(listing.listed == 1)
        #expect(station.changedValues()["stops"] as Any is Listing)
        #expect(station.mutableSetValue(forKey: "stops") as Any is NSMutableSet)
        #expect((station.value(forKey: "stops") as? Set<Stop>) == [stop])
        station.setValue("now", forKey: "Date")
        #expect(station.value(forKey: "date") as? String == "now")
    }

    @Test func containersCoordinatorsAndControllers() throws {
        let container = OverridingContainer(name: "Stations", managedObjectModel: model)
        #expect(
            container.persistentStoreDescriptions.first?.url?.deletingLastPathComponent().lastPathComponent
                == "Overriding")
        #expect(container.newBackgroundContext() is OverridingContext)
        let coordinator = OverridingCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        _ = try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        try coordinator.remove(store)
        #expect(coordinator.calls == ["add", "add", "remove"])
        let request = NSFetchRequest<Station>(entityName: "Station")
        request.sortDescriptors = []
        let controller: NSFetchedResultsController<Station> = FixedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        #expect(controller.fetchedObjects == [] && controller.indexPath(forObject: Station(context: context)) != nil)
        #expect(MockTransaction().changes?.first?.changeType == .delete && MockTransaction().author == "mock")
        #expect(MockConflict().constraint == ["name"] && MockResult().result as? Int == 3)
        #expect(NSManagedObjectContext.background().concurrencyType == .privateQueueConcurrencyType)
    }

    @Test func initializersWithoutArguments() {
        var made: [NSObject] = []
        made += [
            Station(), NSManagedObjectID(), NSManagedObjectModel(), NSEntityDescription(), NSPropertyDescription(),
            NSAttributeDescription(), NSDerivedAttributeDescription(), NSCompositeAttributeDescription(),
            NSRelationshipDescription(), NSFetchedPropertyDescription(), NSExpressionDescription(),
            NSFetchIndexDescription(),
        ]
        made += [
            NSFetchIndexElementDescription(), NSPersistentStoreCoordinator(), NSPersistentStoreDescription(),
            NSPersistentContainer(), NSPersistentStore(), NSPersistentStoreRequest(), NSFetchRequest<Station>(),
            NSFetchRequest<NSFetchRequestResult>(), NSAsynchronousFetchRequest<Station>(),
            NSAsynchronousFetchResult<Station>(), NSPersistentStoreResult(), NSPersistentStoreAsynchronousResult(),
        ]
        made += [
            NSSaveChangesRequest(), NSBatchInsertRequest(), NSBatchUpdateRequest(), NSBatchDeleteRequest(),
            NSBatchInsertResult(), NSBatchUpdateResult(), NSBatchDeleteResult(), NSPersistentHistoryChangeRequest(),
            NSPersistentHistoryResult(), NSPersistentHistoryTransaction(), NSPersistentHistoryChange(),
            NSPersistentHistoryToken(),
        ]
        made += [
            NSQueryGenerationToken(), NSMergePolicy(), NSMergeConflict(), NSConstraintConflict(),
            NSFetchedResultsController<Station>(), NSMappingModel(), NSEntityMapping(), NSPropertyMapping(),
            NSEntityMigrationPolicy(), NSMigrationManager(), NSMigrationStage(), NSLightweightMigrationStage(),
        ]
        made += [
            NSCustomMigrationStage(), NSStagedMigrationManager(), NSManagedObjectModelReference(),
            NSAtomicStoreCacheNode(), NSIncrementalStoreNode(), MockChange(), OverridingContainer(),
            OverridingCoordinator(),
        ]
        #expect(made.count == 56)
        let station = Station()
        #expect(station.managedObjectContext == nil && station.entity.name == "Station")
        context.insert(station)
        #expect(station.isInserted)
    }
}

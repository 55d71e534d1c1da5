import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Several stores under one coordinator: each holds the entities of its configuration, and fetched properties lead from one
/// to the other.
@Suite("Stores together")
struct StoresTogetherTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// `Customer` in one store; `Order` in the other, which knows its customer by number only.
    private func model() -> NSManagedObjectModel {
        let customer = LibraryModel.entity("Customer"), order = LibraryModel.entity("Order")
        customer.properties = [
            LibraryModel.attribute("number", .integer64AttributeType),
            LibraryModel.attribute("name", .stringAttributeType),
        ]
        order.properties = [
            LibraryModel.attribute("customerNumber", .integer64AttributeType),
            LibraryModel.attribute("item", .stringAttributeType),
        ]
        let orders = NSFetchedPropertyDescription()
        orders.name = "orders"
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = order
        request.predicate = NSPredicate(format: "customerNumber == $FETCH_SOURCE.number")
        request.sortDescriptors = [NSSortDescriptor(key: "item", ascending: true)]
        orders.fetchRequest = request
        customer.properties += [orders]
        let model = NSManagedObjectModel()
        model.entities = [customer, order]
        model.setEntities([customer], forConfigurationName: "Customers")
        model.setEntities([order], forConfigurationName: "Orders")
        return model
    }

    private func open(_ first: String, _ second: String) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        for (type, configuration) in [(first, "Customers"), (second, "Orders")] {
            _ = try coordinator.addPersistentStore(
                ofType: type, configurationName: configuration, at: folder.url.appendingPathComponent(configuration),
                options: nil)
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test(
        "Objects go to the store of their configuration; fetched properties lead across",
        arguments: [
            (NSSQLiteStoreType, NSSQLiteStoreType), (NSSQLiteStoreType, NSXMLStoreType),
            (NSBinaryStoreType, NSSQLiteStoreType),
        ])
    func configurations(_ first: String, _ second: String) throws {
        let context = try open(first, second)
        try context.performAndWait {
            let ann = context.insert("Customer", ["number": 1, "name": "Ann"])
            context.insert("Customer", ["number": 2, "name": "Bob"])
            for item in ["pen", "ink"] { context.insert("Order", ["customerNumber": 1, "item": item]) }
            try context.save()
            #expect(ann.objectID.persistentStore?.configurationName == "Customers")
        }
        let again = try open(first, second)
        try again.performAndWait {
            let stores = again.persistentStoreCoordinator?.persistentStores ?? []
            #expect(stores.map(\.configurationName) == ["Customers", "Orders"])
            let ann = try #require(
                try again.fetchAll("Customer").first { $0.value(forKey: "name") as? String == "Ann" })
            let orders = ann.value(forKey: "orders") as? [NSManagedObject]
            #expect(orders?.map { $0.value(forKey: "item") as? String } == ["ink", "pen"])
            #expect(orders?.first?.objectID.persistentStore === stores[1])
            // A fetched property is read once; refreshing the object reads it again.
            again.insert("Order", ["customerNumber": 1, "item": "cap"])
            try again.save()
            #expect((ann.value(forKey: "orders") as? [NSManagedObject])?.count == 2)
            again.refresh(ann, mergeChanges: false)
            #expect((ann.value(forKey: "orders") as? [NSManagedObject])?.count == 3)
        }
    }

    @Test("What is in one store stays there when the next one fails, and the notification names it alone")
    func failingHalfway() throws {
        let context = try open(NSSQLiteStoreType, NSSQLiteStoreType)
        try context.performAndWait {
            let ann = context.insert("Customer", ["number": 1, "name": "Ann"])
            let pen = context.insert("Order", ["customerNumber": 1, "item": "pen"])
            try context.save()
            nonisolated(unsafe) var saved: [[String: Set<NSManagedObject>]] = []
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { note in
                let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey]
                saved.append(
                    keys.reduce(into: [:]) { $0[$1] = note.userInfo?[$1] as? Set<NSManagedObject> ?? [] })
            }
            defer { NotificationCenter.default.removeObserver(token) }
            ann.setValue("Anna", forKey: "name")
            // What is processed last is what cannot be saved.
            context.processPendingChanges()
            pen.setValue("ink", forKey: "item")
            try FileManager.default.removeItem(at: folder.url.appendingPathComponent("Orders"))
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code == .persistentStoreIncompleteSave)
            #expect(
                saved == [[NSInsertedObjectsKey: [], NSUpdatedObjectsKey: [ann], NSDeletedObjectsKey: []]])
            #expect(context.updatedObjects == [pen] && !ann.hasChanges)
        }
        withExtendedLifetime(context) {}
    }

    @Test("A fetch looks into all stores that hold the entity, in one order")
    func union() throws {
        let several = try SeveralStores(
            ThingModel.make(), types: [NSSQLiteStoreType, NSInMemoryStoreType], in: folder)
        let (stores, context) = (several.stores, several.context)
        try context.performAndWait {
            for number in 0..<6 {
                let thing = context.insert("Thing", ["name": "\(number)"])
                context.assign(thing, to: stores[number % 2])
            }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            request.fetchLimit = 4
            #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["5", "4", "3", "2"])
            request.fetchLimit = 0
            request.affectedStores = [stores[1]]
            #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["5", "3", "1"])
            let things = try context.fetchAll("Thing").sorted {
                ($0.value(forKey: "name") as? String ?? "") < ($1.value(forKey: "name") as? String ?? "")
            }
            // A relationship cannot lead from one store to another.
            things[0].setValue(things[1], forKey: "whole")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code == .managedObjectExternalRelationship)
        }
    }
}

import CoreData
import Foundation
import Testing

/// Names of properties, by which Apple's framework finds them.
@Suite("Naming") struct NamingTests {
    private final class Stack {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        let coordinator: NSPersistentStoreCoordinator
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")

        init(_ type: String = NSInMemoryStoreType) throws {
            let device = NSEntityDescription()
            device.name = "Device"
            device.managedObjectClassName = "SourceCompatibilityTests.Device"
            let bought = Self.attribute("bought", .dateAttributeType)
            bought.isOptional = false
            device.properties = [
                Self.attribute("mode", .stringAttributeType), Self.attribute("primitiveMode", .stringAttributeType),
                Self.attribute("primitiveTags", .transformableAttributeType),
                Self.attribute("primitiveRank", .integer64AttributeType), bought,
            ]
            let model = NSManagedObjectModel()
            model.entities = [device]
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: type == NSInMemoryStoreType ? nil : url)
            context.persistentStoreCoordinator = coordinator
        }

        deinit { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) } }

        private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
    }

    private final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    }

    @Test @MainActor func anAttributeMayBeNamedLikeAPrimitiveValue() throws {
        let stack = try Stack()
        let device = Device(context: stack.context)
        device.mode = "on"
        device.primitiveMode = "off"
        #expect(device.mode == "on" && device.primitiveMode == "off")
        #expect(device.value(forKey: "mode") as? String == "on")
        #expect(device.value(forKey: "primitiveMode") as? String == "off")
        device.primitiveRank = 3
        device.primitiveTags = ["a", "b"]
        #expect(device.value(forKey: "primitiveRank") as? Int == 3 && device.primitiveRank == 3)
        #expect(device.value(forKey: "primitiveTags") as? [String] == ["a", "b"])
        #expect(device.primitiveTags == ["a", "b"])
        // Apple's accessor of that name leaves no trace, as the model has no such attribute.
        device.bought = Date(timeIntervalSinceReferenceDate: 1)
        try stack.context.save()
        device.primitiveBought = Date(timeIntervalSinceReferenceDate: 2)
        #expect(device.bought == Date(timeIntervalSinceReferenceDate: 2) && !device.hasChanges)
        device.primitiveMode = nil
        #expect(device.hasChanges && device.changedValues()["primitiveMode"] is NSNull)
    }

    @Test func keyPathsOfEveryKindOfPropertyHaveNames() {
        func name<Value>(_ keyPath: KeyPath<Device, Value>) -> String { NSExpression(forKeyPath: keyPath).keyPath }
        #expect(name(\.mode) == "mode")
        #expect(name(\.primitiveMode) == "primitiveMode")
        #expect(name(\.primitiveTags) == "primitiveTags")
        #expect(name(\.reading) == "reading")
        #expect(name(\.firstReading) == "firstReading")
        #expect(name(\.owner?.reading) == "owner.reading")
        #expect(name(\.owner?.firstReading) == "owner.firstReading")
        #expect(NSExpression(forKeyPath: \Device.self) == NSExpression.expressionForEvaluatedObject())
        #expect(NSSortDescriptor(keyPath: \NSManagedObject.self, ascending: true).key == "self")
        #expect(NSSortDescriptor(keyPath: \Device.self, ascending: true).key == "self")
        // A computed property is not what it reads.
        #expect(NSSortDescriptor(keyPath: \Device.readingOrDefault, ascending: true).key == nil)
        #expect(NSSortDescriptor(keyPath: \Device.readingOrFirst, ascending: true).key == nil)
    }

    /// Apple's descriptors read the property by its key, where the other way to write them does.
    @Test(arguments: [NSInMemoryStoreType, NSSQLiteStoreType])
    @MainActor func sortsByKeyPathsOfPropertiesWithoutValues(_ type: String) throws {
        let stack = try Stack(type)
        let context = stack.context
        let saved = [3, 1].map { second in
            let device = Device(context: context)
            device.bought = Date(timeIntervalSinceReferenceDate: second)
            return device
        }
        try context.save()
        let pending = [Device(context: context), Device(context: context)]
        pending[0].bought = Date(timeIntervalSinceReferenceDate: 2)

        let request = NSFetchRequest<Device>(entityName: "Device")
        let expected = [pending[1], saved[1], pending[0], saved[0]]
        for descriptor in [
            NSSortDescriptor(keyPath: \Device.bought, ascending: true),
            NSSortDescriptor(key: "bought", ascending: true),
            NSSortDescriptor(SortDescriptor(\Device.bought)),
        ] {
            request.sortDescriptors = [descriptor]
            #expect(try context.fetch(request) == expected)
            #expect(descriptor.keyPath == \Device.bought || descriptor.key == "bought")
            #expect(NSArray(array: saved + pending).sortedArray(using: [descriptor]) as? [Device] == expected)
        }
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Device.bought, ascending: false)]
        #expect(try context.fetch(request) == expected.reversed())
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let delegate = Delegate()
        controller.delegate = delegate
        try controller.performFetch()
        let latest = Device(context: context)
        latest.mode = "new"
        context.processPendingChanges()
        #expect(Set(controller.fetchedObjects?.suffix(2) ?? []) == [latest, pending[1]])
    }
}

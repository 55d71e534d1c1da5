import CoreData
import Foundation
import Testing

/// Classes with initialisers of their own: what the framework makes is made by `init(entity:insertInto:)`, as at Apple.
@Suite("Initialising") struct InitialisingTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init() throws {
        let names = ["Tab", "PinnedTab", "WindowTab", "LooseTab", "RequiredTab", "ShownTab", "NumberTab"]
        let entities = names.map { name in
            let title = NSAttributeDescription(), previous = NSRelationshipDescription()
            title.name = "title"
            title.attributeType = .stringAttributeType
            previous.name = "previous"
            previous.maxCount = 1
            previous.isOptional = true
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "SourceCompatibilityTests.\(name)"
            previous.destinationEntity = entity
            entity.properties = [title, previous]
            return entity
        }
        let model = NSManagedObjectModel()
        model.entities = entities
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Another context's object for the row of one here, made by a fetch, by its ID or through a relationship.
    private func remade<Object: NSManagedObject>(_ object: Object, _ way: Int) throws -> Object {
        let follower = NSEntityDescription.insertNewObject(forEntityName: object.entity.name!, into: context)
        follower.setValue(object, forKey: "previous")
        try context.save()
        let other = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        keep(other)
        let request = NSFetchRequest<NSManagedObject>(entityName: object.entity.name!)
        request.predicate = NSPredicate(format: "previous == nil")
        let made: NSManagedObject? =
            switch way {
            case 0: try other.fetch(request).first
            case 1: other.object(with: object.objectID)
            default: other.object(with: follower.objectID).value(forKey: "previous") as? NSManagedObject
            }
        return try #require(made as? Object)
    }

    /// Objects do not keep their context.
    private final class Contexts { var all: [NSManagedObjectContext] = [] }
    private let contexts = Contexts()
    private func keep(_ context: NSManagedObjectContext) { contexts.all.append(context) }

    @Test(arguments: 0..<3) @MainActor func storedPropertiesHaveTheirDefaults(_ way: Int) throws {
        let tab = Tab(title: "News", in: context)
        tab.visits.append(2)
        let again = try remade(tab, way)
        #expect(again !== tab && again.visits == [1] && again.title == "News" && again.letters.count == 4)
    }

    @Test(arguments: 0..<3) @MainActor func ownInitialisersBesideApples(_ way: Int) throws {
        let tab = PinnedTab(context: context, title: "Mail")
        #expect(tab.origin == "own")
        let again = try remade(tab, way)
        #expect(again.origin == "framework" && again.title == "Mail")
        #expect(PinnedTab(context: context).origin == "framework")

        let window = WindowTab(
            entity: NSEntityDescription.entity(forEntityName: "WindowTab", in: context)!, insertInto: context)
        #expect(window.origin == "framework" && window.windows == 2)
        let windowAgain = try remade(window, way)
        #expect(windowAgain.origin == "framework" && windowAgain.windows == 2)

        let required = RequiredTab.make("Maps", in: context)
        #expect(required.origin == "required")
        let requiredAgain = try remade(required, way)
        #expect(requiredAgain.origin == "framework" && requiredAgain.title == "Maps")

        let shown = ShownTab(context: context, shown: 7)
        #expect(shown.shown == 7)
        #expect(try remade(shown, way).shown == 0)
    }

    @Test(arguments: 0..<3) @MainActor func genericClasses(_ way: Int) throws {
        let tab = NumberTab(context: context, values: [1, 2])
        #expect(tab.values == [1, 2] && tab.factor == 10 && tab.isInserted)
        let again = try remade(tab, way)
        #expect(again.values == [] && again.factor == 10)
    }

    @Test @MainActor func ownInitialiserAlone() throws {
        let tab = LooseTab(context: context, title: "Draft")
        #expect(tab.isInserted && tab.title == "Draft" && tab.marks == ["new"])
        try context.save()
        #expect(!tab.objectID.isTemporaryID)
        let request = NSFetchRequest<LooseTab>(entityName: "LooseTab")
        #expect(try context.fetch(request) == [tab])
        context.refresh(tab, mergeChanges: false)
        #expect(tab.isFault && tab.title == "Draft" && tab.marks == ["new"])
    }

    /// Swift's own message, which Apple's programs get, too.
    @Test func theFrameworkNeedsApplesInitialiser() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            let test = try InitialisingTests()
            let tab = LooseTab(context: test.context, title: "Draft")
            try test.context.save()
            test.context.reset()
            _ = test.context.object(with: tab.objectID)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains("Use of unimplemented initializer 'init(entity:insertInto:)'") && text.contains("LooseTab"))
    }

    /// An initialiser called through a class value makes an object of that class.
    @Test(arguments: ["Tab", "PinnedTab", "WindowTab", "RequiredTab", "NumberTab"])
    @MainActor func throughClassValues(_ name: String) throws {
        let entity = try #require(NSEntityDescription.entity(forEntityName: name, in: context))
        let type: NSManagedObject.Type =
            switch name {
            case "Tab": Tab.self
            case "PinnedTab": PinnedTab.self
            case "WindowTab": WindowTab.self
            case "RequiredTab": RequiredTab.self
            default: NumberTab.self
            }
        func make<Object: NSManagedObject>(_ type: Object.Type) -> Object { type.init(context: context) }
        let objects = [
            type.init(context: context), type.init(entity: entity, insertInto: context), make(type),
            NSEntityDescription.insertNewObject(forEntityName: name, into: context),
        ]
        for object in objects {
            #expect(Swift.type(of: object) == type && object.entity === entity && object.isInserted)
        }
    }

    @Test func storesWithInitialisersOfTheirOwn() throws {
        #expect(TabFileStore(testing: true).origin == "test")
        #expect(TabServiceStore(host: "localhost").host == "localhost")
        NSPersistentStoreCoordinator.registerStoreClass(TabFileStore.self, forStoreType: "TabFileStore")
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).tabs")
        let store = try coordinator.addPersistentStore(ofType: "TabFileStore", configurationName: nil, at: url)
        #expect((store as? TabFileStore)?.origin == "coordinator")
    }

    @Test func transformersByName() throws {
        let name = NSValueTransformerName("TabTransformerOfTests")
        #expect(ValueTransformer(forName: name) == nil)
        let transformer = TabTransformer(prefix: "tab: ")
        ValueTransformer.setValueTransformer(transformer, forName: name)
        #expect(ValueTransformer(forName: name) === transformer)
        #expect(ValueTransformer(forName: name)?.transformedValue("News") as? String == "tab: News")
        #expect(ValueTransformer(forName: .isNilTransformerName)?.transformedValue(nil) as? Bool == true)
    }
}

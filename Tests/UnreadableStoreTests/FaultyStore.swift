@testable import CoreData
import CoreDataMemoryStorage
import CoreDataRowStorage
import Foundation

/// A store in memory whose reads fail where a test wants them to.
final class FaultyStore: NSPersistentStore, EngineStore, @unchecked Sendable {
    static let kind = NSPersistentStore.StoreType(rawValue: "Faulty")

    private(set) nonisolated(unsafe) var faults: FaultyEngine!

    var engine: FaultyEngine { faults }

    override var type: String { Self.kind.rawValue }
    override class var ignoresUniquenessConstraints: Bool { true }

    override func loadMetadata() throws {
        let identifier: String = identifier
        let found: [String: Any] = ["NSStoreType": Self.kind.rawValue, "NSStoreUUID": identifier]
        metadata = found
    }

    override func openStore() throws {
        let memory = MemoryEngine(layouts: layouts!) { [unowned self] in objectID(for: $0) }
        faults = FaultyEngine(memory)
    }
}

/// A coordinator over a ``FaultyStore``, with objects in it.
final class Library: @unchecked Sendable {
    let coordinator: NSPersistentStoreCoordinator
    let store: FaultyStore

    var faults: FaultyEngine { store.faults }

    init(_ model: NSManagedObjectModel = Library.model) throws {
        NSPersistentStoreCoordinator.registerStoreClass(FaultyStore.self, type: FaultyStore.kind)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        store =
            try coordinator.addPersistentStore(
                ofType: FaultyStore.kind.rawValue, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
            as! FaultyStore
        let context = context()
        try context.performAndWait { () throws in
            try Self.fill(context)
            try context.save()
        }
    }

    /// A new context on the coordinator.
    func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergePolicy(merge: .errorMergePolicyType)
        return context
    }

    /// A new child of a new context.
    func child() -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context()
        return child
    }

    /// `Owner` ⟷ n `Kid` (cascade), `Owner` ⟷ ordered `Page` (nullify), `Owner` n ⟷ n `Tag`, `Owner` ⟷ n `Pet` (deny),
    /// `Owner` 1 ⟷ 1 `Badge`, and `Owner.favourite` to a `Tag`, without inverse.
    static let model: NSManagedObjectModel = {
        let names = ["Owner", "Kid", "Page", "Tag", "Pet", "Badge"]
        let entities = Dictionary(uniqueKeysWithValues: names.map { ($0, entity($0)) })
        func relate(
            _ a: String, _ nameA: String, many: Bool, _ b: String, _ nameB: String?, manyB: Bool = false,
            ordered: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule
        ) {
            let there = NSRelationshipDescription()
            (there.name, there.destinationEntity, there.maxCount) = (nameA, entities[b], many ? 0 : 1)
            (there.isOrdered, there.deleteRule) = (ordered, rule)
            entities[a]!.properties.append(there)
            guard let nameB else { return }
            let back = NSRelationshipDescription()
            (back.name, back.destinationEntity, back.maxCount) = (nameB, entities[a], manyB ? 0 : 1)
            (there.inverseRelationship, back.inverseRelationship) = (back, there)
            entities[b]!.properties.append(back)
        }
        relate("Owner", "kids", many: true, "Kid", "owner", rule: .cascadeDeleteRule)
        relate("Owner", "pages", many: true, "Page", "owner", ordered: true)
        relate("Owner", "tags", many: true, "Tag", "owners", manyB: true)
        relate("Owner", "pets", many: true, "Pet", "keeper", rule: .denyDeleteRule)
        relate("Owner", "badge", many: false, "Badge", "owner")
        relate("Owner", "favourite", many: false, "Tag", nil)
        let model = NSManagedObjectModel()
        model.entities = names.map { entities[$0]! }
        return model
    }()

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        let text = NSAttributeDescription()
        (text.name, text.attributeType, text.isOptional) = ("name", .stringAttributeType, true)
        let number = NSAttributeDescription()
        (number.name, number.attributeType, number.isOptional) = ("number", .integer64AttributeType, true)
        entity.properties = [text, number]
        return entity
    }

    /// Two owners, "A" and "B", each with three kids, three pages, two tags, a badge and a favourite tag.
    static func fill(_ context: NSManagedObjectContext) throws {
        func make(_ entity: String, _ name: String) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(name, forKey: "name")
            object.setValue(1, forKey: "number")
            return object
        }
        let tags = (0..<3).map { make("Tag", "T\($0)") }
        for (index, letter) in ["A", "B"].enumerated() {
            let owner = make("Owner", letter)
            owner.setValue(NSSet(array: (0..<3).map { make("Kid", "\(letter)k\($0)") }), forKey: "kids")
            owner.setValue(NSOrderedSet(array: (0..<3).map { make("Page", "\(letter)p\($0)") }), forKey: "pages")
            owner.setValue(NSSet(array: [tags[index], tags[index + 1]]), forKey: "tags")
            owner.setValue(make("Badge", "\(letter)b"), forKey: "badge")
            owner.setValue(tags[index], forKey: "favourite")
        }
        // Has pets, and nothing else.
        make("Owner", "C").setValue(NSSet(object: make("Pet", "cat")), forKey: "pets")
    }
}

extension NSManagedObjectContext {
    /// The only object of a name, as a fault; its row is not in memory.
    func fault(_ entity: String, _ name: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entity)
        request.resultType = .managedObjectIDResultType
        request.predicate = NSPredicate(format: "name == %@", name)
        return object(with: try fetch(request)[0])
    }

    func all(_ entity: String) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try fetch(request)
    }
}

extension NSManagedObject {
    var name: String? { value(forKey: "name") as? String }

    /// The names of a relationship's members: sorted, unless it is ordered.
    func names(_ relationship: String) -> [String] {
        switch value(forKey: relationship) {
        case let set as NSSet: set.map { ($0 as! NSManagedObject).name ?? "nil" }.sorted()
        case let ordered as NSOrderedSet: ordered.map { ($0 as! NSManagedObject).name ?? "nil" }
        case let object as NSManagedObject: [object.name ?? "nil"]
        default: []
        }
    }
}

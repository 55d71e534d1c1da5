import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import PredicateFormat
import Testing

/// Random changes in a context, its child and that one's child; fetches with limits and offsets are compared with the cut of the
/// whole answer, and the rows they read are counted.
@Suite("Limits beside random changes")
struct RandomLimitTests {
    @Test(arguments: [[NSSQLiteStoreType], [NSInMemoryStoreType], [NSSQLiteStoreType, NSInMemoryStoreType]], 1...4)
    func limitedAnswersAreCutFromTheWhole(_ types: [String], _ seed: Int) throws {
        let world = try LimitWorld(types, seed: UInt64(seed))
        for step in 0..<LongForm.choose(5, long: 500) {
            if let difference = try world.step() {
                Issue.record("Seed \(seed), step \(step), \(types): \(difference)")
                return
            }
        }
    }
}

private final class LimitWorld {
    private let folder: TemporaryFolder
    private let stores: [NSPersistentStore]
    /// A context on the stores, its child, and that one's.
    private let contexts: [NSManagedObjectContext]
    private var generator: SeededGenerator

    init(_ types: [String], seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        let several = try SeveralStores(ItemModel.make(), types: types, in: folder)
        stores = several.stores
        var contexts = [several.context]
        for _ in 0..<2 {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = contexts.last
            contexts.append(child)
        }
        self.contexts = contexts
        try contexts[0].performAndWait {
            for number in 0..<60 {
                let object = insert(number % 10 == 0 ? "Owner" : number % 4 == 0 ? "Special" : "Item", contexts[0])
                contexts[0].assign(object, to: stores[number % stores.count])
            }
            try contexts[0].save()
        }
        // With more than some thirty changed objects, those that match are looked up.
        if seed % 2 == 0 {
            try contexts[0].performAndWait { for _ in 0..<40 { try edit(contexts[0]) } }
        }
    }

    private func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
    private func chance(_ count: Int) -> Bool { random(count) == 0 }

    /// - Returns: what is wrong, if anything is.
    func step() throws -> String? {
        let level = random(contexts.count)
        let context = contexts[level]
        try context.performAndWait {
            for _ in 0..<random(4) { try edit(context) }
            if chance(6) {
                do { try context.save() } catch { context.rollback() }
            }
        }
        // Children that keep values from before have an order of their own.
        for child in contexts[(level + 1)...] { child.performAndWait { child.refreshAllObjects() } }
        for _ in 0..<4 {
            let level = random(contexts.count)
            if let difference = try contexts[level].performAndWait({ try compare(contexts[level]) }) {
                return "level \(level), \(difference)"
            }
        }
        return nil
    }

    // MARK: Changes

    @discardableResult
    private func insert(_ entity: String, _ context: NSManagedObjectContext) -> NSManagedObject {
        let object = context.insert(entity)
        if entity == "Owner" {
            object.setValue("owner \(random(4))", forKey: "name")
        } else {
            set(object)
        }
        return object
    }

    private func set(_ item: NSManagedObject) {
        item.setValue(chance(6) ? nil : random(8), forKey: "number")
        item.setValue(chance(6) ? nil : ["a", "B", "b", "C"][random(4)], forKey: "word")
    }

    private func edit(_ context: NSManagedObjectContext) throws {
        let items = try context.fetchAll("Item")
        guard let item = items.randomElement(using: &generator), !chance(3) else {
            insert(chance(3) ? "Special" : "Item", context)
            return
        }
        switch random(4) {
        case 0: context.delete(item)
        case 1 where stores.count == 1:
            item.setValue(try context.fetchAll("Owner").randomElement(using: &generator), forKey: "owner")
        default: set(item)
        }
    }

    // MARK: Fetches

    private func request(_ context: NSManagedObjectContext) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: chance(5) ? "Special" : "Item")
        request.includesSubentities = !chance(5)
        request.predicate =
            switch random(6) {
            case 0: nil
            case 1: NSPredicate(format: "number == %d", random(8))
            case 2: NSPredicate(format: "number IN %@ AND word != 'a'", [random(8), random(8), random(8)])
            case 3: NSPredicate(format: "number > %d OR word == nil", random(8))
            case 4: NSPredicate(format: "owner != nil")
            default: NSPredicate(format: "word BEGINSWITH[c] 'b'")
            }
        let orders: [[NSSortDescriptor]?] = [
            nil, [NSSortDescriptor(key: "number", ascending: true)],
            [NSSortDescriptor(key: "number", ascending: false)],
            [
                NSSortDescriptor(key: "word", ascending: chance(2)),
                NSSortDescriptor(key: "number", ascending: chance(2)),
            ],
            [NSSortDescriptor(key: "owner.name", ascending: chance(2))],
            [NSSortDescriptor(key: "word", ascending: true, selector: NSSelectorFromString("caseInsensitiveCompare:"))],
            context === contexts[0] ? [NSSortDescriptor(key: "self", ascending: chance(2))] : nil,
        ]
        request.sortDescriptors = orders[random(orders.count)]
        return request
    }

    private func compare(_ context: NSManagedObjectContext) throws -> String? {
        let request = request(context)
        let all = try context.fetch(request)
        if let descriptors = request.sortDescriptors, !areSorted(all, descriptors) { return "unsorted: \(request)" }
        request.fetchOffset = chance(2) ? 0 : random(12)
        request.fetchLimit = chance(4) ? 0 : 1 + random(12)
        // Without an order, keys alone may be read from an index, whose order is another.
        let isSorted = request.sortDescriptors != nil
        if isSorted, chance(4) { request.fetchBatchSize = 1 + random(4) }
        let rest = all.dropFirst(request.fetchOffset)
        let wanted = Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
        let (found, recording) = try Instruments.recordResult { try context.fetch(request) }
        guard found == wanted else {
            return "\(request): found \(found.map(\.objectID)), not \(wanted.map(\.objectID))"
        }
        let rows = recording.events(of: .fetch).reduce(0) { $0 + $1.rows }
        let most = stores.count * (request.fetchLimit + request.fetchOffset + changedItems(context))
        if request.fetchLimit > 0, rows > most { return "\(request): \(rows) rows were read, and \(most) are enough" }
        let count = try context.count(for: request)
        if count != wanted.count { return "\(request): counted \(count), not \(wanted.count)" }
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: request.entityName ?? "")
        ids.resultType = .managedObjectIDResultType
        (ids.predicate, ids.sortDescriptors) = (request.predicate, request.sortDescriptors)
        (ids.fetchLimit, ids.fetchOffset) = (request.fetchLimit, request.fetchOffset)
        ids.includesSubentities = request.includesSubentities
        let foundIDs = try context.fetch(ids)
        let isSame = isSorted ? foundIDs == wanted.map(\.objectID) : foundIDs.count == wanted.count
        return isSame ? nil : "\(request): other IDs"
    }

    private func areSorted(_ objects: [NSManagedObject], _ descriptors: [NSSortDescriptor]) -> Bool {
        zip(objects, objects.dropFirst()).allSatisfy { first, second in
            let results = descriptors.lazy.map { $0.compare(first, to: second) }
            return results.first { $0 != .orderedSame } != .orderedDescending
        }
    }

    /// How many changed objects this context and those above it have.
    private func changedItems(_ context: NSManagedObjectContext) -> Int {
        let own = context.performAndWait {
            context.registeredObjects.count { $0.entity.name != "Owner" && ($0.hasChanges || $0.isDeleted) }
        }
        return own + (context.parent.map(changedItems) ?? 0)
    }
}

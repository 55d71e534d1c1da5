import CoreData
import CoreDataTestSupport
import Foundation
import PredicateFormat
import Testing

/// Random changes of every kind in several contexts with many unsaved objects; fetches by value are compared with evaluation
/// for each object.
///
/// `COREDATA_RANDOM_STEPS=500000 swift test --filter RandomLookupTests` is the long form, and `COREDATA_RANDOM_SEED` sets the
/// first seed. A failure prints its seed and the last steps.
@Suite
struct RandomLookupTests {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test(arguments: StoreKind.allCases)
    func lookupsFindWhatEvaluationFinds(_ store: StoreKind) throws {
        let steps = Self.setting("COREDATA_RANDOM_STEPS") ?? 200
        let length = min(steps, 500)
        let first = UInt64(Self.setting("COREDATA_RANDOM_SEED") ?? 1)
        for round in 0..<UInt64(max(1, steps / length)) {
            let world = try LookupWorld(seed: first + round, store)
            do {
                for _ in 0..<length { try world.step() }
            } catch {
                Issue.record(
                    "Seed \(first + round), \(store): \(error)\n\(world.log.suffix(30).joined(separator: "\n"))")
                return
            }
        }
    }
}

/// A context, its child, and another context of the same store.
private final class LookupWorld {
    private let library: Library
    private let main: NSManagedObjectContext
    private let contexts: [(name: String, context: NSManagedObjectContext)]
    private var generator: SeededGenerator
    private var token: (any NSObjectProtocol)?
    private var known: [ObjectIdentifier: [NSManagedObject]] = [:]
    private(set) var log: [String] = []

    init(seed: UInt64, _ store: StoreKind) throws {
        generator = SeededGenerator(seed: seed)
        library = try Library(ItemModel.make(), store: store)
        main = library.context
        let child = library.makeChild(), other = library.makeContext()
        contexts = [("main", main), ("child", child), ("main", main), ("child", child), ("other", other)]
        for context in [main, child, other] {
            context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        }
        for context in [main, child] { context.performAndWait { context.undoManager = UndoManager() } }
        try main.performAndWait {
            for _ in 0..<20 { insert(into: main) }
            try main.save()
        }
        for (context, count) in [(main, 50), (child, 40), (other, 34)] {
            try context.performAndWait {
                try learnObjects(of: context)
                for _ in 0..<count { insert(into: context) }
            }
        }
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { [main] notification in
            main.performAndWait { main.mergeChanges(fromContextDidSave: notification) }
        }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
        for (_, context) in contexts { context.performAndWait { context.undoManager = nil } }
    }

    private func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
    private func chance(_ count: Int) -> Bool { random(count) == 0 }

    func step() throws {
        let (name, context) = contexts[random(contexts.count)]
        var failure: (any Error)?
        context.performAndWait {
            do {
                for _ in 0..<(1 + random(3)) {
                    log.append("\(name): \(change(context))")
                    if chance(2) { try compare(name, context) }
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func compare(_ name: String, _ context: NSManagedObjectContext) throws {
        let predicate = predicate(context)
        log.append("\(name): fetch \(predicate.node.predicateFormat)")
        let (limit, includesSubentities) = (chance(4) ? 1 + random(3) : 0, !chance(8))
        try LookupCheck.compare(predicate, in: context, entity: chance(8) ? "Special" : "Item") { request in
            request.fetchLimit = limit
            request.includesSubentities = includesSubentities
        }
    }

    // MARK: Fetches

    private func predicate(_ context: NSManagedObjectContext) -> NSPredicate {
        let (number, word) = (random(12), "w\(random(12))")
        return switch random(9) {
        case 0, 1: NSPredicate(format: "number == %d", number)
        case 2: NSPredicate(format: "word == %@", word)
        case 3: NSPredicate(format: "number IN %@", [number, random(12)])
        case 4: NSPredicate(format: "number == %d AND word == %@", number, word)
        case 5: NSPredicate(format: "number > 2 AND (word == %@ AND number < 9)", word)
        case 6: NSPredicate(format: "number == nil")
        case 7: NSPredicate(format: "word == nil AND number != 3")
        default:
            owner(context).map { NSPredicate(format: "owner == %@", $0) }
                ?? NSPredicate(format: "word IN %@", [word])
        }
    }

    /// The objects of a context that may be changed. In an order that depends on the seed alone.
    private func objects(_ entity: String, _ context: NSManagedObjectContext) -> [NSManagedObject] {
        known[ObjectIdentifier(context), default: []].filter {
            $0.managedObjectContext != nil && !$0.isDeleted && ($0.entity.name == "Owner") == (entity == "Owner")
        }
    }

    private func learnObjects(of context: NSManagedObjectContext) throws {
        known[ObjectIdentifier(context)] = try ["Item", "Owner"].flatMap { entity in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            return try context.fetch(request)
        }
    }

    private func owner(_ context: NSManagedObjectContext) -> NSManagedObject? {
        objects("Owner", context).randomElement(using: &generator)
    }

    // MARK: Changes

    @discardableResult
    private func insert(into context: NSManagedObjectContext) -> NSManagedObject {
        let entity = chance(20) ? "Owner" : chance(5) ? "Special" : "Item"
        let item = context.insert(entity)
        known[ObjectIdentifier(context), default: []].append(item)
        if entity == "Owner" { return item }
        if !chance(6) { item.setValue(random(12), forKey: "number") }
        if !chance(6) { item.setValue("w\(random(12))", forKey: "word") }
        return item
    }

    /// Changes something; returns what, in words.
    private func change(_ context: NSManagedObjectContext) -> String {
        switch random(60) {
        case 0..<16:
            return "insert \(insert(into: context).objectID)"
        case 16..<36:
            guard let item = objects("Item", context).randomElement(using: &generator) as? CountedItem else {
                return ""
            }
            return "\(set(item)) of \(item.objectID)"
        case 36..<41:
            guard let item = objects("Item", context).randomElement(using: &generator) else { return "" }
            let owner = chance(4) ? nil : owner(context)
            if let owner, chance(2) {
                owner.mutableSetValue(forKey: "items").add(item)
            } else {
                item.setValue(owner, forKey: "owner")
            }
            return "relate \(item.objectID) to \(owner.map { "\($0.objectID)" } ?? "nil")"
        case 41..<46:
            guard let object = objects(chance(8) ? "Owner" : "Item", context).randomElement(using: &generator) else {
                return ""
            }
            context.delete(object)
            return "delete \(object.objectID)"
        case 46..<50:
            context.undo()
            return "undo"
        case 50..<52:
            context.redo()
            return "redo"
        case 52..<55:
            guard let object = objects("Item", context).randomElement(using: &generator) else { return "" }
            let merges = !chance(3)
            context.refresh(object, mergeChanges: merges)
            return "refresh \(object.objectID) \(merges)"
        case 55:
            context.processPendingChanges()
            return "process"
        case 56:
            guard context.parent == nil else { return "" }
            try? context.obtainPermanentIDs(for: Array(context.insertedObjects.prefix(5)))
            return "permanent IDs"
        default:
            return chance(5) ? rare(context) : ""
        }
    }

    private func set(_ item: CountedItem) -> String {
        let (number, word) = (random(12), "w\(random(12))")
        switch random(7) {
        case 0: item.number = Int64(number)
        case 1: item.word = word
        case 2: item.setValue(chance(3) ? nil : number, forKey: "number")
        case 3: item.setPrimitiveValue(number, forKey: "number")
        case 4:
            item.willChangeValue(forKey: "word")
            item.setPrimitiveValue(chance(3) ? nil : word, forKey: "word")
            item.didChangeValue(forKey: "word")
        case 5:
            item.number = nil
            item.number = Int64(number)
        default: item.setValuesForKeys(["number": number, "word": word])
        }
        return "set \(number) \(word)"
    }

    private func rare(_ context: NSManagedObjectContext) -> String {
        let words: String
        switch random(12) {
        case 0:
            context.rollback()
            words = "rollback"
        case 1:
            context.reset()
            words = "reset"
        case 2, 3:
            context.refreshAllObjects()
            words = "refresh all"
        default:
            do {
                try context.save()
                words = "save"
            } catch {
                context.rollback()
                words = "failed save \(error)"
            }
        }
        do { try learnObjects(of: context) } catch { return "\(words), \(error)" }
        // Many objects have unsaved changes, always.
        while context.insertedObjects.count < 36 { insert(into: context) }
        for case let item as CountedItem in objects("Item", context) where chance(3) { item.word = "w\(random(12))" }
        return words
    }
}

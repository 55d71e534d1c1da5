import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Contexts that are told of each other's saves late or never, under every merge policy: two on the coordinator, and a child
/// that relates objects which its parent has deleted meanwhile.
///
/// There is no reference to compare with here: conflicts go one way or the other, and a context that is not told may show an
/// object in two places. But nothing ends the process, a save succeeds or is an error of Cocoa's, and no relationship holds a
/// member twice.
/// `COREDATA_RANDOM_STEPS=3000000 swift test --filter UntoldContextsTests` is the long form.
@Suite("Random edits of contexts that are not told", .slow)
struct UntoldContextsTests {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test(arguments: StoreKind.allCases)
    func edits(store: StoreKind) throws {
        let steps =
            Self.setting("COREDATA_RANDOM_STEPS")
            ?? LongForm.choose(store == .memory ? 1_600 : 600, long: store == .memory ? 10_000 : 3_000)
        let first = UInt64(Self.setting("COREDATA_RANDOM_SEED") ?? 1)
        for round in 0..<max(1, steps / 400) {
            let seed = first + UInt64(round)
            var world = try UntoldWorld(seed: seed, store: store)
            do {
                for _ in 0..<400 { try world.step() }
            } catch {
                Issue.record("Seed \(seed): \(error)\n\(world.steps.suffix(40).joined(separator: "\n"))")
                return
            }
        }
    }
}

private struct UntoldWorld {
    struct Broken: Error, CustomStringConvertible {
        var description: String
    }

    private let library: Library
    private let contexts: [(name: String, context: NSManagedObjectContext)]
    private var random: SeededGenerator
    private let told: Told
    private(set) var steps: [String] = []

    private static let policies: [NSMergePolicy] = [
        .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
    ]

    init(seed: UInt64, store: StoreKind) throws {
        random = SeededGenerator(seed: seed)
        library = try Library(GraphSchema.make(), store: store)
        let other = library.makeContext(), child = library.makeChild(), sibling = library.makeChild()
        contexts = [("A", library.context), ("B", other), ("C", child), ("D", sibling)]
        for (_, context) in contexts { context.undoManager = UndoManager() }
        told = Told(contexts.map(\.context))
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func step() throws {
        let (name, context) = contexts[Int.random(in: 0..<contexts.count, using: &random)]
        let number = Int.random(in: 0..<100, using: &random)
        var random = random
        var note = ""
        steps.append("\(name) …")
        try context.performAndWait {
            switch number {
            case 0..<14: note = insert(in: context, &random)
            case 14..<60: note = try edit(in: context, &random)
            case 60..<70:
                guard let object = try any(in: context, &random) else { return }
                note = "deletes \(label(object))"
                context.delete(object)
            case 70..<76:
                note = "processes"
                context.processPendingChanges()
            case 76..<88: note = try save(context, &random)
            case 88..<90:
                note = "rolls back"
                context.rollback()
            case 90..<92:
                note = "undoes"
                if context.undoManager?.canUndo == true { context.undo() }
            case 92: if context.undoManager?.canRedo == true { context.redo() }
            case 93..<95:
                note = "refreshes"
                context.refreshAllObjects()
            case 95:
                note = "resets"
                context.reset()
            case 96:
                note = "is told"
                for save in told.take(for: context) { context.mergeChanges(fromContextDidSave: save) }
            default: try check(context)
            }
        }
        self.random = random
        steps[steps.count - 1] = "\(name) \(note)"
        if number > 96 { return }
        if chance(10) { try context.performAndWait { try check(context) } }
    }

    private func label(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "") \(object.value(forKey: "label") ?? "?")"
    }

    private func any(
        in context: NSManagedObjectContext, of entity: String? = nil, _ random: inout SeededGenerator
    ) throws -> NSManagedObject? {
        let name = entity ?? ["Node", "Box", "Item", "Badge"].randomElement(using: &random)!
        return try context.fetchAll(name).sorted { label($0) < label($1) }.randomElement(using: &random)
    }

    private func insert(in context: NSManagedObjectContext, _ random: inout SeededGenerator) -> String {
        let entity = ["Node", "Leaf", "Box", "Item", "Item", "Badge"].randomElement(using: &random)!
        let label = Int.random(in: 0..<1_000_000, using: &random)
        context.insert(entity, ["label": label])
        return "inserts \(entity) \(label)"
    }

    private func edit(in context: NSManagedObjectContext, _ random: inout SeededGenerator) throws -> String {
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1:
            guard let box = try any(in: context, of: "Box", &random),
                let item = try any(in: context, of: "Item", &random)
            else { return "" }
            let items = box.mutableOrderedSetValue(forKey: "items")
            switch Int.random(in: 0..<4, using: &random) {
            case 0: items.insert(item, at: 0)
            case 1: items.remove(item)
            case 2 where items.count > 1: items.moveObjects(at: IndexSet(integer: items.count - 1), to: 0)
            default: items.add(item)
            }
            return "changes the items of \(label(box)) with \(label(item))"
        case 2:
            guard let box = try any(in: context, of: "Box", &random) else { return "" }
            let items = try context.fetchAll("Item").shuffled(using: &random).prefix(3)
            box.setValue(NSOrderedSet(array: Array(items)), forKey: "items")
            return "gives \(label(box)) \(items.map(label))"
        case 3:
            guard let node = try any(in: context, of: "Node", &random),
                let other = try any(in: context, of: "Node", &random)
            else { return "" }
            node.mutableSetValue(forKey: "links").add(other)
            return "links \(label(node)) to \(label(other))"
        case 4:
            guard let node = try any(in: context, of: "Node", &random),
                let other = try any(in: context, of: "Node", &random)
            else { return "" }
            node.setValue(other, forKey: "parent")
            return "puts \(label(node)) below \(label(other))"
        case 5:
            guard let node = try any(in: context, of: "Node", &random),
                let badge = try any(in: context, of: "Badge", &random)
            else { return "" }
            node.setValue(badge, forKey: "badge")
            return "gives \(label(node)) \(label(badge))"
        default:
            guard let object = try any(in: context, &random) else { return "" }
            object.setValue("\(Int.random(in: 0..<1000, using: &random))", forKey: "name")
            return "names \(label(object))"
        }
    }

    private func save(_ context: NSManagedObjectContext, _ random: inout SeededGenerator) throws -> String {
        context.mergePolicy = Self.policies.randomElement(using: &random)!
        do {
            try context.save()
            return "saves, \(context.mergePolicy)"
        } catch {
            let error = error as NSError
            guard error.domain == NSCocoaErrorDomain, !error.localizedDescription.isEmpty else {
                throw Broken(description: "\(error)")
            }
            if Bool.random(using: &random) { context.rollback() } else { context.refreshAllObjects() }
            return "fails to save: \(error.code), \(context.mergePolicy)"
        }
    }

    // MARK: What always holds

    private func check(_ context: NSManagedObjectContext) throws {
        context.processPendingChanges()
        for object in context.registeredObjects where !object.isFault && !object.isDeleted {
            guard object.managedObjectContext === context else {
                throw Broken(description: "\(object) is registered, but in another context")
            }
            for (name, relationship) in object.entity.relationshipsByName {
                try check(object, name, relationship, context)
            }
        }
    }

    private func check(
        _ object: NSManagedObject, _ name: String, _ relationship: NSRelationshipDescription,
        _ context: NSManagedObjectContext
    ) throws {
        guard !object.hasFault(forRelationshipNamed: name) else { return }
        let value = object.value(forKey: name)
        let members =
            (value as? Set<NSManagedObject>).map(Array.init)
            ?? (value as? NSOrderedSet)?.array as? [NSManagedObject] ?? (value as? NSManagedObject).map { [$0] } ?? []
        for member in members { _ = (member.value(forKey: "label"), member.isDeleted, member.objectID) }
        if Set(members).count != members.count { throw Broken(description: "\(label(object)).\(name) repeats members") }
    }
}

/// Saves that contexts have not been told of yet.
private final class Told: @unchecked Sendable {
    private var waiting: [ObjectIdentifier: [Notification]] = [:]
    private var tokens: [any NSObjectProtocol] = []

    init(_ contexts: [NSManagedObjectContext]) {
        for context in contexts {
            tokens.append(
                NotificationCenter.default.addObserver(
                    forName: .NSManagedObjectContextDidSave, object: context, queue: nil
                ) { [unowned self] save in
                    for other in contexts where other !== context {
                        waiting[ObjectIdentifier(other), default: []].append(save)
                    }
                })
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    func take(for context: NSManagedObjectContext) -> [Notification] {
        defer { waiting[ObjectIdentifier(context)] = nil }
        return waiting[ObjectIdentifier(context)] ?? []
    }
}

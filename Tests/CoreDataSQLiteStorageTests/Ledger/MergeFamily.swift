import CoreData
import CoreDataTestSupport
import Foundation

/// A context on the coordinator, some with children, edited at random by one thread at a time.
final class MergeFamily: @unchecked Sendable {
    struct Broken: Error, CustomStringConvertible {
        var description: String
    }

    static let policies: [NSMergePolicy] = [
        .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]

    private let ledger: MergeLedger
    private let root: NSManagedObjectContext
    private let children: [NSManagedObjectContext]
    private var random: SeededGenerator
    private(set) var failures = 0

    init(
        on coordinator: NSPersistentStoreCoordinator, policy: NSMergePolicy, children count: Int, ledger: MergeLedger,
        seed: UInt64
    ) {
        self.ledger = ledger
        random = SeededGenerator(seed: seed)
        root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.persistentStoreCoordinator = coordinator
        root.mergePolicy = policy
        root.automaticallyMergesChangesFromParent = Bool.random(using: &random)
        var children: [NSManagedObjectContext] = []
        for _ in 0..<count {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = root
            child.mergePolicy = Self.policies.randomElement(using: &random)!
            child.automaticallyMergesChangesFromParent = Bool.random(using: &random)
            children.append(child)
        }
        self.children = children
    }

    private var policy: NSMergePolicy? { root.mergePolicy as? NSMergePolicy }

    func step() throws {
        let contexts = [root, root] + children
        let context = contexts.randomElement(using: &random)!
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60: try context.performAndWait { try edit(in: context) }
        case 60..<85: try save(context)
        case 85..<95: try increment()
        case 95..<97: context.performAndWait { context.refreshAllObjects() }
        case 97: context.performAndWait { context.rollback() }
        default: if context !== root || children.isEmpty { context.performAndWait { context.reset() } }
        }
    }

    // MARK: Edits

    private func any(_ entity: String, in context: NSManagedObjectContext) throws -> NSManagedObject? {
        try context.fetchAll(entity).filter { !$0.isDeleted }.randomElement(using: &random)
    }

    private func edit(in context: NSManagedObjectContext) throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<10:
            let note = try any("Note", in: context)
            for name in ["a", "b", "c"].shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)) {
                note?.setValue(ledger.token(), forKey: name)
            }
        case 10..<13:
            let note = try any("Note", in: context)
            try relate(note, in: context)
        case 13: try any("Group", in: context)?.setValue(ledger.token(), forKey: "a")
        case 14, 15:
            let note = context.insert("Note", ["label": ledger.token(), "a": ledger.token()])
            if Bool.random(using: &random) { try relate(note, in: context) }
        case 16: context.insert("Group", ["label": ledger.token(), "a": ledger.token()])
        case 17: if let note = try any("Note", in: context) { context.delete(note) }
        case 18:
            let groups = try context.fetchAll("Group").filter { !$0.isDeleted }
            if groups.count > 4, let group = groups.randomElement(using: &random) { context.delete(group) }
        default:
            // An increment elsewhere must not be lost to one who changes something else of the counter.
            guard policy != .overwrite else { return }
            try any("Counter", in: context)?.setValue(ledger.token(), forKey: "b")
        }
    }

    private func relate(_ note: NSManagedObject?, in context: NSManagedObjectContext) throws {
        guard let note else { return }
        let group = Int.random(in: 0..<4, using: &random) == 0 ? nil : try any("Group", in: context)
        note.setValue(group, forKey: "group")
        note.setValue(ledger.token(), forKey: "g")
    }

    /// Reads a counter and writes the next number, again and again until it is saved.
    private func increment() throws {
        guard policy == .error else { return }
        try root.performAndWait {
            guard !root.hasChanges, let counter = try any("Counter", in: root) else { return }
            for _ in 0..<1000 {
                counter.setValue((counter.value(forKey: "value") as? Int64 ?? 0) + 1, forKey: "value")
                counter.setValue(ledger.token(), forKey: "a")
                do {
                    try ledger.save(root)
                    ledger.noteIncrement(of: counter.value(forKey: "label") as? Int64 ?? -1)
                    return
                } catch {
                    try checkError(error)
                    root.refresh(counter, mergeChanges: false)
                }
            }
            throw Broken(description: "An increment failed 1000 times.")
        }
    }

    // MARK: Saves

    private func checkError(_ error: any Error) throws {
        failures += 1
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain, !error.localizedDescription.isEmpty else {
            throw Broken(description: "\(error)")
        }
    }

    private func save(_ context: NSManagedObjectContext) throws {
        if context !== root { return try saveChild(context) }
        try root.performAndWait {
            for attempt in 0..<3 {
                do {
                    try ledger.save(root)
                    return
                } catch {
                    try checkError(error)
                    if attempt == 2 || Bool.random(using: &random) { break }
                    for object in root.updatedObjects { root.refresh(object, mergeChanges: true) }
                }
            }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: break
            case 1:
                root.rollback()
                root.refreshAllObjects()
            default: root.rollback()
            }
        }
    }

    /// What a child saved is what its parent has.
    private func saveChild(_ child: NSManagedObjectContext) throws {
        let written: [(NSManagedObjectID, [String: Int64])] = try child.performAndWait {
            child.processPendingChanges()
            let names = ["a", "b", "c", "g"]
            var written: [(NSManagedObjectID, [String: Int64])] = []
            for object in child.insertedObjects.union(child.updatedObjects) {
                let changed = object.changedValues().compactMapValues { $0 as? Int64 }.filter { names.contains($0.key) }
                written.append((object.objectID, changed))
            }
            do {
                try child.save()
            } catch {
                try checkError(error)
                child.rollback()
                return []
            }
            return written
        }
        let policy = child.mergePolicy as? NSMergePolicy
        guard policy != .rollback, policy != .mergeByPropertyStoreTrump else { return }
        // Deletions elsewhere that are merged on their own end edits, and may come in between.
        guard !root.automaticallyMergesChangesFromParent else { return }
        try root.performAndWait {
            for (id, values) in written {
                // A deletion in the parent stays in force.
                guard let object = try? root.existingObject(with: id), !object.isDeleted else { continue }
                for (name, token) in values where object.value(forKey: name) as? Int64 != token {
                    throw Broken(description: "A parent lacks \(name) = \(token), which its child saved: \(object)")
                }
            }
        }
    }

    /// Lets every context of the family go on with what its last save left, and increments a counter, which a short run may never
    /// have come to.
    func finish() throws {
        for child in children { try saveChild(child) }
        root.performAndWait {
            do { try ledger.save(root) } catch { root.rollback() }
        }
        try increment()
    }
}

import MagicalRecord
import Testing

/// A text that counts in a hook how often its name has been saved, by whatever context.
final class Memo: NSManagedObject {
    override func willSave() {
        super.willSave()
        guard !isDeleted, changedValues().keys.contains("name") else { return }
        let saves = primitiveValue(forKey: "saves") as? NSNumber
        setPrimitiveValue(NSNumber(value: (saves?.intValue ?? 0) + 1), forKey: "saves")
    }
}

/// How an object is changed and saved.
enum WayOfSaving: CaseIterable, Sendable {
    case mainContext, mainContextInSteps, mainContextByLegacySave, childOfMain, childOfMainByLegacySave
    case grandchildOfMain, worker, importing, database

    /// Whether the main context has a hand in it. Others' contexts learn of what has been written, and so not of others' rows that
    /// a save came upon without writing anything.
    var goesThroughMain: Bool {
        switch self {
        case .worker, .importing, .database: false
        default: true
        }
    }
}

/// A context of a save and what it saved, to be read on its queue.
private struct SavedObjects: @unchecked Sendable {
    let context: NSManagedObjectContext
    let objects: [NSManagedObject]
}

/// A stack on a file that another stack writes to as well, as another process would, and a list in the main context.
final class MemoStack: NSObject, NSFetchedResultsControllerDelegate, @unchecked Sendable {
    let stack: MagicalRecord.Stack
    let other: MagicalRecord.Stack
    private let reader: MagicalRecord.Stack
    private let database: MagicalRecord.Database
    private var controller: NSFetchedResultsController<NSManagedObject>?
    /// What the list has been told, by object.
    private(set) var told: [NSManagedObjectID: [NSFetchedResultsChangeType]] = [:]
    /// The contexts that were made for the last save, which go on to show what they have saved.
    private var kept: [SavedObjects] = []

    var main: NSManagedObjectContext { stack.mainContext }

    init(_ shape: MagicalRecord.Shape, _ policy: NSMergePolicy = .error, isUnique: Bool = false) async throws {
        let file = ScratchFiles.new("Memos.sqlite")
        stack = try MagicalRecord.Stack(
            [.sqlite(at: file)], shape: shape, model: .model(Self.model(isUnique)), mergePolicy: policy)
        other = try MagicalRecord.Stack(
            [.sqlite(at: file)], shape: .siblings, model: .model(Self.model(isUnique)), mergePolicy: .overwrite)
        reader = try MagicalRecord.Stack([.sqlite(at: file)], shape: .server, model: .model(Self.model(isUnique)))
        database = MagicalRecord.Database(stack: stack)
        super.init()
        try await stack.save { context in
            for number in 1...2 { Self.insert(number, "a", in: context) }
        }
        await stack.mergesHaveEnded()
        try await main.perform { try self.watch() }
    }

    static func model(_ isUnique: Bool) -> NSManagedObjectModel {
        let memo = Build.entity("Memo", class: Memo.self)
        memo.properties = [
            Build.attribute("memoID", .integer64AttributeType, default: 0),
            Build.attribute("name", .stringAttributeType),
            Build.attribute("other", .stringAttributeType),
            Build.attribute("saves", .integer64AttributeType, default: 0),
        ]
        if isUnique { memo.uniquenessConstraints = [["memoID"]] }
        return Build.model(memo)
    }

    @discardableResult
    static func insert(_ number: Int, _ name: String, in context: NSManagedObjectContext) -> NSManagedObject {
        let memo = NSEntityDescription.insertNewObject(forEntityName: "Memo", into: context)
        memo.setValue(number, forKey: "memoID")
        memo.setValue(name, forKey: "name")
        return memo
    }

    static func all(in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Memo")
        request.sortDescriptors = [NSSortDescriptor(key: "memoID", ascending: true)]
        return try context.fetch(request)
    }

    static func memo(_ number: Int, in context: NSManagedObjectContext) throws -> NSManagedObject? {
        try all(in: context).first { $0.value(forKey: "memoID") as? Int == number }
    }

    // MARK: The list

    private func watch() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Memo")
        request.sortDescriptors = [NSSortDescriptor(key: "memoID", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: main, sectionNameKeyPath: nil, cacheName: nil)
        controller.delegate = self
        try controller.performFetch()
        for memo in controller.fetchedObjects ?? [] { _ = memo.value(forKey: "name") }
        self.controller = controller
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let object = anObject as? NSManagedObject else { return }
        told[object.objectID, default: []].append(type)
    }

    // MARK: Saving

    /// Reads a memo, has the other stack write, changes the memo and saves, all on the main context's queue.
    func change(
        _ number: Int, _ way: WayOfSaving,
        meanwhile: @escaping @Sendable (NSManagedObjectContext) throws -> Void = { _ in },
        _ change: @escaping @Sendable (NSManagedObject, NSManagedObjectContext) throws -> Void
    ) async throws {
        kept = []
        try await main.perform {
            let work = { (context: NSManagedObjectContext) throws -> [NSManagedObject] in
                guard let memo = try Self.memo(number, in: context) else { return [] }
                _ = memo.value(forKey: "name")
                try self.other.saveAndWait(meanwhile)
                try change(memo, context)
                return [memo]
            }
            try self.save(way, number, work, meanwhile)
        }
        await stack.mergesHaveEnded()
    }

    private func save(
        _ way: WayOfSaving, _ number: Int, _ work: (NSManagedObjectContext) throws -> [NSManagedObject],
        _ meanwhile: @escaping @Sendable (NSManagedObjectContext) throws -> Void
    ) throws {
        switch way {
        case .mainContext:
            _ = try work(main)
            try main.save(to: .store)
        case .mainContextInSteps:
            _ = try work(main)
            try main.save(to: .parent)
            try stack.rootSavingContext.save(to: .store)
        case .mainContextByLegacySave:
            _ = try work(main)
            main.mr_saveToPersistentStoreAndWait()
        case .childOfMain, .childOfMainByLegacySave, .grandchildOfMain:
            var context = main
            for _ in 0..<(way == .grandchildOfMain ? 2 : 1) { context = Self.child(of: context) }
            try context.runAndWait {
                kept.append(SavedObjects(context: context, objects: try work(context)))
                if way == .childOfMainByLegacySave {
                    context.mr_saveToPersistentStoreAndWait()
                } else {
                    try context.save(to: .store)
                }
            }
        case .worker: try stack.saveAndWait { _ = try work($0) }
        case .importing:
            try stack.saveAndWait { context in
                _ = try Self.memo(number, in: context)?.value(forKey: "name")
                try other.saveAndWait(meanwhile)
                _ = try Memo.importObjects(from: [["memoID": number, "name": "imported"]], in: context)
            }
        case .database: _ = try database.saveAndWait("memos") { _ = try work($0) }
        }
    }

    /// On the main context's queue, as the tests are.
    private static func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = parent
        return context
    }

    // MARK: Reading

    private static func lines(_ memos: [NSManagedObject]) -> [String] {
        memos.map { memo in
            ["memoID", "name", "other", "saves"].map { "\(memo.value(forKey: $0) ?? "nil")" }.joined(separator: " ")
        }
        .sorted()
    }

    /// Compares what the contexts show with what another coordinator reads from the file. The list need not have rows that only
    /// others have written.
    func expectTruth(_ comment: String, _ location: SourceLocation = #_sourceLocation) async throws {
        let difference = try await difference()
        #expect(difference == nil, "\(comment)", sourceLocation: location)
    }

    /// How what the contexts show differs from what another coordinator reads from the file; nil where it does not.
    func difference() async throws -> String? {
        let stored = try stored()
        for saved in kept {
            let (shown, isDirty) = await saved.context.perform {
                let objects = saved.objects.filter { $0.managedObjectContext != nil && !$0.isDeleted }
                return (Self.lines(objects), saved.context.hasChanges)
            }
            guard shown.allSatisfy(stored.contains) else { return "the child shows \(shown), stored are \(stored)" }
            guard !isDirty else { return "the child has changes" }
        }
        let (listed, fetched) = try await shown()
        guard fetched == stored else { return "fetched are \(fetched), stored \(stored)" }
        guard listed.allSatisfy(stored.contains) else { return "listed are \(listed), stored \(stored)" }
        return await isSaved ? nil : "there are changes to be saved"
    }

    /// Drops what could not be saved, and reads everything anew.
    func startAnew() async throws {
        kept = []
        for context in [stack.rootSavingContext, main] {
            await context.perform {
                context.rollback()
                context.refreshAllObjects()
            }
        }
        await stack.mergesHaveEnded()
        try await main.perform { try self.controller?.performFetch() }
    }

    /// Whether neither the main context nor the root has unsaved changes.
    var isSaved: Bool {
        get async {
            for context in [main, stack.rootSavingContext] where await context.perform({ context.hasChanges }) {
                return false
            }
            return true
        }
    }

    /// What the list and a fetch in the main context have.
    func shown() async throws -> (listed: [String], fetched: [String]) {
        try await main.perform {
            let listed = Self.lines(self.controller?.fetchedObjects ?? [])
            return (listed, Self.lines(try Self.all(in: self.main)))
        }
    }

    /// What a fresh context of another coordinator reads.
    func stored() throws -> [String] {
        let context = reader.newContext()
        return try context.runAndWait { Self.lines(try Self.all(in: context)) }
    }
}

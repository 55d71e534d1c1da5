import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// A way to work with a stack.
enum MatrixAction: String, CaseIterable {
    // Those that block their caller until they have ended.
    case saveAndWait, saveAndWaitOnConflict, writeAndWaitExclusive
    case databaseReadAndWait, databaseWriteAndWait, databaseWriteAndWaitExclusive
    case legacySaveAndWait, legacyChainAndWait, legacyMainSaveAndWait
    case readMain, saveMain, importAndWait, cleanUp, tearDownAndWait
    // Those that do not.
    case save, saveOnConflict, writeExclusive, read, databaseRead, databaseWrite, importAll, legacySave, readOnMainActor
    case mergesHaveEnded, tearDown

    static let blocking = Array(allCases.prefix { $0 != .save })
    var blocks: Bool { Self.blocking.contains(self) }
    /// Others may find the stack closed, with or after these.
    var ends: Bool { [.cleanUp, .tearDownAndWait, .tearDown].contains(self) }
    /// Its transaction is begun before its closure.
    var isExclusiveWrite: Bool {
        [.writeAndWaitExclusive, .databaseWriteAndWaitExclusive, .writeExclusive].contains(self)
    }
    /// Works on the named context.
    var isOfDatabase: Bool { rawValue.hasPrefix("database") }
    /// Counts as work on the stack while its closure runs.
    var isCounted: Bool { hasClosure && ![.readMain, .saveMain, .readOnMainActor].contains(self) }
    var hasClosure: Bool {
        !ends
            && ![.importAndWait, .importAll, .legacyMainSaveAndWait, .mergesHaveEnded].contains(self)
    }
}

/// One stack, and what has been started on it.
final class MatrixPlace: @unchecked Sendable {
    let stack: MagicalRecord.Stack
    let database: MagicalRecord.Database
    let running = DispatchGroup()
    private let lock = NSLock()
    private var found: [String] = []

    init(_ shape: MagicalRecord.Shape) throws {
        stack = try AddressBook.stack(.temporary, shape: shape)
        database = MagicalRecord.Database(stack: stack)
    }

    var surprises: [String] {
        lock.lock()
        defer { lock.unlock() }
        return found
    }

    func note(_ text: String) {
        lock.lock()
        defer { lock.unlock() }
        found.append(text)
    }

    /// Runs an action, and `inside` in the middle of it. One that does not block is started, and counted in `running`.
    ///
    /// - Throws: what a blocking action throws; `Refused` where a legacy one, which cannot throw, has not run its block.
    func run(_ action: MatrixAction, inside: @escaping @Sendable () -> Void = {}) throws {
        try MagicalRecord.withDefaultStack(stack) {
            if action.blocks { try runAndWait(action, inside) } else { start(action, inside) }
        }
    }

    struct Refused: Error {}

    private static let records: [[String: any Sendable]] = [["userID": 1], ["userID": 2]]
    private static let options = MagicalRecord.ImportOptions(chunkSize: 1)

    private func runAndWait(_ action: MatrixAction, _ inside: @escaping @Sendable () -> Void) throws {
        let work: (NSManagedObjectContext) throws -> Void = { context in
            try User.create(in: context)
            inside()
        }
        let main = stack.mainContext
        switch action {
        case .saveAndWait: try stack.saveAndWait(work)
        case .saveAndWaitOnConflict: try stack.saveAndWait(onConflict: .retry(times: 2), work)
        case .writeAndWaitExclusive: try stack.saveAndWait(isolation: .exclusive, work)
        case .databaseReadAndWait:
            try database.readAndWait("users") { context in
                _ = try User.count(in: context)
                inside()
            }
        case .databaseWriteAndWait: try database.saveAndWait("users", work)
        case .databaseWriteAndWaitExclusive: try database.saveAndWait("users", isolation: .exclusive, work)
        case .legacySaveAndWait, .legacyChainAndWait:
            var hasRun = false
            let block: (NSManagedObjectContext) -> Void = { context in
                hasRun = true
                _ = User.mr_createEntity(in: context)
                inside()
            }
            if action == .legacySaveAndWait {
                MagicalRecord.save(blockAndWait: block)
            } else {
                stack.rootSavingContext.mr_save(blockAndWait: block)
            }
            if !hasRun { throw Refused() }
        case .legacyMainSaveAndWait: main.mr_saveToPersistentStoreAndWait()
        case .readMain:
            try main.runAndWait {
                _ = try User.findAll(in: main)
                inside()
            }
        case .saveMain:
            try main.runAndWait {
                try User.create(in: main)
                inside()
            }
            try main.save(to: .store)
        case .importAndWait:
            try stack.importAllAndWait(User.self, from: .records(Self.records), options: Self.options)
        case .cleanUp: MagicalRecord.cleanUp()
        case .tearDownAndWait: try stack.tearDownAndWait()
        default: Issue.record("\(action) does not block")
        }
    }

    private func start(_ action: MatrixAction, _ inside: @escaping @Sendable () -> Void) {
        running.enter()
        if action == .legacySave {
            MagicalRecord.save(
                { context in
                    _ = User.mr_createEntity(in: context)
                    inside()
                }, completion: { [self] _, _ in running.leave() })
            return
        }
        Task {
            defer { running.leave() }
            do {
                try await perform(action, inside)
            } catch is MagicalRecordError {
            } catch {
                note("\(action): \(error)")
            }
        }
    }

    private func perform(_ action: MatrixAction, _ inside: @escaping @Sendable () -> Void) async throws {
        let work: @Sendable (NSManagedObjectContext) throws -> Void = { context in
            try User.create(in: context)
            inside()
        }
        switch action {
        case .save: try await stack.save(work)
        case .saveOnConflict: try await stack.save(onConflict: .retry(times: 2), work)
        case .writeExclusive: try await stack.save(isolation: .exclusive, work)
        case .read: try await stack.read(work)
        case .databaseRead:
            try await database.read("users") { context in
                _ = try User.count(in: context)
                inside()
            }
        case .databaseWrite: try await database.save("users", waitingForMerges: true, work)
        case .importAll:
            try await stack.importAll(User.self, from: .records(Self.records), options: Self.options)
        case .readOnMainActor:
            let main = stack.mainContext
            await MainActor.run {
                // A closed stack has no store to read.
                main.runAndWait { _ = try? User.findAll(in: main) }
                inside()
            }
        case .mergesHaveEnded: await stack.mergesHaveEnded()
        case .tearDown: try await stack.tearDown()
        default: Issue.record("\(action) blocks")
        }
    }
}

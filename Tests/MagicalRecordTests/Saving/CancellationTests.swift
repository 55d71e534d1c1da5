import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// What becomes of saves, reads and imports whose task is cancelled: before they begin, while they run, between tries and chunks.
/// One at a time, since each holds threads that others may be waiting for.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CancellationTests {
    /// Work that a task does with a stack.
    enum Work: CaseIterable {
        case save, saveOnConflict, writeExclusive, read, databaseRead, databaseWrite, databaseWriteExclusive

        /// Those that wait for their turn behind a save.
        static let taking: [Work] = [.save, .saveOnConflict, .writeExclusive, .databaseWrite, .databaseWriteExclusive]

        @discardableResult
        func run(
            on stack: MagicalRecord.Stack, _ database: MagicalRecord.Database,
            _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Bool
        ) async throws -> Bool {
            switch self {
            case .save: try await stack.save(body)
            case .saveOnConflict: try await stack.save(onConflict: .retry(times: 3), body)
            case .writeExclusive: try await stack.save(isolation: .exclusive, body)
            case .read: try await stack.read(body)
            case .databaseRead: try await database.read("users", body)
            case .databaseWrite: try await database.save("users", body)
            case .databaseWriteExclusive: try await database.save("users", isolation: .exclusive, body)
            }
        }
    }

    struct Case: CustomTestStringConvertible {
        let work: Work
        let shape: MagicalRecord.Shape
        var testDescription: String { "\(work), \(shape.name)" }

        static func all(_ works: [Work]) -> [Case] {
            works.flatMap { work in SavingTests.shapes.map { Case(work: work, shape: $0) } }
        }
    }

    /// A save that works until it is told to end.
    private final class Holder: Sendable {
        private let goOn = DispatchSemaphore(value: 0)
        private let task: Task<Void, any Error>

        init(_ stack: MagicalRecord.Stack) async {
            let (begun, goOn) = (DispatchSemaphore(value: 0), goOn)
            task = Task {
                try await stack.save { context in
                    try User.create(in: context)
                    begun.signal()
                    goOn.wait()
                }
            }
            await onAThread { begun.wait() }
        }

        func end() async throws {
            goOn.signal()
            try await task.value
        }
    }

    private static func count(_ stack: MagicalRecord.Stack) async throws -> Int {
        try await stack.read { try User.count(in: $0) }
    }

    // MARK: Before it begins

    /// Shapes whose workers are on the main queue are left out: there the save that holds the others up holds up that queue.
    /// So are stores with several writers, where no save waits for another one.
    @Test(arguments: Case.all(Work.taking).filter { $0.shape.name != "mainOnly" })
    func whatIsInLineNeverBegins(_ place: Case) async throws {
        let stack = try AddressBook.stack(ScratchStores.oneWriter(), shape: place.shape)
        let database = MagicalRecord.Database(stack: stack)
        let holder = await Holder(stack)
        let ran = Flag()
        let task = Task {
            try await place.work.run(on: stack, database) { context in
                ran.set()
                try User.create(in: context)
                return true
            }
        }
        // In line by now, or else not yet begun.
        try await Task.sleep(nanoseconds: 20_000_000)
        task.cancel()
        // While the other one still works.
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!ran.isSet)
        try await holder.end()
        // The next one has its turn.
        try await place.work.run(on: stack, database) { context in
            try User.create(in: context)
            return true
        }
        #expect(try await Self.count(stack) == 2)
        try await stack.tearDown()
    }

    /// A named context does one thing after the other.
    @Test func aReadInLineNeverBegins() async throws {
        let stack = try AddressBook.stack()
        let database = MagicalRecord.Database(stack: stack)
        let (begun, goOn, ran) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Flag())
        async let first: Void = database.read("users") { _ in
            begun.signal()
            goOn.wait()
        }
        await onAThread { begun.wait() }
        let second = Task { try await database.read("users") { _ in ran.set() } }
        try await Task.sleep(nanoseconds: 20_000_000)
        second.cancel()
        goOn.signal()
        try await first
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(!ran.isSet)
        try await stack.tearDown()
    }

    @Test(arguments: Case.all(Work.allCases)) func aCancelledTaskBeginsNothing(_ place: Case) async throws {
        let stack = try AddressBook.stack(.temporary, shape: place.shape)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let database = MagicalRecord.Database(stack: stack)
            return try await place.work.run(on: stack, database) { _ in
                Issue.record("It ran.")
                return true
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        // Nor a context by itself; what is in it stays.
        let context = stack.newContext()
        let saving = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await context.perform { try User.create(in: context).objectID }
            _ = try await context.save(to: .store)
        }
        await #expect(throws: CancellationError.self) { try await saving.value }
        #expect(await context.perform { context.hasChanges })
        #expect(try await Self.count(stack) == 0)
    }

    @Test func aCancelledSetUpDoesNotBegin() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await MagicalRecord.withDefaultStack(nil) {
                await #expect(throws: CancellationError.self) {
                    try await MagicalRecord.setUpInBackground(.temporary, model: .model(AddressBook.model()))
                }
                #expect(MagicalRecord.defaultStack == nil)
            }
        }
        await task.value
    }

    // MARK: While it runs

    @Test(arguments: Case.all(Work.allCases)) func closuresSeeIt(_ place: Case) async throws {
        let stack = try AddressBook.stack(.temporary, shape: place.shape)
        let database = MagicalRecord.Database(stack: stack)
        let begun = DispatchSemaphore(value: 0)
        let task = Task {
            try await place.work.run(on: stack, database) { context in
                #expect(!Task.isCancelled)
                try User.create(in: context)
                begun.signal()
                let end = Date() + 120
                while !Task.isCancelled, Date() < end { Thread.sleep(forTimeInterval: 0.0005) }
                return Task.isCancelled
            }
        }
        await onAThread { begun.wait() }
        task.cancel()
        #expect(try await task.value)
        // It has returned, so what it did counts.
        #expect(try await Self.count(stack) == ([.read, .databaseRead].contains(place.work) ? 0 : 1))
    }

    @Test(arguments: Case.all(Work.allCases)) func whatGivesUpLeavesNothing(_ place: Case) async throws {
        let stack = try AddressBook.stack(.temporary, shape: place.shape)
        let database = MagicalRecord.Database(stack: stack)
        let task = Task {
            try await place.work.run(on: stack, database) { context in
                try User.create(in: context)
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
                return true
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await Self.count(stack) == 0)
        try await stack.save { try User.create(in: $0) }
        #expect(try await Self.count(stack) == 1)
    }

    #if !canImport(ObjectiveC)
    /// Not those that take no time, nor those of saves: what is half read would be half written.
    @Test(arguments: Case.all(Work.allCases)) func fetchesOfReadsEndWithTheTask(_ place: Case) async throws {
        let stack = try AddressBook.stack(.temporary, shape: place.shape)
        let database = MagicalRecord.Database(stack: stack)
        try await stack.save { context in for _ in 0..<200 { try User.create(in: context) } }
        let isRead = [.read, .databaseRead].contains(place.work)
        let task = Task {
            try await place.work.run(on: stack, database) { context in
                #expect(try User.findAll(in: context).count == 200)
                withUnsafeCurrentTask { $0?.cancel() }
                #expect(try User.findFirst(in: context) != nil)
                func check(_ fetch: () throws -> Int) throws {
                    if isRead {
                        #expect(throws: CancellationError.self) { try fetch() }
                    } else {
                        #expect(try fetch() == 200)
                    }
                }
                try check { try User.findAll(in: context).count }
                try check { try User.count(in: context) }
                try check { try User.findAll(where: "userID >= 0 OR userID == nil", in: context).count }
                return true
            }
        }
        #expect(try await task.value)
    }

    @Test func aFetchOfAReadEndsWhileItRuns() async throws {
        let stack = try AddressBook.stack(.temporary)
        try await stack.save { context in for _ in 0..<2000 { try User.create(in: context) } }
        let begun = DispatchSemaphore(value: 0)
        let task = Task {
            try await stack.read { context in
                begun.signal()
                while true {
                    _ = try User.findAll(in: context)
                    context.reset()
                }
            }
        }
        await onAThread { begun.wait() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
    #endif

    /// On the main queue, too, the closure may use what belongs to the main actor.
    @Test func aClosureOnTheMainQueueMayAssumeTheMainActor() async throws {
        let stack = try AddressBook.stack(.temporary, shape: .mainOnly)
        let title = try await stack.save { _ in MainActor.assumeIsolated { Titles.first } }
        #expect(title == "first")
    }

    /// The values of the task are those of its closures, the default stack among them.
    @Test func closuresHaveTheTasksDefaultStack() async throws {
        let stack = try AddressBook.stack(.temporary)
        let isOwn = try await MagicalRecord.withDefaultStack(stack) {
            try await MagicalRecord.save { _ in MagicalRecord.defaultStack === stack }
        }
        #expect(isOwn)
    }

    @MainActor private enum Titles {
        static let first = "first"
    }
}

/// Whether something has happened.
final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

/// Runs what blocks, outside of Swift's pool.
func onAThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        Thread {
            body()
            continuation.resume()
        }.start()
    }
}

import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Every pair of saves, reads and clean-ups ends: one inside the other, and side by side, on threads, on Swift's pool, and
/// on the main thread.
extension DefaultStackTests {
    /// A way to work with the default stack. Runs `inside` in the middle of its work, and returns when it has ended.
    enum Action: CaseIterable {
        case legacySaveAndWait, legacySave, chainSaveAndWait, saveAndWait, save, importAndWait, read, databaseWrite
        case readMainContext, cleanUp, tearDownAndWait

        /// Those that block their caller until they have ended.
        static let blocking: [Action] = [
            .legacySaveAndWait, .chainSaveAndWait, .saveAndWait, .importAndWait, .databaseWrite, .readMainContext,
            .cleanUp,
            .tearDownAndWait,
        ]
        /// Those whose closures exclude each other: nobody may wait inside one for another one on another thread.
        static let exclusive: Set<Action> = [.saveAndWait, .save, .importAndWait, .databaseWrite]

        func run(_ inside: @escaping @Sendable () -> Void = {}) {
            switch self {
            case .legacySaveAndWait:
                MagicalRecord.save(blockAndWait: { context in
                    _ = User.mr_createEntity(in: context)
                    inside()
                })
            case .legacySave:
                Self.wait { done in
                    guard MagicalRecord.defaultStack != nil else { return done() }
                    // Where another thread has cleaned up meanwhile only the completion comes.
                    MagicalRecord.save(
                        { context in
                            _ = User.mr_createEntity(in: context)
                            inside()
                            done()
                        }, completion: { _, _ in done() })
                }
            case .chainSaveAndWait:
                guard let root = MagicalRecord.defaultStack?.rootSavingContext else { return }
                root.mr_save(blockAndWait: { context in
                    _ = User.mr_createEntity(in: context)
                    inside()
                })
            case .saveAndWait:
                try? MagicalRecord.saveAndWait { context in
                    try User.create(in: context)
                    inside()
                }
            case .save:
                Self.wait { done in
                    Task {
                        try? await MagicalRecord.save { context in
                            try User.create(in: context)
                            inside()
                        }
                        done()
                    }
                }
            case .importAndWait:
                _ = try? MagicalRecord.defaultStack?.importAllAndWait(
                    User.self, from: .records([["userID": 1], ["userID": 2]]),
                    options: MagicalRecord.ImportOptions(chunkSize: 1),
                    proceed: { _ in true })
                inside()
            case .read:
                Self.wait { done in
                    Task {
                        try? await MagicalRecord.read { context in
                            _ = try User.count(in: context)
                            inside()
                        }
                        done()
                    }
                }
            case .databaseWrite:
                try? MagicalRecord.Database.shared.saveAndWait("users") { context in
                    try User.create(in: context)
                    inside()
                }
            case .readMainContext:
                guard let main = MagicalRecord.defaultStack?.mainContext else { return }
                main.performAndWait {
                    _ = try? User.count(in: main)
                    inside()
                }
            case .cleanUp:
                inside()
                MagicalRecord.cleanUp()
            case .tearDownAndWait:
                inside()
                // Refused where it would wait for itself.
                try? MagicalRecord.tearDownAndWait()
            }
        }

        private static func wait(_ body: (@escaping @Sendable () -> Void) -> Void) {
            let semaphore = DispatchSemaphore(value: 0)
            body { semaphore.signal() }
            semaphore.wait()
        }
    }

    private func setUpAgain() {
        MagicalRecord.cleanUp()
        MagicalRecord.setErrorHandler { _ in }
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        MagicalRecord.setupCoreDataStackWithInMemoryStore()
    }

    private func onAThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread {
                body()
                continuation.resume()
            }.start()
        }
    }

    private func onTheMainQueue(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                body()
                continuation.resume()
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Action.allCases) func nothingWaitsForItselfInside(_ outer: Action) async {
        for inner in Action.allCases {
            // Waiting there for another thread's exclusive save is the one thing that is not allowed.
            if Action.exclusive.contains(outer), inner == .save { continue }
            setUpAgain()
            await onAThread { outer.run { inner.run() } }
            // Waiting on the main queue for what needs it cannot work, whatever is done.
            guard Action.blocking.contains(outer), Action.blocking.contains(inner) else { continue }
            setUpAgain()
            await onTheMainQueue { outer.run { inner.run() } }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Action.allCases) func nothingWaitsForAnotherSideBySide(_ one: Action)
        async
    {
        for other in Action.allCases {
            setUpAgain()
            await withTaskGroup(of: Void.self) { group in
                for action in [one, other] {
                    for _ in 0..<3 {
                        group.addTask {
                            await self.onAThread {
                                // What happens inside takes a moment and needs the main queue.
                                action.run { Action.readMainContext.run() }
                            }
                        }
                    }
                    // A named context has one queue, which blocking the main thread for is up to the caller.
                    guard Action.blocking.contains(action), action != .databaseWrite else { continue }
                    for _ in 0..<3 { group.addTask { await self.onTheMainQueue { action.run() } } }
                }
            }
        }
    }

    /// Threads of Swift's pool that block leave none for tasks that wait their turn.
    @Test(.timeLimit(.minutes(5))) func blockingSavesOnThePoolDoNotStarveOthers() async throws {
        setUpAgain()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    switch number % 3 {
                    case 0: try await MagicalRecord.save { try User.create(in: $0).userID = 1 }
                    case 1: try MagicalRecord.saveAndWait { try User.create(in: $0).userID = 2 }
                    default: MagicalRecord.save(blockAndWait: { User.mr_createEntity(in: $0)?.userID = 3 })
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await MagicalRecord.read { try User.count(in: $0) } == 60)
    }

    // MARK: The main thread

    /// The save at work waits for the main queue; the main thread must not wait for it.
    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func theMainThreadDoesNotWaitForTheWorkOfASave(_ isLegacy: Bool) async throws {
        setUpAgain()
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let work: Void = MagicalRecord.save { context in
            try User.create(in: context)
            begun.signal()
            goOn.wait()
        }
        await onAThread { begun.wait() }
        await onTheMainQueue {
            if isLegacy {
                MagicalRecord.save(blockAndWait: { _ = User.mr_createEntity(in: $0) })
            } else {
                #expect(throws: Never.self) { try MagicalRecord.saveAndWait { _ = try User.create(in: $0) } }
            }
            // Nor does it tear the stack down under it.
            let error = #expect(throws: MagicalRecordError.self) { try MagicalRecord.tearDownAndWait() }
            #expect(error?.code == .savesRunning)
            #expect(MagicalRecord.defaultStack?.isTornDown == false)
            goOn.signal()
        }
        try await work
        #expect(try await MagicalRecord.read { try User.count(in: $0) } == 2)
    }

    @Test func tearingDownInsideASaveIsRefused() throws {
        setUpAgain()
        try MagicalRecord.saveAndWait { context in
            try User.create(in: context)
            let error = #expect(throws: MagicalRecordError.self) { try MagicalRecord.tearDownAndWait() }
            #expect(error?.code == .savesRunning)
        }
        #expect(try User.count(in: .mr_()) == 1)
    }

    // MARK: Several stacks

    /// Each saves in the other's closure, at the same time.
    @Test(.timeLimit(.minutes(5))) func twoStacksInEachOther() async throws {
        let stacks = [try AddressBook.stack(.inMemory), try AddressBook.stack(.inMemory)]
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let (outer, inner) = (stacks[number % 2], stacks[(number + 1) % 2])
                group.addTask {
                    await self.onAThread {
                        #expect(throws: Never.self) {
                            try outer.saveAndWait { context in
                                try User.create(in: context)
                                try inner.saveAndWait { _ = try User.create(in: $0) }
                            }
                        }
                    }
                }
            }
        }
        for stack in stacks { #expect(try await stack.read { try User.count(in: $0) } == 20) }
    }

    /// A save in a read is no part of the read, whose changes are discarded.
    @Test func aSaveInsideAReadIsSaved() async throws {
        let stack = try AddressBook.stack()
        try await stack.read { context in
            try User.create(in: context)
            try stack.saveAndWait { _ = try User.create(in: $0) }
        }
        #expect(try await stack.read { try User.count(in: $0) } == 1)
    }
}

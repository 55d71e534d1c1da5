import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// The main thread does not wait for the work of another save. That save goes on only when the main thread is done, or after
/// a limit, and then says so: no clock decides.
/// One at a time, since each holds threads that others may be waiting for.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MainThreadTests {
    /// What runs on another thread until the main thread is done.
    enum Busy: CaseIterable { case save, legacySave, databaseWrite, read, importing }

    /// In mainOnly a save works on the main queue itself.
    @Test(arguments: SavingTests.shapes.filter { $0.name != "mainOnly" }, Busy.allCases)
    func itWaitsForNoWork(_ shape: MagicalRecord.Shape, _ busy: Busy) async throws {
        let stack = try AddressBook.stack(.temporary, shape: shape)
        let database = MagicalRecord.Database(stack: stack)
        let (begun, goOn, waitedInVain) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Flag())
        let work: @Sendable (NSManagedObjectContext) throws -> Void = { context in
            try User.create(in: context)
            begun.signal()
            if goOn.wait(timeout: .now() + 120) == .timedOut { waitedInVain.set() }
        }
        let task = Task {
            switch busy {
            case .save: try await stack.save(work)
            case .legacySave:
                await onAThread {
                    MagicalRecord.withDefaultStack(stack) {
                        MagicalRecord.save(blockAndWait: { try? work($0) })
                    }
                }
            case .databaseWrite: try await database.save("users", work)
            case .read: try await stack.read(work)
            case .importing:
                let first = Flag()
                try await stack.importAll(
                    User.self,
                    from: .stream {
                        if first.isSet { return nil }
                        first.set()
                        begun.signal()
                        if goOn.wait(timeout: .now() + 120) == .timedOut { waitedInVain.set() }
                        return Data("[{\"userID\":1}]".utf8)
                    })
            }
        }
        await onAThread { begun.wait() }
        try await Self.useOnMain(stack, database)
        #expect(!waitedInVain.isSet)
        goOn.signal()
        try await task.value
        await stack.mergesHaveEnded()
        #expect(try await stack.read { try User.count(in: $0) } == (busy == .read ? 5 : 6))
    }

    /// A save on the main thread waits for the end of an exclusive save, which is refused what would wait for the main thread.
    @Test(arguments: [MagicalRecord.Shape.parentChild, .siblings, .rootSaving])
    func anExclusiveWriteDoesNotWaitForIt(_ shape: MagicalRecord.Shape) async throws {
        let stack = try AddressBook.stack(.temporary, shape: shape)
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let task = Task {
            try await stack.save(isolation: .exclusive) { context in
                try User.create(in: context)
                begun.signal()
                goOn.wait()
                // The main thread is in its save by now.
                Thread.sleep(forTimeInterval: 0.05)
                let error = #expect(throws: MagicalRecordError.self) { try stack.mainContext.save(to: .store) }
                #expect(error?.code == .wouldDeadlock)
                #expect(error?.message.contains("exclusive save") == true)
                try stack.saveAndWait { _ = try User.create(in: $0) }
            }
        }
        await onAThread { begun.wait() }
        try await MainActor.run {
            goOn.signal()
            try stack.saveAndWait { _ = try User.create(in: $0) }
        }
        try await task.value
        #expect(try await stack.read { try User.count(in: $0) } == 3)
    }

    /// All that the main thread may do meanwhile.
    @MainActor private static func useOnMain(_ stack: MagicalRecord.Stack, _ database: MagicalRecord.Database)
        async throws
    {
        let main = stack.mainContext
        try MagicalRecord.withDefaultStack(stack) {
            try main.runAndWait {
                _ = try User.findAll(in: main)
                try User.create(in: main)
                try main.save()
            }
            try main.save(to: .store)
            try stack.saveAndWait { _ = try User.create(in: $0) }
            try stack.saveAndWait(onConflict: .retry(times: 2)) { _ = try User.create(in: $0) }
            MagicalRecord.save(blockAndWait: { _ = User.mr_createEntity(in: $0) })
            main.mr_saveToPersistentStoreAndWait()
            // In another named context than the one at work.
            try database.saveAndWait("others") { _ = try User.create(in: $0) }
            let error = #expect(throws: MagicalRecordError.self) { try stack.tearDownAndWait() }
            #expect(error?.code == .savesRunning)
        }
        _ = try await stack.read { try User.count(in: $0) }
        _ = try await database.read("others") { try User.count(in: $0) }
    }
}

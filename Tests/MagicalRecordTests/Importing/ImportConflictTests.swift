import Foundation
import MagicalRecord
import Testing

/// Imports that say what becomes of conflicts: each chunk is a save, for which the documentation of
/// `MagicalRecord.ConflictHandling` holds. A second stack on the file stands for another process.
@Suite struct ImportConflictTests {
    enum Way: CaseIterable, Sendable {
        case awaited, blocking, operation
    }

    private static var records: [[String: Any]] { (1...5).map { ["userID": $0, "displayName": "new \($0)"] } }

    /// A stack whose saves are preceded by one of another stack, so many times.
    private static func importing(
        _ way: Way, _ handling: MagicalRecord.ConflictHandling, disturbances: Int,
        _ shape: MagicalRecord.Shape = .rootSaving, policy: NSMergePolicy = .error
    ) async throws -> (file: URL, outcome: Result<MagicalRecord.ImportReport, any Error>) {
        let file = ScratchFiles.new("Users.sqlite")
        let stack = try SaveConflictTests.stack(file, shape, mergePolicy: policy)
        try await stack.save { context in
            for id in [2, 4] { try SaveConflictTests.create(Int64(id), "old \(id)", in: context) }
        }
        let other = try SaveConflictTests.stack(file)
        let left = Counter(disturbances)
        let token = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.willSaveObjectsNotification, object: nil, queue: nil
        ) { notification in
            guard let context = notification.object as? NSManagedObjectContext,
                context.persistentStoreCoordinator === stack.coordinator, left.take()
            else { return }
            do {
                try other.saveAndWait { context in
                    try #require(try User.findFirst(where: \.userID == 4, in: context)).balance += 1
                }
            } catch { Issue.record(error) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        var options = MagicalRecord.ImportOptions()
        options.chunkSize = 2
        let json = try JSONSerialization.data(withJSONObject: records)
        do {
            let report = try await importAll(in: stack, way, from: .data(json), options, handling)
            return (file, .success(report))
        } catch { return (file, .failure(error)) }
    }

    private static func importAll(
        in stack: MagicalRecord.Stack, _ way: Way, from source: MagicalRecord.ImportSource,
        _ options: MagicalRecord.ImportOptions, _ handling: MagicalRecord.ConflictHandling
    ) async throws -> MagicalRecord.ImportReport {
        switch way {
        case .awaited:
            return try await stack.importAll(User.self, from: source, options: options, onConflict: handling)
        case .blocking:
            // Elsewhere a thread of the pool would be blocked.
            return try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            try stack.importAllAndWait(
                                User.self, from: source, options: options, onConflict: handling)
                        })
                }
            }
        case .operation:
            let operation = MagicalRecord.ImportOperation(
                User.self, from: source, options: options, onConflict: handling, stack: stack)
            await withCheckedContinuation { continuation in
                operation.completionBlock = { continuation.resume() }
                OperationQueue().addOperation(operation)
            }
            if let error = operation.error { throw error }
            return operation.report
        }
    }

    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var left: Int
        init(_ count: Int) { left = count }
        func take() -> Bool {
            lock.withLock {
                left -= 1
                return left >= 0
            }
        }
    }

    private static func users(in file: URL) async throws -> [String] {
        let stack = try SaveConflictTests.stack(file)
        return try await stack.read { context in
            try User.findAll(sortedBy: .ascending(\.userID), in: context).map {
                "\($0.userID) \($0.displayName ?? "") \(Int($0.balance))"
            }
        }
    }

    /// The first chunk is not about what is disturbed; the second is imported again, and counted once.
    @Test(arguments: SavingTests.shapes, Way.allCases)
    func aChunkIsImportedAgain(_ shape: MagicalRecord.Shape, _ way: Way) async throws {
        let (file, outcome) = try await Self.importing(way, .retry(times: 2), disturbances: 3, shape)
        let report = try outcome.get()
        #expect("\(report)" == "3 inserted, 2 updated, 0 unchanged, 0 skipped")
        #expect(try await Self.users(in: file) == ["1 new 1 0", "2 new 2 0", "3 new 3 0", "4 new 4 3", "5 new 5 0"])
    }

    @Test(arguments: [MagicalRecord.ConflictHandling.throw, .retry(times: 1)], Way.allCases)
    func theLastConflictIsThrown(_ handling: MagicalRecord.ConflictHandling, _ way: Way) async throws {
        let (file, outcome) = try await Self.importing(way, handling, disturbances: 10, policy: .overwrite)
        let error = #expect(throws: NSError.self) { try outcome.get() }
        #expect(error?.code == NSManagedObjectMergeError)
        // Chunks before stay.
        let users = try await Self.users(in: file)
        #expect(users.map { $0.dropLast(2) } == ["1 new 1", "2 new 2", "4 old 4"])
    }

    @Test(arguments: Way.allCases) func aPolicyDecides(_ way: Way) async throws {
        let (file, outcome) = try await Self.importing(way, .merge(.mergeByPropertyObjectTrump), disturbances: 3)
        #expect(try outcome.get().updated == 2)
        #expect(try await Self.users(in: file)[3] == "4 new 4 3")
    }
}

import MagicalRecord
import MagicalRecordTestSupport
import Testing

@Suite(.addressBook) struct ImportUsersTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        context = stack.newContext()
    }

    private static func record(_ id: Int, _ name: String) -> [String: any Sendable] {
        ["userID": id, "displayName": name]
    }

    @Test func insertUpdateAndUnchanged() throws {
        let first = try User.importAll(from: [Self.record(1, "Ann"), Self.record(2, "Bob")], in: context)
        #expect(first.inserted == 2)
        try context.save(to: .store)
        let second = try User.importAll(
            from: [Self.record(1, "Anna"), Self.record(2, "Bob"), Self.record(3, "Cid")], in: context)
        #expect(second.inserted == 1)
        #expect(second.updated == 1)
        #expect(second.unchanged == 1)
        #expect(context.runAndWait { context.updatedObjects.count } == 1)
        #expect(try User.count(in: context) == 3)
    }

    @Test func duplicatesInOneInputBecomeOneObject() throws {
        let report = try User.importAll(
            from: [Self.record(1, "Ann"), Self.record(1, "Anna"), ["userID": "1", "email": "a@b.c"]], in: context)
        #expect(report.inserted == 1)
        #expect(report.updated == 2)
        try context.runAndWait {
            let ann = try #require(try User.findFirst(where: \.userID == 1, in: context))
            #expect(ann.displayName == "Anna")
            #expect(ann.email == "a@b.c")
        }
    }

    @Test func importingAgainChangesNothing() throws {
        let records: [[String: Any]] = (1...50).map { id in
            ["userID": id, "displayName": "User \(id)", "team": ["teamID": id % 3, "name": "Team \(id % 3)"]]
        }
        let first = try User.importAll(from: records, in: context)
        #expect(first.inserted == 50)
        #expect(first.relatedInserted == 3)
        try context.save(to: .store)
        let other = stack.newContext()
        let again = try User.importAll(from: records, in: other)
        #expect(again.unchanged == 50)
        #expect(other.runAndWait { !other.hasChanges })
        #expect(try Team.count(in: other) == 3)
    }

    @Test func failuresAreNotedAndChangeNothing() throws {
        let report = try User.importAll(
            from: [
                Self.record(1, "Ann"), ["userID": "x", "displayName": "Bad"], Self.record(2, "Bob"),
                ["userID": 3, "balance": "much"],
            ], in: context)
        #expect(report.inserted == 2)
        #expect(report.failures.map(\.index) == [1, 3])
        #expect((report.failures.first?.error as? MagicalRecordError)?.key == "userID")
        #expect(try User.count(in: context) == 2)
        let error = #expect(throws: MagicalRecordError.self) {
            try User.importAll(
                from: [["userID": "x"]], options: MagicalRecord.ImportOptions(stopsAtFirstFailure: true), in: context)
        }
        #expect(error?.code == .unconvertibleValue)
    }

    @Test func relationshipModes() throws {
        func messages(_ ids: [Int], _ mode: MagicalRecord.RelationshipMode) throws -> Set<Int64> {
            _ = try User.importAll(
                from: [["userID": 1, "messages": ids.map { ["messageID": $0] }]],
                options: MagicalRecord.ImportOptions(relationships: mode), in: context)
            return try context.runAndWait {
                Set(try #require(try User.findFirst(where: \.userID == 1, in: context)).messages.map(\.messageID))
            }
        }
        #expect(try messages([1, 2], .replace) == [1, 2])
        #expect(try messages([2, 3], .replace) == [2, 3])
        #expect(try messages([4], .add) == [2, 3, 4])
        #expect(try messages([], .add) == [2, 3, 4])
        #expect(try messages([5], .keep) == [2, 3, 4])
        #expect(try messages([], .replace) == [])
        #expect(try messages([6], .keep) == [6])
    }

    /// Whole numbers lose a fraction where they are mere values, as in the store; as identities they would be another's.
    @Test func fractionsIdentifyNothing() throws {
        _ = try User.importAll(from: [Self.record(1, "Ann")], in: context)
        for id in [1.5, "1.5"] as [Any] {
            let records: [[String: Any]] = [
                ["userID": id, "displayName": "Bob"], ["userID": 2, "team": id], ["userID": 3, "messages": [id]],
            ]
            let report = try User.importAll(from: records, in: context)
            #expect(report.failures.map(\.index) == [0, 1, 2])
            for failure in report.failures {
                #expect((failure.error as? MagicalRecordError)?.code == .unconvertibleValue)
            }
        }
        #expect(try User.count(in: context) == 1)
        #expect(try context.runAndWait { try User.findFirst(where: \.userID == 1, in: context)?.displayName } == "Ann")
        _ = try User.importAll(from: [["userID": 2.0, "team": "7.0"]], in: context)
        #expect(try context.runAndWait { try User.findFirst(where: \.userID == 2, in: context)?.team?.teamID } == 7)
    }

    /// Millions of digits are refused as they are read, before they are looked at as a number.
    @Test func endlessNumbersAreRefused() throws {
        let json = "[{\"userID\": 1}, {\"userID\": \(String(repeating: "1", count: 3_000_000))}]"
        for path in [nil, "users"] {
            let document = path == nil ? json : "{\"users\": \(json)}"
            let error = #expect(throws: MagicalRecordError.self) {
                try User.importAll(
                    from: .json(document), options: MagicalRecord.ImportOptions(recordsKeyPath: path), in: context)
            }
            #expect(error?.code == .malformedRecord)
            #expect(error?.message.contains("4096") ?? false)
        }
        let digits = String(repeating: "1", count: 4000)
        let report = try User.importAll(
            from: .json("{\"userID\": 4, \"displayName\": \"\(digits)\", \"balance\": 0.\(digits)}"), in: context)
        #expect(report.inserted == 1)
    }

    @Test func bareIDsAndNulls() throws {
        _ = try User.importAll(from: [["userID": 1, "team": 7, "messages": [10, NSNull(), "11"]]], in: context)
        try context.runAndWait {
            let user = try #require(try User.findFirst(where: \.userID == 1, in: context))
            #expect(user.team?.teamID == 7)
            #expect(Set(user.messages.map(\.messageID)) == [10, 11])
        }
        _ = try User.importAll(from: [["userID": 1, "team": NSNull(), "messages": NSNull()]], in: context)
        try context.runAndWait {
            let user = try #require(try User.findFirst(where: \.userID == 1, in: context))
            #expect(user.team == nil)
            #expect(user.messages.isEmpty)
        }
    }

    @Test func existingObjectsCanBeSkipped() throws {
        _ = try User.importAll(from: [Self.record(1, "Ann")], in: context)
        let report = try User.importAll(
            from: [Self.record(1, "Bob"), Self.record(2, "Cid")], options: MagicalRecord.ImportOptions(existing: .skip),
            in: context)
        #expect(report.skipped == 1)
        #expect(report.inserted == 1)
        #expect(try User.count(where: \.displayName == "Ann", in: context) == 1)
    }

    @Test(arguments: SavingTests.shapes) func intoTheStore(_ shape: MagicalRecord.Shape) async throws {
        let stack = try AddressBook.stack(shape: shape)
        let records = (1...250).map { Self.record($0, "User \($0)") }
        let progress = Progress(totalUnitCount: -1)
        let report = try await stack.importAll(
            User.self, from: .records(records), options: MagicalRecord.ImportOptions(chunkSize: 100), progress: progress
        )
        #expect(report.inserted == 250)
        #expect(progress.completedUnitCount == 250)
        #expect(progress.totalUnitCount == 250)
        #expect(try await stack.read { try User.count(in: $0) } == 250)
    }

    @Test func invalidObjectsAreNotedAndLeftOut() async throws {
        let report = try await stack.importAll(
            Team.self,
            from: .records([["teamID": 1, "name": "Red"], ["teamID": 2], ["teamID": 3, "name": "Blue"]]))
        #expect(report.inserted == 2)
        #expect(report.failures.map(\.index) == [1])
        #expect(try await stack.read { try Team.count(in: $0) } == 2)
    }

    @Test func jsonOfAllKinds() async throws {
        let list = "[{\"userID\": 1, \"displayName\": \"A{\\\"}\"}, {\"userID\": 2}]"
        let lines = "{\"userID\": 3}\n{\"userID\": 4}\r\n\n{\"userID\": 5}"
        #expect(try User.importAll(from: Data(list.utf8), in: context).inserted == 2)
        #expect(try User.importAll(from: .json(lines), in: context).inserted == 3)
        #expect(try User.importAll(from: .json("{\"userID\": 6}"), in: context).inserted == 1)
        let nested = MagicalRecord.ImportOptions(recordsKeyPath: "data.users")
        #expect(
            try User.importAll(from: .json("{\"data\": {\"users\": \(list)}}"), options: nested, in: context).unchanged
                == 2)
        #expect(try User.count(where: \.displayName == "A{\"}", in: context) == 1)
        for broken in ["{\"userID\": 1}}", "x{}", "{\"userID\": 1"] {
            let error = #expect(throws: MagicalRecordError.self) {
                try User.importAll(from: .json(broken), in: stack.newContext())
            }
            #expect(error?.code == .malformedRecord)
        }
    }

    @Test func aFileReadPieceByPiece() async throws {
        let file = ScratchFiles.new("users.ndjson")
        var text = ""
        let count = LongForm.choose(6_000, long: 20_000)
        for id in 1...count { text += "{\"userID\": \(id), \"displayName\": \"User number \(id)\"}\n" }
        text += "{\"userID\": oops}\n"
        try Data(text.utf8).write(to: file)
        let report = try await stack.importAll(
            User.self, from: .file(file), options: MagicalRecord.ImportOptions(chunkSize: 5_000))
        #expect(report.inserted == count)
        #expect(report.failures.map(\.index) == [count])
    }

    /// However long the input, no more of it is read than the chunk at work and one piece, and no more objects are held
    /// than the chunk's.
    @Test func memoryIsBoundedByTheChunk() async throws {
        let count = LongForm.choose(6_000, long: 20_000)
        let source = CountingSource(records: count)
        let seen = Peaks()
        let stack = stack
        let report = try await stack.importAll(
            User.self, from: .stream { source.read() }, options: MagicalRecord.ImportOptions(chunkSize: 500),
            progress: ObservedProgress { done in
                // Called between chunks: what has been read but not imported.
                seen.add(ahead: source.handedOut - done)
            })
        #expect(report.inserted == count)
        #expect(seen.count >= count / 500)
        #expect(seen.ahead <= CountingSource.recordsPerPiece)
        await stack.mergesHaveEnded()
        // The main context has let go of what it never asked for, and the root of what it has written.
        for context in [stack.mainContext, stack.rootSavingContext] {
            #expect(await context.perform { context.registeredObjects.count } <= 1_000)
        }
    }

    /// Hands out records as lines, some at a time, and counts them.
    private final class CountingSource: @unchecked Sendable {
        static let recordsPerPiece = 100
        private let lock = NSLock()
        private let records: Int
        private var next = 0

        init(records: Int) {
            self.records = records
        }

        var handedOut: Int { lock.withLock { next } }

        func read() -> Data? {
            lock.withLock {
                guard next < records else { return nil }
                let end = min(next + Self.recordsPerPiece, records)
                let text = (next..<end).map { "{\"userID\": \($0), \"displayName\": \"User \($0)\"}\n" }.joined()
                next = end
                return Data(text.utf8)
            }
        }
    }

    private final class Peaks: @unchecked Sendable {
        private let lock = NSLock()
        private var peak = 0
        private var calls = 0
        var ahead: Int { lock.withLock { peak } }
        var count: Int { lock.withLock { calls } }
        func add(ahead: Int) {
            lock.withLock {
                peak = max(peak, ahead)
                calls += 1
            }
        }
    }

    /// A progress that says when it is set.
    private final class ObservedProgress: Progress, @unchecked Sendable {
        private let changed: @Sendable (Int) -> Void

        init(_ changed: @escaping @Sendable (Int) -> Void) {
            self.changed = changed
            super.init(parent: nil)
        }

        override var completedUnitCount: Int64 {
            get { super.completedUnitCount }
            set {
                super.completedUnitCount = newValue
                changed(Int(newValue))
            }
        }
    }

    /// One look-up for each entity and chunk, however many records.
    @Test func lookUpsAreCounted() async throws {
        let records: [[String: any Sendable]] = (0..<100).map {
            ["userID": $0, "displayName": "User", "team": ["teamID": $0 % 7, "name": "T"] as [String: any Sendable]]
        }
        try await stack.importAll(User.self, from: .records(records))
        let again = try await stack.importAll(
            User.self, from: .records(records), options: MagicalRecord.ImportOptions(chunkSize: 50))
        #expect(again.unchanged == 100)
        #expect(again.inserted + again.relatedInserted == 0)
        #expect(again.lookUps == 4)
    }

    @Test func aPausedOperationWaitsAndACancelledOneEnds() async throws {
        let records = (1...100).map { Self.record($0, "User \($0)") }
        let operation = MagicalRecord.ImportOperation(
            User.self, from: .records(records), options: MagicalRecord.ImportOptions(chunkSize: 10), stack: stack)
        operation.isPaused = true
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            operation.completionBlock = { continuation.resume() }
            OperationQueue().addOperation(operation)
            operation.cancel()
        }
        #expect(operation.report.total == 0)
        #expect(try await stack.read { try User.count(in: $0) } == 0)
    }

    @Test func cancelling() async throws {
        let progress = Progress(totalUnitCount: -1)
        progress.cancel()
        let report = try await stack.importAll(
            User.self, from: .records([Self.record(1, "Ann")]), progress: progress)
        #expect(report.isCancelled)
        #expect(report.total == 0)
    }

    /// Chunks saved before stay; importing again adds the rest, and finds what is there.
    @Test func cancellingHalfWay() async throws {
        let records = (1...100).map { Self.record($0, "User \($0)") }
        let progress = CancellingProgress(after: 30)
        let report = try await stack.importAll(
            User.self, from: .records(records), options: MagicalRecord.ImportOptions(chunkSize: 10), progress: progress)
        #expect(report.isCancelled)
        #expect(report.inserted == 30)
        #expect(try await stack.read { try User.count(in: $0) } == 30)
        let rest = try await stack.importAll(
            User.self, from: .records(records), options: MagicalRecord.ImportOptions(chunkSize: 10))
        #expect(!rest.isCancelled)
        #expect(rest.unchanged == 30)
        #expect(rest.inserted == 70)
    }

    @Test func cancellingTheTask() async throws {
        let source = CountingSource(records: 100_000)
        let stack = stack
        let task = Task {
            try await stack.importAll(
                User.self, from: .stream { source.read() }, options: MagicalRecord.ImportOptions(chunkSize: 100))
        }
        while source.handedOut < 300 { await Task.yield() }
        task.cancel()
        let report = try await task.value
        #expect(report.isCancelled)
        #expect(report.inserted > 0 && report.inserted < 100_000)
        #expect(try await stack.read { try User.count(in: $0) } == report.inserted)
    }

    @Test func cancellingAnOperationHalfWay() async throws {
        let records = (1...100).map { Self.record($0, "User \($0)") }
        let operation = CancellingOperation(
            User.self, from: .records(records), options: MagicalRecord.ImportOptions(chunkSize: 10), stack: stack)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            operation.completionBlock = { continuation.resume() }
            OperationQueue().addOperation(operation)
        }
        #expect(operation.report.isCancelled)
        #expect(operation.percentDone == 0.2)
        #expect(try await stack.read { try User.count(in: $0) } == 20)
    }

    /// Cancels itself after two chunks.
    private final class CancellingOperation: MagicalRecord.ImportOperation, @unchecked Sendable {
        override func didImportChunk(_ report: MagicalRecord.ImportReport) {
            if report.total == 20 { cancel() }
        }
    }

    /// Cancels when so many records are done.
    private final class CancellingProgress: Progress, @unchecked Sendable {
        private let limit: Int64

        init(after limit: Int64) {
            self.limit = limit
            super.init(parent: nil)
        }

        override var completedUnitCount: Int64 {
            get { super.completedUnitCount }
            set {
                super.completedUnitCount = newValue
                if newValue >= limit { cancel() }
            }
        }
    }

    @Test func asAnOperation() async throws {
        let records = (1...30).map { Self.record($0, "User \($0)") }
        let operation = MagicalRecord.ImportOperation(
            User.self, from: .records(records), options: MagicalRecord.ImportOptions(chunkSize: 10), stack: stack,
            identifier: 5)
        #expect(operation.percentDone == 0)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            operation.completionBlock = { continuation.resume() }
            OperationQueue().addOperation(operation)
        }
        #expect(operation.error == nil)
        #expect(operation.report.inserted == 30)
        #expect(operation.percentDone == 1)
        #expect(operation.totalRecords == 30)
        #expect(operation.identifier == 5)
        #expect(operation.isFinished)
    }

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00Z"), (1.25, "1970-01-01T00:00:01.250000Z"), (-0.25, "1969-12-31T23:59:59.750000Z"),
        (1.999_999_4, "1970-01-01T00:00:01.999999Z"), (1.999_999_6, "1970-01-01T00:00:02Z"),
        (1_700_000_000.123_456, "2023-11-14T22:13:20.123456Z"),
    ])
    func datesAreExportedToTheMicrosecond(_ seconds: Double, _ text: String) async throws {
        let exported = try await stack.save { context in
            let user = try User.create(in: context) { ($0.userID, $0.displayName) = (1, "User") }
            user.lastUpdate = Date(timeIntervalSince1970: seconds)
            return String(decoding: try [user].exportedJSON(), as: UTF8.self)
        }
        #expect(exported.contains("\"\(text)\""), "\(exported)")
    }

    @Test func exportAndImportGiveTheSameGraph() async throws {
        try AddressBook.fill(stack)
        let exported = try await stack.read { context in
            try User.findAll(sortedBy: \.userID, in: context).exportedJSON()
        }
        let other = try AddressBook.stack()
        let report = try await other.importAll(User.self, from: .data(exported))
        #expect(report.failures.isEmpty)
        let again = try await other.read { context in
            try User.findAll(sortedBy: \.userID, in: context).exportedJSON()
        }
        #expect(try await other.read { try User.count(in: $0) } == 5)
        #expect(try await other.read { try Message.count(in: $0) } == 15)
        #expect(try await other.read { try Team.count(where: { $0.members.count == 2 }, in: $0) } == 2)
        #expect(String(decoding: again, as: UTF8.self) == String(decoding: exported, as: UTF8.self))
    }
}

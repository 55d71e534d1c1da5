import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Imports whose task is cancelled: chunks are whole, and the report counts what is saved.
@Suite(.timeLimit(.minutes(5))) struct ImportCancellationTests {
    private static let options = MagicalRecord.ImportOptions(chunkSize: 10)

    private static func records(_ range: Range<Int>) -> [[String: any Sendable]] { range.map { ["userID": $0] } }

    @Test(arguments: SavingTests.shapes) func itDoesNotBegin(_ shape: MagicalRecord.Shape) async throws {
        let stack = try AddressBook.stack(.temporary, shape: shape)
        let read = Flag()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await stack.importAll(
                User.self,
                from: .stream {
                    read.set()
                    return nil
                }, options: Self.options)
        }
        let report = try await task.value
        #expect(report.isCancelled && report.total == 0)
        #expect(!read.isSet)
    }

    @Test func itLeavesTheLine() async throws {
        let stack = try AddressBook.stack(.temporary)
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let other: Void = stack.save { _ in
            begun.signal()
            goOn.wait()
        }
        await onAThread { begun.wait() }
        let task = Task {
            try await stack.importAll(User.self, from: .records(Self.records(0..<30)), options: Self.options)
        }
        try await Task.sleep(nanoseconds: 20_000_000)
        task.cancel()
        // While the save still works.
        let report = try await task.value
        #expect(report.isCancelled && report.total == 0)
        goOn.signal()
        try await other
        let again = try await stack.importAll(
            User.self, from: .records(Self.records(0..<30)), options: Self.options)
        #expect(again.inserted == 30)
    }

    /// The task is cancelled by the source itself, in the middle of the third chunk.
    @Test(arguments: SavingTests.shapes) func chunksAreWhole(_ shape: MagicalRecord.Shape) async throws {
        let stack = try AddressBook.stack(.temporary, shape: shape)
        let source = CancellingSource(at: 25)
        let task = Task {
            try await stack.importAll(User.self, from: .stream { source.next() }, options: Self.options)
        }
        source.readyToCancel { task.cancel() }
        let report = try await task.value
        #expect(report.isCancelled)
        #expect(report.inserted > 0 && report.inserted % 10 == 0 && report.inserted <= 40)
        #expect(try await stack.read { try User.count(in: $0) } == report.inserted)
        // What was cancelled can be done again.
        let again = try await stack.importAll(
            User.self, from: .records(Self.records(0..<100)), options: Self.options)
        #expect(again.unchanged == report.inserted && again.inserted == 100 - report.inserted)
    }

    /// JSON without end, which cancels the task that imports it.
    private final class CancellingSource: @unchecked Sendable {
        private var number = 0
        private let limit: Int
        private let ready = DispatchSemaphore(value: 0)
        private var cancel: () -> Void = {}

        init(at limit: Int) { self.limit = limit }

        func readyToCancel(_ cancel: @escaping () -> Void) {
            self.cancel = cancel
            ready.signal()
        }

        func next() -> Data? {
            if number == limit {
                #expect(!Task.isCancelled)
                ready.wait()
                cancel()
                #expect(Task.isCancelled)
            }
            let text = number == 0 ? "[" : ","
            defer { number += 1 }
            return Data("\(text){\"userID\":\(number)}".utf8)
        }
    }
}

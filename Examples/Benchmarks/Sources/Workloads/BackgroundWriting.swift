import Foundation

/// A thread that inserts rows, 100 per save, until it is stopped.
final class BackgroundWriting: @unchecked Sendable {
    private let writer: any StoreWriter
    private let firstRow: Int
    private let condition = NSCondition()
    private var wantsStop = false
    private var outcome: Result<Int, any Error>?

    init(writer: any StoreWriter, firstRow: Int) {
        self.writer = writer
        self.firstRow = firstRow
    }

    func start() {
        Thread.detachNewThread { [self] in
            let result = Result { try writeUntilStopped() }
            condition.withLock {
                outcome = result
                condition.signal()
            }
        }
    }

    /// Stops the thread, waits until it has ended and returns the number of rows written.
    func stop() throws -> Int {
        try condition.withLock {
            wantsStop = true
            while outcome == nil { condition.wait() }
            return try outcome?.get() ?? 0
        }
    }

    private func writeUntilStopped() throws -> Int {
        var written = 0
        while !condition.withLock({ wantsStop }) {
            let next = firstRow + written
            try writer.write(People.users(next..<next + 100))
            written += 100
        }
        return written
    }
}

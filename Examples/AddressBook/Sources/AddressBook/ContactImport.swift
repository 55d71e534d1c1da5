import Foundation
import MagicalRecord

/// An import with a bar on the terminal.
///
/// The operation works in the background, two hundred contacts at a time. After each chunk it saves, which makes the
/// main context follow, and forgets the objects, so that a million contacts need no more memory than a chunk. It can
/// be paused and cancelled between chunks; what was saved stays.
final class ContactImport: MagicalRecord.ImportOperation, @unchecked Sendable {
    private let delay: TimeInterval

    /// - Parameter delay: seconds to rest after each chunk, so that there is time to watch, pause and cancel.
    init(_ contacts: ContactsFile.Checked, delay: TimeInterval) {
        self.delay = delay
        super.init(
            User.self, from: .data(contacts.data), options: MagicalRecord.ImportOptions(chunkSize: 200),
            expectedRecords: contacts.count)
    }

    override func didImportChunk(_ report: MagicalRecord.ImportReport) {
        ProgressBar.show(report.total, of: totalRecords ?? 0)
        if delay > 0 { Thread.sleep(forTimeInterval: delay) }
    }

    /// Runs the operation on a queue and returns what it did.
    ///
    /// - Throws: `CancellationError` if it was cancelled, or why the store could not be written.
    func run(on queue: OperationQueue) async throws -> MagicalRecord.ImportReport {
        await withCheckedContinuation { continuation in
            completionBlock = { continuation.resume() }
            queue.addOperation(self)
        }
        if let error { throw error }
        if isCancelled { throw CancellationError() }
        return report
    }
}

import AddressBookModel
import Foundation
import MagicalRecord

/// An import operation that shows a progress bar on the terminal.
///
/// The operation runs in the background and imports 200 contacts per chunk. After each chunk it saves, so that the main
/// context merges the changes, and resets its context, so that memory use is bounded by one chunk. It can be paused and
/// cancelled between chunks; saved chunks stay in the store.
final class ContactImport: MagicalRecord.ImportOperation, @unchecked Sendable {
    private let delay: TimeInterval

    /// - Parameter delay: the seconds to wait after each chunk, so that there is time to watch, pause and cancel.
    init(_ contacts: ContactsSource.Checked, delay: TimeInterval) {
        self.delay = delay
        super.init(
            User.self, from: .data(contacts.data), options: MagicalRecord.ImportOptions(chunkSize: 200),
            expectedRecords: contacts.count)
    }

    override func didImportChunk(_ report: MagicalRecord.ImportReport) {
        ProgressBar.show(report.total, of: totalRecords ?? 0)
        if delay > 0 { Thread.sleep(forTimeInterval: delay) }
    }

    /// Adds the operation to a queue, waits until it has finished and returns its report.
    ///
    /// - Throws: `CancellationError` if the operation was cancelled, or the error of the failed save.
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

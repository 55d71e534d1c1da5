import CoreDataStoreFiles
import Foundation

extension StoreCheck {
    /// Examines the store. Changes no byte.
    ///
    /// A store that cannot be read now, or is none, gives a report with that condition and no findings. Runs on the calling
    /// thread; the cost is up to twice that of SQLite's `PRAGMA integrity_check`, and memory does not grow with the rows.
    ///
    /// - Throws: ``StoreToolError`` if the given model is not the store's, the files change or vanish while they are read, or
    ///   ``progress`` returns false.
    public func run() throws -> Report {
        var attempt = 1
        while true {
            do {
                return try examine()
            } catch let error as StoreToolError where error.code == .changed && attempt < Self.attempts {
                attempt += 1
            }
        }
    }

    /// The number of times that a store is read that others change meanwhile.
    private static let attempts = 3

    private func examine() throws -> Report {
        let condition = StoreCondition.of(url)
        guard condition == .readable || condition == .inUse else { return Report(condition: condition, findings: []) }
        let reader = try StoreReader(url)
        let findings = try findings(reader)
        return Report(condition: reader.condition, findings: findings)
    }

    private func findings(_ reader: StoreReader) throws -> [StoreFinding] {
        do {
            let run = try CheckRun(self, reader)
            try run.examine()
            try reader.requireUnchanged()
            return run.findings
        } catch let error as DatabaseError {
            // What is read of files that change may look like damage.
            try reader.requireUnchanged()
            throw StoreToolError(
                .failed, "The store \(url.lastPathComponent) cannot be checked.", url: url,
                underlying: error.description)
        }
    }
}

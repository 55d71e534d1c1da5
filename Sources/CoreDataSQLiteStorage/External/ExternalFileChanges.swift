import CoreDataRowStorage
import Foundation

/// The external files that one transaction created, and those it made obsolete.
///
/// Files are written before the commit and deleted some time after it, see ``ExternalFileCollector``, so every committed row
/// has its file. A process that is killed in between may leave files without a row, but never a row without its file.
final class ExternalFileChanges {
    private let files: ExternalFiles
    private let collector: ExternalFileCollector
    private let isDurable: Bool
    private var made: [String] = []
    private var obsolete: [String] = []

    init(_ engine: SQLiteEngine) {
        files = engine.files
        collector = engine.fileCollector
        isDurable = engine.pool.isDurable
    }

    /// Returns the bytes to store for a value, and writes its external file if it is large.
    func store(_ value: Data) throws -> Data { try value.withUnsafeBytes { try store($0) } }

    /// Returns the bytes to store for a value, and writes its external file if it is large.
    func store(_ value: UnsafeRawBufferPointer) throws -> Data {
        let (cell, file) = try files.store(value, isDurable: isDurable)
        if let file { made.append(file) }
        return cell
    }

    /// Returns the bytes to store for a value that is in a file, and links or copies the file if the value is large.
    func store(_ value: ValueFile) throws -> Data {
        let (cell, file) = try files.store(value, isDurable: isDurable)
        if let file { made.append(file) }
        return cell
    }

    /// The number of files created so far.
    var count: Int { made.count }

    /// Returns the files created since `count` had the given value.
    func made(since count: Int) -> ArraySlice<String> { made[count...] }

    /// Deletes the files created since `count` had the given value, because their row was not written.
    func takeBack(to count: Int) {
        guard made.count > count else { return }
        files.remove(made[count...])
        made.removeSubrange(count...)
    }

    /// Records the file, if any, that a value about to be overwritten or deleted refers to.
    func noteObsolete(_ cell: UnsafeRawBufferPointer) {
        if let file = ExternalFiles.fileName(in: cell) { obsolete.append(file) }
    }

    func noteObsolete(_ names: some Sequence<String>) { obsolete += names }

    /// Deletes the files that a rolled-back transaction created; after a commit, hands obsolete files to the collector.
    func finish(committed: Bool) {
        if !committed { files.remove(made) } else if !obsolete.isEmpty { collector.collect(obsolete) }
    }
}

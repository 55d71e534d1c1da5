import CoreDataRowStorage
import Foundation

/// The files of external values that one transaction made, and those it no longer refers to.
///
/// Files are written before the commit and deleted some time after it, see ``ExternalFileCollector``, so that what is committed
/// always has its files. A process that is killed in between leaves files no row names, never names without a file.
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

    /// The bytes to store for a value, whose file is made if it needs one.
    func store(_ value: Data) throws -> Data { try value.withUnsafeBytes { try store($0) } }

    /// The bytes to store for a value, whose file is made if it needs one.
    func store(_ value: UnsafeRawBufferPointer) throws -> Data {
        let (cell, file) = try files.store(value, isDurable: isDurable)
        if let file { made.append(file) }
        return cell
    }

    /// The bytes to store for a value that lies in a file.
    func store(_ value: ValueFile) throws -> Data {
        let (cell, file) = try files.store(value, isDurable: isDurable)
        if let file { made.append(file) }
        return cell
    }

    /// How many files were made so far.
    var count: Int { made.count }

    /// The files made since `count` was that number.
    func made(since count: Int) -> ArraySlice<String> { made[count...] }

    /// Takes back the files made since `count` was that number: their row was not written.
    func takeBack(to count: Int) {
        guard made.count > count else { return }
        files.remove(made[count...])
        made.removeSubrange(count...)
    }

    /// Notes the file that a cell about to be overwritten or deleted refers to, if any.
    func noteObsolete(_ cell: UnsafeRawBufferPointer) {
        if let file = ExternalFiles.fileName(in: cell) { obsolete.append(file) }
    }

    func noteObsolete(_ names: some Sequence<String>) { obsolete += names }

    /// Ends the transaction's work on files: deletes those it made if it was rolled back, those it made obsolete otherwise.
    func finish(committed: Bool) {
        if !committed { files.remove(made) } else if !obsolete.isEmpty { collector.collect(obsolete) }
    }
}

import CoreDataRowStorage
import Foundation

extension MissingExternalValue {
    /// The error for a value whose file is missing: `NSFileReadNoSuchFileError` with entity, attribute, key and file.
    static func error(
        for missing: ExternalFiles.Missing, _ entity: String?, _ attribute: String?, key: Int64?
    ) -> NSError {
        let name = [entity, attribute].compactMap { $0 }.joined(separator: ".")
        let owner = key.map { " of the row with primary key \($0)" } ?? ""
        return CoreDataError.make(
            CocoaError.fileReadNoSuchFile.rawValue,
            description: "The external file of a value of \(name) cannot be read.",
            reason: "\(name)\(owner) is kept in the file \(missing.file.lastPathComponent), which is not there.",
            advice:
                "Restore the folder \(missing.file.deletingLastPathComponent().path) from a backup, or set the attribute by a "
                + "batch update.",
            entity: entity, key: attribute, underlying: missing.underlying,
            userInfo: [NSFilePathErrorKey: missing.file.path, markKey: missing.file.lastPathComponent])
    }
}

extension SQLiteEngine {
    /// Whether this thread reads a pinned query generation of the store.
    var isPinned: Bool { GenerationScope.isUsed && pool.pinnedReader != nil }

    /// Reads a row again whose file was missing, in a new snapshot: a process that deletes files with its commit leaves readers
    /// of older snapshots without them.
    ///
    /// - Returns: nil for a row that is not there any more.
    @inline(never)
    func rereadRow(
        _ key: Int64, _ layout: EntityLayout, allowsMissing: Bool
    ) throws -> (row: UnsafeMutableRawPointer, slab: RowSlab)? {
        let fresh = CollectedRows()
        try readRows(
            keys: [key], of: layout, into: fresh, on: pool.makeReader(), rereadsMissing: false,
            allowsMissing: allowsMissing)
        return fresh.rows.first.map { ($0.row, $0.slab) }
    }
}

#if PostgreSQL
import CoreDataRowStorage

extension EntityLayout {
    /// The highest number of rows in one statement. Each statement may read the whole table.
    private static let rowsAtOnce = 20_000
    /// The bytes after which another statement begins: a message to the server has less than 1 GB.
    private static let bytesAtOnce = 64 << 20

    /// Passes rows in parts, each for one statement.
    func forEachPart(
        of rows: ContiguousArray<StoreChanges.Row>,
        _ body: (ContiguousArray<StoreChanges.Row>.SubSequence) throws -> Void
    ) rethrows {
        var (start, bytes) = (rows.startIndex, 0)
        for index in rows.indices {
            let added = byteCount(of: rows[index].row)
            if index - start == Self.rowsAtOnce || index > start && bytes + added > Self.bytesAtOnce {
                try body(rows[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += added
        }
        if start < rows.endIndex { try body(rows[start...]) }
    }

    /// Returns about the number of bytes that a row's values take in a message.
    private func byteCount(of row: UnsafeMutableRawPointer) -> Int {
        var count = rowBytes
        for cell in heapCells where EntityLayout.isPresent(row, cell) {
            let value = HeapRange(bits: bits(row, cell))
            count += value.file?.byteCount ?? value.count
        }
        return count
    }
}
#endif

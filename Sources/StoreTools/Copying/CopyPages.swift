#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage

/// Cuts rows into pages of about the same size in bytes.
struct CopyPages {
    private let rows: ContiguousArray<RowReference>
    private var next: Int
    private let most: Int
    private var size: Int

    /// - Parameters:
    ///   - key: The key after which the first page begins.
    ///   - most: The greatest number of rows in a page.
    init(_ rows: ContiguousArray<RowReference>, after key: Int64, most: Int) {
        self.rows = rows
        self.most = most
        // Rows may have large values: the first pages tell.
        size = min(most, 8)
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].key <= key { low = middle + 1 } else { high = middle }
        }
        next = low
    }

    /// Returns the next rows; nil at the end.
    mutating func nextPage() -> ContiguousArray<RowReference>.SubSequence? {
        guard next < rows.count else { return nil }
        let page = rows[next..<min(next + size, rows.count)]
        next = page.endIndex
        return page
    }

    /// Adapts the size of the next page to that of the last one.
    mutating func note(bytes: Int) {
        let fitting = bytes > 0 ? Int(Double(size) * Double(Self.bytes) / Double(bytes)) : most
        size = max(1, min(most, fitting, size * 8))
    }

    private static let bytes = 8 << 20
}

extension EntityLayout {
    /// Returns the size of a row with its texts and data, those in files included.
    func bytes(of row: UnsafeRawPointer) -> Int {
        heapCells.reduce(rowBytes) { sum, index in
            guard EntityLayout.isPresent(row, index) else { return sum }
            let range = HeapRange(bits: bits(row, index))
            return sum + (range.file?.byteCount ?? range.count)
        }
    }
}
#endif

import Foundation

/// Decodes the rows of leaves.
///
/// Used by one thread at a time.
final class PageReader {
    let pages: any DatabasePages
    let geometry: PageGeometry
    let decoder = RecordDecoder()
    let chains: OverflowChains
    private let table: PageTable

    init(_ pages: any DatabasePages, _ table: PageTable) {
        self.pages = pages
        self.table = table
        geometry = table.geometry
        chains = OverflowChains(pages, table)
        decoder.encoding = table.header?.encoding ?? .utf8
    }

    /// Passes a copy of a page, so that the closure may read others.
    func withCopy<Result>(_ page: Int, _ body: (PageBytes) throws -> Result) throws -> Result? {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: geometry.pageSize, alignment: 16)
        defer { copy.deallocate() }
        let isRead = PageTable.read(pages, page) { bytes in
            guard bytes.count == geometry.pageSize else { return false }
            copy.copyMemory(from: bytes.base, byteCount: bytes.count)
            return true
        }
        guard isRead == true else { return nil }
        return try body(PageBytes(copy, geometry.pageSize))
    }

    /// Returns whether rows may be found in a page besides those to which its cell pointers refer.
    func isSearchable(_ page: Int) -> Bool {
        geometry.contains(page) && page < table.kinds.count
            && (table.kinds[page] == .tableLeaf || table.kinds[page] == .other)
    }

    /// Decodes the rows of a leaf, and returns the number of cells that could not be read completely.
    func rows(of page: Int, isFree: Bool, _ body: (SalvagedRow) throws -> Void) throws -> Int {
        guard let leaf = table.leaf(page) else { return 0 }
        let damaged = try withCopy(page) { bytes -> Int in
            guard let header = BTreeHeader(bytes, page: page, geometry: geometry) else { return Int(leaf.cells) }
            var damaged = 0
            if leaf.isSound {
                for index in 0..<header.cellCount {
                    let offset = bytes.short(header.pointers + 2 * index)
                    guard offset >= header.pointersEnd, let cell = LeafCell(bytes, at: offset, geometry),
                        try deliver(cell, bytes, page, isFree, body)
                    else {
                        damaged += 1
                        continue
                    }
                }
            } else {
                let cells = CellSelection(bytes, header, self)
                damaged = header.cellCount - cells.accepted.count
                for cell in cells.accepted where try !deliver(cell, bytes, page, isFree, body) { damaged += 1 }
            }
            return damaged
        }
        return damaged ?? Int(leaf.cells)
    }

    /// Returns whether the header of a cell's record agrees with the size of the record. False as well if the header
    /// continues on an overflow page.
    func agrees(_ cell: LeafCell, _ bytes: PageBytes) -> Bool {
        let record = PageBytes(bytes.base + cell.content, cell.local)
        return decoder.header(record, payload: cell.payload).map { $0.size + $0.body == cell.payload } == true
    }

    /// Returns the cell without overflow pages that ends at an offset according to its record's header: the number of bytes
    /// before the header is damaged. Nil if the record ends elsewhere.
    func cell(_ bytes: PageBytes, at offset: Int, filling end: Int) -> LeafCell? {
        let (_, sizeLength) = bytes.varint(offset)
        let (key, keyLength) = bytes.varint(offset + sizeLength)
        let content = offset + sizeLength + keyLength
        guard sizeLength > 0, keyLength > 0, content < end, end <= geometry.usable else { return nil }
        let record = PageBytes(bytes.base + content, end - content)
        guard let header = decoder.header(record, payload: record.count), header.size + header.body == record.count,
            record.count <= geometry.tableLimit, decoder.isPlausible(record, header)
        else { return nil }
        return LeafCell(offset: offset, key: Int64(bitPattern: key), content: content, count: record.count)
    }

    /// Decodes a cell and passes its row, as far as it can be read; returns whether it is complete.
    @inline(__always)
    func deliver(
        _ cell: LeafCell, _ bytes: PageBytes, _ page: Int, _ isRemainder: Bool, _ body: (SalvagedRow) throws -> Void
    ) throws -> Bool {
        guard cell.overflow == 0 else { return try deliverLong(cell, bytes, page, isRemainder, body) }
        let record = PageBytes(bytes.base + cell.content, cell.local)
        guard let header = decoder.header(record, payload: cell.payload) else { return false }
        let values = decoder.values(record, header)
        guard !values.isEmpty else { return false }
        let isComplete = header.size + header.body == cell.payload
        try body(
            SalvagedRow(
                page: page, key: cell.key, values: values, columnCount: header.columnCount, isComplete: isComplete))
        return isComplete
    }

    private func deliverLong(
        _ cell: LeafCell, _ bytes: PageBytes, _ page: Int, _ isRemainder: Bool, _ body: (SalvagedRow) throws -> Void
    ) throws -> Bool {
        let whole = chains.record(cell, of: bytes, on: page, isRemainder: isRemainder)
        var record = whole.bytes
        guard let header = decoder.header(record, payload: cell.payload) else { return false }
        // Zeros are no text: the page was lost.
        if let zeros = whole.zeros, let text = decoder.firstText(beyond: zeros, header) {
            record = PageBytes(record.base, min(text, record.count))
        }
        let values = decoder.values(record, header)
        guard !values.isEmpty else { return false }
        let isComplete = header.size + header.body == cell.payload && values.count == header.columnCount
        try body(
            SalvagedRow(
                page: page, key: cell.key, values: values, columnCount: header.columnCount, isComplete: isComplete))
        return isComplete
    }
}

/// The cells of a damaged leaf that do not overlap each other, in the order of their pointers.
struct CellSelection {
    private(set) var accepted: [LeafCell] = []

    init(_ bytes: PageBytes, _ header: BTreeHeader, _ reader: PageReader) {
        let offsets = (0..<header.cellCount).map { bytes.short(header.pointers + 2 * $0) }
        let starts = offsets.sorted()
        let cells = offsets.compactMap { offset -> LeafCell? in
            guard offset >= header.pointersEnd else { return nil }
            let cell = LeafCell(bytes, at: offset, reader.geometry)
            if let cell, reader.agrees(cell, bytes) { return cell }
            let end = starts.first { $0 > offset } ?? reader.geometry.usable
            return reader.cell(bytes, at: offset, filling: end) ?? cell
        }
        var isAccepted = [Bool](repeating: false, count: cells.count)
        var last: Int?
        for index in cells.indices.sorted(by: { cells[$0].offset < cells[$1].offset }) {
            if let previous = last, cells[index].offset < cells[previous].end {
                guard quality(index) > quality(previous) else { continue }
                isAccepted[previous] = false
            }
            isAccepted[index] = true
            last = index
        }
        accepted = cells.indices.filter { isAccepted[$0] }.map { cells[$0] }

        /// Returns 2 for a record that agrees with its size, plus 1 for a key between those of its neighbors.
        func quality(_ index: Int) -> Int {
            let fits =
                (index == 0 || cells[index - 1].key < cells[index].key)
                && (index == cells.count - 1 || cells[index].key < cells[index + 1].key)
            return (reader.agrees(cells[index], bytes) ? 2 : 0) + (fits ? 1 : 0)
        }
    }
}

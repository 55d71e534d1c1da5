/// Finds cells in the parts of a page that no cell pointer refers to.
struct Remains {
    private struct Candidate {
        let cell: LeafCell
        let columnCount: Int
    }

    private let bytes: PageBytes
    private let reader: PageReader
    /// The keys and the numbers of columns of the cells that the page still refers to.
    private var liveKeys: Set<Int64> = []
    private var liveColumns: Set<Int> = []
    private var regions: [Range<Int>] = []

    /// The cells found.
    private(set) var cells: [LeafCell] = []

    /// Searches a page.
    ///
    /// - Parameter leaf: The page as a leaf; nil if it has no valid header, then all of it is searched.
    init(_ bytes: PageBytes, page: Int, leaf: PageTable.Leaf?, _ reader: PageReader) {
        self.bytes = bytes
        self.reader = reader
        let usable = reader.geometry.usable
        if let leaf, let header = BTreeHeader(bytes, page: page, geometry: reader.geometry) {
            var start = header.pointersEnd
            let live = CellSelection(bytes, header, reader).accepted.sorted { $0.offset < $1.offset }
            for cell in live {
                let record = PageBytes(bytes.base + cell.content, cell.local)
                let header = reader.decoder.header(record, payload: cell.payload)
                let agrees = header.map { $0.size + $0.body == cell.payload } == true
                guard agrees || leaf.isSound else { continue }
                liveKeys.insert(cell.key)
                if agrees, let header { liveColumns.insert(header.columnCount) }
                if cell.offset > start { regions.append(start..<cell.offset) }
                start = max(start, cell.end)
            }
            if start < usable { regions.append(start..<usable) }
        } else {
            regions = [(page == 1 ? 100 : 0)..<usable]
        }
        for region in regions where region.count >= 8 { search(region) }
    }

    /// Finds the cells in a region that cover most of it without overlapping.
    private mutating func search(_ region: Range<Int>) {
        let count = region.count
        // The bytes that cells from an offset on cover, and the size of the cell to take there.
        var covered = [Int32](repeating: 0, count: count + 1)
        var taken = [Int32](repeating: 0, count: count + 1)
        for index in stride(from: count - 4, through: 0, by: -1) {
            covered[index] = covered[index + 1]
            guard let size = candidate(region.lowerBound + index, end: region.upperBound).map({ $0.cell.end }) else {
                continue
            }
            let length = size - region.lowerBound - index
            let sum = Int32(length) + covered[index + length]
            if sum > covered[index] {
                covered[index] = sum
                taken[index] = Int32(length)
            }
        }
        var chosen: [Candidate] = []
        var index = 0
        while index < count {
            if taken[index] > 0, let cell = candidate(region.lowerBound + index, end: region.upperBound) {
                chosen.append(cell)
                index += Int(taken[index])
            } else {
                index += 1
            }
        }
        for (index, candidate) in chosen.enumerated() {
            let end = index + 1 < chosen.count ? chosen[index + 1].cell.offset : region.upperBound
            let start = index > 0 ? chosen[index - 1].cell.end : region.lowerBound
            // Short records must have neighbours: few bytes look like a record by chance.
            let hasNeighbour = end - candidate.cell.end <= 3 || (index > 0 && candidate.cell.offset - start <= 3)
            guard hasNeighbour || candidate.cell.payload >= 24 else { continue }
            guard liveColumns.isEmpty || liveColumns.contains(candidate.columnCount) else { continue }
            if !liveKeys.contains(candidate.cell.key) { cells.append(candidate.cell) }
        }
    }

    /// Returns a cell at an offset if there is a plausible one: numbers in their shortest form, a positive key, a
    /// record that agrees with its size, and valid values.
    @inline(__always)
    private func candidate(_ offset: Int, end: Int) -> Candidate? {
        guard let cell = LeafCell(bytes, at: offset, reader.geometry), cell.end <= end, cell.key > 0 else { return nil }
        let size = PageBytes.varintLength(UInt64(cell.payload))
        guard size + PageBytes.varintLength(UInt64(cell.key)) == cell.content - offset else { return nil }
        let record = PageBytes(bytes.base + cell.content, cell.local)
        guard let header = reader.decoder.header(record, payload: cell.payload, isExact: true),
            header.columnCount >= 2 || cell.payload >= 16,
            reader.decoder.isPlausible(record, header)
        else { return nil }
        return Candidate(cell: cell, columnCount: header.columnCount)
    }
}

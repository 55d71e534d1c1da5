import StoreTools

/// The size of a b-tree, from its interior pages and a sample of its leaves.
///
/// Reads at most ``leafLimit`` leaves, so that tables of a gigabyte take milliseconds.
struct TreeMeasure {
    /// The number of pages of the tree, with those of overflowing values.
    private(set) var pages = 0
    /// The number of rows, or of entries of an index without those of interior pages.
    private(set) var rows = 0
    /// The numbers of rows by entity, from the column after the key (`Z_ENT`).
    private(set) var rowsByEntity: [Int: Int] = [:]
    /// True if ``rows`` and overflow pages are estimates.
    private(set) var isEstimate = false
    /// True if pages of the tree could not be read.
    private(set) var isDamaged = false

    /// The number of leaves up to which all are read.
    static let leafLimit = 2_000
    /// The number of leaves that are read of a larger tree.
    static let sampleSize = 400

    private var sampleRows = 0
    private var sampleOverflow = 0
    private var sampleByEntity: [Int: Int] = [:]

    init(_ image: any DatabasePages, root: Int, countsEntities: Bool = false, check: () throws -> Void) throws {
        guard root > 0, root <= image.pageCount else {
            isDamaged = true
            return
        }
        var level = [UInt32(root)]
        while let first = level.first, try Self.isInterior(image, Int(first)) {
            try check()
            pages += level.count
            var next: [UInt32] = []
            for page in level {
                try appendChildren(image, Int(page), to: &next)
                // A page that refers to pages above it.
                guard pages + next.count <= image.pageCount else {
                    isDamaged = true
                    return
                }
            }
            level = next
        }
        pages += level.count
        try readLeaves(level, image, countsEntities, check)
    }

    private mutating func readLeaves(
        _ leaves: [UInt32], _ image: any DatabasePages, _ countsEntities: Bool, _ check: () throws -> Void
    ) throws {
        guard !leaves.isEmpty else { return }
        isEstimate = leaves.count > Self.leafLimit
        let count = isEstimate ? Self.sampleSize : leaves.count
        for index in 0..<count {
            if index & 63 == 0 { try check() }
            // The middle of each of as many equal parts.
            let place = isEstimate ? (2 * index + 1) * leaves.count / (2 * count) : index
            try image.withPage(Int(leaves[place])) { page in
                readLeaf(page, usable: image.pageSize - image.reservedBytes, Int(leaves[place]), countsEntities)
            }
        }
        func scaled(_ number: Int) -> Int { number * leaves.count / count }
        rows = scaled(sampleRows)
        pages += scaled(sampleOverflow)
        rowsByEntity = sampleByEntity.mapValues(scaled)
    }

    /// Returns the place of a page's header: page 1 begins with that of the file.
    private static func header(_ number: Int) -> Int { number == 1 ? 100 : 0 }

    private static func isInterior(_ image: any DatabasePages, _ number: Int) throws -> Bool {
        try image.withPage(number) { page in
            let type = page[header(number)]
            return type == 2 || type == 5
        }
    }

    private mutating func appendChildren(
        _ image: any DatabasePages, _ number: Int, to children: inout [UInt32]
    ) throws {
        let count = image.pageCount
        let isWhole = try image.withPage(number) { page -> Bool in
            let header = Self.header(number)
            guard page[header] == 2 || page[header] == 5 else { return false }
            let cells = page.integer(at: header + 3, bytes: 2)
            guard header + 12 + cells * 2 <= page.count else { return false }
            for cell in 0...cells {
                let place = cell < cells ? page.integer(at: header + 12 + cell * 2, bytes: 2) : header + 8
                guard place + 4 <= page.count else { return false }
                let child = page.integer(at: place, bytes: 4)
                guard child > 0, child <= count else { return false }
                children.append(UInt32(child))
            }
            return true
        }
        if !isWhole { isDamaged = true }
    }

    private mutating func readLeaf(_ page: UnsafeRawBufferPointer, usable: Int, _ number: Int, _ countsEntities: Bool) {
        let header = Self.header(number)
        let isTable = page[header] == 13
        guard isTable || page[header] == 10, usable > 480 else {
            isDamaged = true
            return
        }
        let cells = page.integer(at: header + 3, bytes: 2)
        guard header + 8 + cells * 2 <= page.count else {
            isDamaged = true
            return
        }
        sampleRows += cells
        let greatest = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        let least = (usable - 12) * 32 / 255 - 23
        for cell in 0..<cells {
            var place = page.integer(at: header + 8 + cell * 2, bytes: 2)
            guard let payload = page.varint(at: &place), payload <= 1 << 40 else { continue }
            if payload > greatest {
                let local = least + (payload - least) % (usable - 4)
                let stored = local <= greatest ? local : least
                sampleOverflow += (payload - stored + usable - 5) / (usable - 4)
            }
            guard isTable, countsEntities, page.varint(at: &place) != nil,
                let entity = page.secondValue(at: place)
            else { continue }
            sampleByEntity[entity, default: 0] += 1
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns a big-endian integer; 0 beyond the end.
    fileprivate func integer(at place: Int, bytes: Int) -> Int {
        guard place >= 0, place + bytes <= count else { return 0 }
        return (place..<place + bytes).reduce(0) { $0 << 8 | Int(self[$1]) }
    }

    /// Reads one of SQLite's integers of variable length, and moves the place behind it; nil for one beyond the end, or a
    /// negative one.
    fileprivate func varint(at place: inout Int) -> Int? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place >= 0, place < count else { return nil }
            let byte = self[place]
            place += 1
            if index == 8 { return Int(exactly: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { break }
        }
        return Int(exactly: value)
    }

    /// Returns the integer in the second column of a record, in which the first is the key and has no bytes.
    fileprivate func secondValue(at record: Int) -> Int? {
        var place = record
        guard let headerSize = varint(at: &place), headerSize < count, varint(at: &place) == 0,
            let type = varint(at: &place)
        else { return nil }
        let value = record + headerSize
        switch type {
        case 8: return 0
        case 9: return 1
        case 1...4: return integer(at: value, bytes: type)
        case 5: return integer(at: value, bytes: 6)
        default: return nil
        }
    }
}

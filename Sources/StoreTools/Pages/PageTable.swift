/// The result of one pass over the pages of a database, page by page.
struct PageTable {
    /// A leaf of a table.
    struct Leaf {
        let page: UInt32
        /// The number of cells that lie within the page.
        let cells: UInt16
        /// True if cells and free space account for every byte, and keys ascend.
        let isSound: Bool
        /// The lowest and highest key.
        let first: Int64
        let last: Int64
    }

    /// The fields of the database's header that are needed here.
    struct Header {
        let freelist: Int
        let freelistCount: Int
        let hasPointerMap: Bool
        let encoding: TextEncoding

        /// Reads the header; nil if there is none.
        init?(_ bytes: PageBytes) {
            guard bytes.count >= 100, bytes.long(0) == 0x5351_4c69, bytes.long(4) == 0x7465_2066,
                bytes.long(8) == 0x6f72_6d61, bytes.long(12) == 0x7420_3300
            else { return nil }
            freelist = bytes.page(32)
            freelistCount = bytes.page(36)
            hasPointerMap = bytes.long(52) != 0
            encoding = TextEncoding(rawValue: bytes.long(56)) ?? .utf8
        }
    }

    let geometry: PageGeometry
    private(set) var kinds: [PageKind]
    private(set) var leaves: [Leaf] = []
    private(set) var header: Header?
    var map: PointerMap
    /// The map pages that are damaged.
    private(set) var damagedMaps: [Int] = []
    /// The number after each page in its overflow chain, if it is an overflow page.
    private(set) var next: [UInt32]
    /// True if a cell names a page as its first overflow page; after the pass: whether a chain leads to it.
    private(set) var isOverflow: [Bool]

    /// Makes the pass.
    init(_ pages: any DatabasePages, progress: ((Double) throws -> Void)?) throws {
        geometry = PageGeometry(pages)
        let count = geometry.pageCount
        kinds = [PageKind](repeating: .failed, count: count + 1)
        next = [UInt32](repeating: 0, count: count + 1)
        isOverflow = [Bool](repeating: false, count: count + 1)
        map = PointerMap(exists: false, geometry: geometry)
        guard count > 0 else { return }
        header = Self.read(pages, 1, Header.init) ?? nil
        map = PointerMap(exists: Self.hasPointerMap(header, pages, geometry), geometry: geometry)
        for page in 1...count {
            if page & 1023 == 0 { try progress?(Double(page) / Double(count)) }
            if page == geometry.lockPage {
                kinds[page] = .lock
                continue
            }
            kinds[page] = Self.read(pages, page) { classify($0, page) } ?? .failed
            if map.isMap(page), kinds[page] != .pointerMap { damagedMaps.append(page) }
        }
        followChains()
    }

    /// Returns the leaf of a table on a page.
    func leaf(_ page: Int) -> Leaf? {
        var low = 0
        var high = leaves.count
        while low < high {
            let middle = (low + high) / 2
            if leaves[middle].page < page { low = middle + 1 } else { high = middle }
        }
        return low < leaves.count && leaves[low].page == page ? leaves[low] : nil
    }

    /// Returns what a closure makes of a page; nil if the page cannot be read.
    static func read<Result>(_ pages: any DatabasePages, _ page: Int, _ body: (PageBytes) -> Result) -> Result? {
        try? pages.withPage(page) { buffer in
            buffer.baseAddress.map { body(PageBytes($0, buffer.count)) }
        }
    }

    /// Returns whether the database has pointer maps: the header says so, or the page of the first map is one.
    private static func hasPointerMap(
        _ header: Header?, _ pages: any DatabasePages, _ geometry: PageGeometry
    ) -> Bool {
        if header?.hasPointerMap == true { return true }
        guard geometry.pageCount > 2 else { return false }
        // Where neither is there, a later map tells.
        for page in stride(from: 2, to: min(geometry.pageCount, 8 * geometry.mapInterval), by: geometry.mapInterval) {
            let isMap = read(pages, page) { bytes -> Bool? in
                let (count, impossible) = PointerMap.examine(bytes, page: page, geometry)
                if count > 0, impossible * 10 <= count { return true }
                return BTreeHeader(bytes, page: page, geometry: geometry) == nil ? nil : false
            }
            if let isMap = isMap ?? nil { return isMap }
            if header != nil { return false }
        }
        return false
    }

    private mutating func classify(_ bytes: PageBytes, _ page: Int) -> PageKind {
        guard bytes.count == geometry.pageSize else { return .failed }
        if map.isMap(page), map.take(bytes, page: page) { return .pointerMap }
        guard let header = BTreeHeader(bytes, page: page, geometry: geometry) else { return plain(bytes, page) }
        let isValid =
            switch header.kind {
            case .tableLeaf: leaf(bytes, page, header)
            case .tableInterior: interior(bytes, header)
            default: index(bytes, header)
            }
        return isValid ? header.kind : plain(bytes, page)
    }

    private mutating func plain(_ bytes: PageBytes, _ page: Int) -> PageKind {
        let number = bytes.long(0)
        if number != 0 {
            next[page] = number
            return .other
        }
        return bytes.isZero ? .zero : .other
    }

    /// Returns whether a page is a leaf of a table, which is then noted.
    private mutating func leaf(_ bytes: PageBytes, _ page: Int, _ header: BTreeHeader) -> Bool {
        var good = 0
        var used = 0
        var first = Int64.max
        var last = Int64.min
        var previous = Int64.min
        var ascends = true
        for index in 0..<header.cellCount {
            let offset = bytes.short(header.pointers + 2 * index)
            guard offset >= header.pointersEnd, let cell = LeafCell(bytes, at: offset, geometry) else { continue }
            good += 1
            used += cell.end - offset
            first = min(first, cell.key)
            last = max(last, cell.key)
            if cell.key < previous { ascends = false }
            previous = cell.key
            if cell.overflow != 0 { isOverflow[cell.overflow] = true }
        }
        guard Self.isValid(header, good: good, geometry) else { return false }
        let free = header.freeBytes(bytes, geometry)
        let isSound =
            ascends && good == header.cellCount && header.isSound(geometry)
            && free.map { $0 + used == geometry.usable - header.contentStart } == true
        leaves.append(
            Leaf(page: UInt32(page), cells: UInt16(good), isSound: isSound, first: first, last: last))
        return true
    }

    private func interior(_ bytes: PageBytes, _ header: BTreeHeader) -> Bool {
        var good = 0
        for index in 0..<header.cellCount {
            let offset = bytes.short(header.pointers + 2 * index)
            if offset >= header.pointersEnd, InteriorCell(bytes, at: offset, geometry) != nil { good += 1 }
        }
        guard header.cellCount > 0 else { return header.isSound(geometry) && geometry.contains(header.rightChild) }
        return Self.isValid(header, good: good, geometry)
    }

    private mutating func index(_ bytes: PageBytes, _ header: BTreeHeader) -> Bool {
        var good = 0
        for index in 0..<header.cellCount {
            var offset = bytes.short(header.pointers + 2 * index)
            guard offset >= header.pointersEnd else { continue }
            if header.kind == .indexInterior { offset += 4 }
            let (size, length) = bytes.varint(offset)
            guard length > 0, size > 0, size <= UInt64(Int32.max) else { continue }
            let local = geometry.localBytes(Int(size), limit: geometry.indexLimit)
            let end = offset + length + local
            guard end + (local < size ? 4 : 0) <= geometry.usable else { continue }
            if local < size {
                let overflow = bytes.page(end)
                guard overflow >= 2, geometry.contains(overflow) else { continue }
                isOverflow[overflow] = true
            }
            good += 1
        }
        return Self.isValid(header, good: good, geometry)
    }

    /// Returns whether enough is right for a page to be what its first byte says.
    private static func isValid(_ header: BTreeHeader, good: Int, _ geometry: PageGeometry) -> Bool {
        if header.cellCount == 0 { return header.isSound(geometry) }
        return header.isSound(geometry) ? good * 2 >= header.cellCount : good == header.cellCount
    }

    /// Marks the pages of all overflow chains.
    private mutating func followChains() {
        var starts: [Int] = []
        for page in isOverflow.indices where isOverflow[page] {
            isOverflow[page] = kinds[page] == .other || kinds[page] == .zero
            if isOverflow[page] { starts.append(page) }
        }
        for start in starts {
            var page = Int(pages: next[start])
            while geometry.contains(page), !isOverflow[page], kinds[page] == .other || kinds[page] == .zero {
                isOverflow[page] = true
                page = Int(pages: next[page])
            }
        }
    }
}

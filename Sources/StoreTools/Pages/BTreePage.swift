/// The types of pages that a page can be recognized as from its bytes alone.
enum PageKind: UInt8 {
    /// Only zeros.
    case zero
    /// The image could not read it.
    case failed
    /// Neither zeros nor a valid page of a b-tree: an overflow page, a free page, or a damaged one.
    case other
    case tableLeaf, tableInterior, indexLeaf, indexInterior
    case pointerMap
    /// The page at 1 GiB.
    case lock

    /// True if it is a page of a table.
    var isTable: Bool { self == .tableLeaf || self == .tableInterior }
    /// True if it is a page of a b-tree.
    var isTree: Bool { isTable || self == .indexLeaf || self == .indexInterior }
}

/// The header of a page of a b-tree.
struct BTreeHeader {
    let kind: PageKind
    /// The offset of the header: 100 on page 1.
    let start: Int
    let firstFreeblock: Int
    let cellCount: Int
    let contentStart: Int
    /// The offset of the cell pointers.
    let pointers: Int
    /// The last child of an interior page.
    let rightChild: Int

    /// The offset after the cell pointers.
    var pointersEnd: Int { pointers + 2 * cellCount }

    /// Reads a header; nil if the first byte is not that of a b-tree's page or the cells cannot fit into the page.
    init?(_ bytes: PageBytes, page: Int, geometry: PageGeometry) {
        start = page == 1 ? 100 : 0
        switch bytes.byte(start) {
        case 2: kind = .indexInterior
        case 5: kind = .tableInterior
        case 10: kind = .indexLeaf
        case 13: kind = .tableLeaf
        default: return nil
        }
        let isInterior = kind == .tableInterior || kind == .indexInterior
        firstFreeblock = bytes.short(start + 1)
        cellCount = bytes.short(start + 3)
        let content = bytes.short(start + 5)
        contentStart = content == 0 ? 65536 : content
        pointers = start + (isInterior ? 12 : 8)
        rightChild = isInterior ? bytes.page(start + 8) : 0
        guard pointers + 6 * cellCount <= geometry.usable else { return nil }
    }

    /// Returns whether the fields agree with each other.
    func isSound(_ geometry: PageGeometry) -> Bool {
        contentStart >= pointersEnd && contentStart <= geometry.usable
            && (firstFreeblock == 0 || (firstFreeblock >= contentStart && firstFreeblock <= geometry.usable - 4))
            && (cellCount > 0 || kind == .tableInterior || contentStart == geometry.usable)
    }

    /// Returns the number of bytes in free blocks; nil if their list is damaged.
    func freeBytes(_ bytes: PageBytes, _ geometry: PageGeometry) -> Int? {
        var total = Int(bytes.byte(start + 7))
        var block = firstFreeblock
        while block != 0 {
            let size = bytes.short(block + 2)
            let next = bytes.short(block)
            guard block >= contentStart, size >= 4, block + size <= geometry.usable, next == 0 || next >= block + size
            else { return nil }
            total += size
            block = next
        }
        return total
    }
}

/// A cell of a table's leaf.
struct LeafCell {
    let offset: Int
    /// The number of bytes of the record.
    let payload: Int
    let key: Int64
    /// The offset of the record.
    let content: Int
    /// The number of the record's bytes in this page.
    let local: Int
    /// The first overflow page; 0 for none.
    let overflow: Int

    /// The offset after the cell.
    var end: Int { max(content + local + (overflow == 0 ? 0 : 4), offset + 4) }

    /// Makes a cell with a record of some bytes, all of them in the page.
    init(offset: Int, key: Int64, content: Int, count: Int) {
        (self.offset, self.key, self.content) = (offset, key, content)
        (payload, local, overflow) = (count, count, 0)
    }

    /// Reads a cell; nil if it does not lie within the page or its sizes are impossible.
    @inline(__always)
    init?(_ bytes: PageBytes, at offset: Int, _ geometry: PageGeometry) {
        let (size, sizeLength) = bytes.varint(offset)
        let (key, keyLength) = bytes.varint(offset + sizeLength)
        guard sizeLength > 0, keyLength > 0, size >= 2, size <= UInt64(Int32.max) else { return nil }
        self.offset = offset
        self.key = Int64(bitPattern: key)
        payload = Int(size)
        content = offset + sizeLength + keyLength
        local = geometry.localBytes(payload, limit: geometry.tableLimit)
        guard local < payload else {
            overflow = 0
            guard content + local <= geometry.usable else { return nil }
            return
        }
        guard content + local + 4 <= geometry.usable, (payload - local) / (geometry.usable - 4) < geometry.pageCount
        else { return nil }
        overflow = bytes.page(content + local)
        guard overflow >= 2, geometry.contains(overflow) else { return nil }
    }
}

/// A cell of a table's interior page: a child, and the highest key in it.
struct InteriorCell {
    let child: Int
    let key: Int64
    let length: Int

    init?(_ bytes: PageBytes, at offset: Int, _ geometry: PageGeometry) {
        let (key, keyLength) = bytes.varint(offset + 4)
        child = bytes.page(offset)
        guard keyLength > 0, offset + 4 + keyLength <= geometry.usable, child >= 2, geometry.contains(child)
        else { return nil }
        self.key = Int64(bitPattern: key)
        length = 4 + keyLength
    }
}

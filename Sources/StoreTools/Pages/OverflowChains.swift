/// Puts records together that continue on overflow pages.
///
/// A page belongs to one record only: the first that uses it, unless that was found in free space or the pointer map
/// names the page of the other. So all records together read each page a bounded number of times, whatever a damaged
/// or hostile file says.
final class OverflowChains {
    /// A record as far as it could be read.
    struct Record {
        /// The bytes, valid until the next record is read.
        let bytes: PageBytes
        /// The offset from which on the bytes come from a page that holds only zeros; nil if there is none.
        let zeros: Int?
    }

    private let pages: any DatabasePages
    private let geometry: PageGeometry
    private let kinds: [PageKind]
    /// The pointer map.
    var map: PointerMap

    /// The cell that uses each page, and the number of the chain that was read when it was seen last.
    private var users: [UInt64] = []
    private var seen: [UInt32] = []
    private var serial: UInt32 = 0
    /// The pages read for chains that turned out to be broken.
    private var wasted = 0

    private var buffer = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 16)
    private var capacity = 4096

    init(_ pages: any DatabasePages, _ table: PageTable) {
        self.pages = pages
        geometry = table.geometry
        kinds = table.kinds
        map = table.map
    }

    deinit { buffer.deallocate() }

    /// Reads the record of a cell that has overflow pages, up to the first break of the chain.
    ///
    /// - Parameters:
    ///   - page: The page of the cell.
    ///   - isRemainder: Whether the cell is on a free page or in free space.
    func record(_ cell: LeafCell, of bytes: PageBytes, on page: Int, isRemainder: Bool) -> Record {
        if users.isEmpty {
            users = [UInt64](repeating: 0, count: geometry.pageCount + 1)
            seen = [UInt32](repeating: 0, count: geometry.pageCount + 1)
        }
        serial &+= 1
        let user = UInt64(page) << 17 | UInt64(cell.offset) << 1 | (isRemainder ? 1 : 0)
        var count = 0
        var zeros: Int?
        append(bytes.base + cell.content, cell.local, at: &count)
        var claimed: [Int] = []
        var current = cell.overflow
        var previous = 0
        while count < cell.payload {
            guard isUsable(current, after: previous, user: user, isRemainder: isRemainder) else { break }
            if users[current] != user {
                users[current] = user
                claimed.append(current)
            }
            seen[current] = serial
            if kinds[current] == .zero, zeros == nil { zeros = count }
            let part = min(cell.payload - count, geometry.usable - 4)
            let next = PageTable.read(pages, current) { overflow -> Int? in
                guard overflow.count >= 4 + part else { return nil }
                append(overflow.base + 4, part, at: &count)
                return overflow.page(0)
            }
            guard let next = next ?? nil else { break }
            previous = current
            current = next
        }
        if count < cell.payload, wasted < 16 * geometry.pageCount {
            wasted += claimed.count
            for page in claimed { users[page] = 0 }
        }
        return Record(bytes: PageBytes(buffer, count), zeros: zeros)
    }

    private func isUsable(_ page: Int, after previous: Int, user: UInt64, isRemainder: Bool) -> Bool {
        guard page >= 2, geometry.contains(page), seen[page] != serial, kinds[page] == .other || kinds[page] == .zero
        else { return false }
        let isFirst = previous == 0
        switch map.kind(page) {
        case .unknown: break
        case .free: guard isRemainder else { return false }
        case .firstOverflow: guard isFirst else { return false }
        case .laterOverflow: guard !isFirst, map.parent(page) == previous else { return false }
        case .root, .tree: return false
        }
        let other = users[page]
        if other == 0 || other == user || (other & 1 == 1 && !isRemainder) { return true }
        return !isRemainder && isFirst && other >> 17 != user >> 17 && map.parent(page) == Int(user >> 17)
    }

    private func append(_ bytes: UnsafeRawPointer, _ length: Int, at count: inout Int) {
        if count + length > capacity {
            let larger = max(2 * capacity, count + length)
            let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
            copy.copyMemory(from: buffer, byteCount: count)
            buffer.deallocate()
            buffer = copy
            capacity = larger
        }
        (buffer + count).copyMemory(from: bytes, byteCount: length)
        count += length
    }
}

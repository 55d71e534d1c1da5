/// Watches the pages that SQLite reads for those of b-trees that two pages refer to.
///
/// SQLite follows every reference. A few pages that refer to the same ones could make it read for ever.
struct TreeReferences {
    private let pageCount: Int
    private let usable: Int
    private let hasMaps: Bool
    /// A bit for each page that was read before, and one for each that others refer to.
    private var seen: [UInt64] = []
    private var referred: [UInt64] = []

    /// The number of pages from which on the first byte of an overflow page may be that of an interior page.
    private static let pageLimit = 1 << 25

    init(_ header: DatabaseHeader, pageCount: Int) {
        self.pageCount = pageCount
        usable = header.pageSize - header.reservedBytes
        hasMaps = header.largestRootPage != 0
    }

    /// Notes what a page refers to; returns false if another page refers to the same.
    mutating func accepts(_ number: Int, _ page: UnsafeRawBufferPointer) -> Bool {
        let start = number == 1 ? 100 : 0
        guard page.count > start + 12, page[start] == 5 || page[start] == 2, pageCount < Self.pageLimit else {
            return true
        }
        if hasMaps, isMap(number, page) { return true }
        guard Self.insert(number, &seen) else { return true }
        let cells = page.bigEndian16(at: start + 3)
        for cell in 0...cells {
            var place = start + 8
            if cell < cells {
                let pointer = start + 12 + 2 * cell
                guard pointer + 2 <= page.count else { return true }
                place = page.bigEndian16(at: pointer)
            }
            guard place + 4 <= page.count else { continue }
            let child = page.bigEndian32(at: place)
            // SQLite rejects other numbers by itself.
            guard child > 1, child <= pageCount else { continue }
            guard Self.insert(child, &referred) else {
                Self.remove(number, &seen)
                return false
            }
        }
        return true
    }

    /// Returns true if a page is one of the pointer map.
    private func isMap(_ number: Int, _ page: UnsafeRawBufferPointer) -> Bool {
        let interval = usable / 5 + 1
        let place = (number - 2) % interval
        guard number >= 2, place == 0 || place == 1 else { return false }
        var entry = 0
        while entry + 5 <= usable, entry + 5 <= page.count {
            guard page[entry] <= 5, page.bigEndian32(at: entry + 1) <= pageCount else { return false }
            entry += 5
        }
        return true
    }

    /// Adds a number to a set; returns false if it is there.
    private static func insert(_ number: Int, _ set: inout [UInt64]) -> Bool {
        let place = number >> 6
        if place >= set.count { set.append(contentsOf: repeatElement(0, count: place + 1 - set.count)) }
        let bit: UInt64 = 1 << UInt64(number & 63)
        guard set[place] & bit == 0 else { return false }
        set[place] |= bit
        return true
    }

    private static func remove(_ number: Int, _ set: inout [UInt64]) { set[number >> 6] &= ~(1 << UInt64(number & 63)) }
}

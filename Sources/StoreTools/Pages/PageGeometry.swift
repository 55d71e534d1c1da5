/// The sizes from which all positions in a database file follow.
struct PageGeometry: Sendable {
    let pageSize: Int
    /// The bytes of a page without the reserved ones at its end.
    let usable: Int
    /// The number of pages; 0 if no pages have this size.
    let pageCount: Int
    /// The page that contains the byte at 1 GiB, which locks use and which holds no content.
    let lockPage: Int
    /// The number of pages from one pointer-map page to the next.
    let mapInterval: Int
    /// The highest number of payload bytes that a cell of a table's leaf holds itself.
    let tableLimit: Int
    /// The highest number of payload bytes that a cell of an index holds itself.
    let indexLimit: Int
    private let minimum: Int

    init(pageSize: Int, reservedBytes: Int, pageCount: Int) {
        let reserved = (0...255).contains(reservedBytes) && pageSize - reservedBytes >= 480 ? reservedBytes : 0
        self.pageSize = pageSize
        usable = pageSize - reserved
        let isValid = pageSize >= 512 && pageSize <= 65536 && pageSize & (pageSize - 1) == 0
        self.pageCount = isValid ? max(0, min(pageCount, Int(pages: .max - 1))) : 0
        lockPage = (1 << 30) / max(pageSize, 1) + 1
        mapInterval = usable / 5 + 1
        tableLimit = usable - 35
        indexLimit = (usable - 12) * 64 / 255 - 23
        minimum = (usable - 12) * 32 / 255 - 23
    }

    init(_ pages: any DatabasePages) {
        self.init(pageSize: pages.pageSize, reservedBytes: pages.reservedBytes, pageCount: pages.pageCount)
    }

    /// Returns whether a number is that of a page.
    @inline(__always)
    func contains(_ page: Int) -> Bool { page >= 1 && page <= pageCount }

    /// Returns the number of payload bytes in a cell itself; the rest is on overflow pages.
    @inline(__always)
    func localBytes(_ payload: Int, limit: Int) -> Int {
        if payload <= limit { return payload }
        let count = minimum + (payload - minimum) % (usable - 4)
        return count <= limit ? count : minimum
    }

    /// Returns the pointer-map page that has the entry of a page, if the database has pointer maps.
    func mapPage(for page: Int) -> Int {
        guard page >= 2 else { return 0 }
        let map = (page - 2) / mapInterval * mapInterval + 2
        return map == lockPage ? map + 1 : map
    }
}

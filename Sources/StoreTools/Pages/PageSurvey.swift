/// The content of a database's pages, found without SQLite.
///
/// Works for damaged files: each page is judged by its own bytes, and the tables to which pages belong are determined
/// from the trees, the pointer maps and the ranges of keys. Reads the file once, then its interior pages. Used by one
/// thread at a time.
package final class PageSurvey {
    /// The rows of `sqlite_schema` that could be read, from page 1's tree or, where that is damaged, also from pages
    /// that look like it.
    package let schema: [SchemaEntry]
    /// The pages with contents that are no valid page of their kind, the pages that trees need and that are empty, and
    /// those that could not be read; ascending.
    package let unreadablePages: [Int]
    /// All pages that are leaves of tables, whatever their owner; ascending.
    package let leafPages: [Int]
    /// The pages that two pages of trees name as their child; ascending.
    package let sharedPages: [Int]
    /// True if the database has pointer maps (`auto_vacuum`).
    package let hasPointerMap: Bool
    /// True if the freelist is complete. False if page 1 is damaged.
    package let isFreelistConsistent: Bool

    private let table: PageTable
    private let owners: PageOwners
    private let reader: PageReader

    /// The pages that are neither valid nor zero and in which ``remains(of:_:)`` finds rows, ascending: leaves with a
    /// destroyed header. Determined when first asked for.
    package private(set) lazy var salvageable: [Int] = unreadablePages.filter { page in
        guard table.kinds[page] == .other else { return false }
        return (try? reader.hasRemains(page)) == true
    }

    /// Reads all pages.
    ///
    /// - Parameter progress: Receives the completed part, from 0 to 1; its errors end the survey.
    /// - Throws: Errors of `progress` alone. A page that cannot be read is one of ``unreadablePages``.
    package init(_ pages: any DatabasePages, progress: ((Double) throws -> Void)? = nil) throws {
        let table = try PageTable(pages, progress: progress)
        let owners = PageOwners(pages, table)
        let reader = PageReader(pages, table)
        let freelist = Freelist(pages, table)
        self.table = table
        self.owners = owners
        self.reader = reader
        let leaves = owners.visit(1, root: 1)
        var search = SchemaSearch(reader, table)
        let isComplete = try search.read(leaves: leaves)
        if !isComplete || !owners.vacancies.isEmpty || !owners.misplaced.isEmpty || !owners.isTable(1) {
            try search.search { page in
                owners.isUnowned(page) && !freelist.contains(page) && table.map.kind(page) != .free
            }
        }
        schema = search.entries
        // Numbers that the pointer map does not confirm come last: they may be damaged.
        let roots = schema.filter(\.hasRowIDs).map(\.rootPage)
        for root in roots where !table.map.exists || table.map.kind(root) == .root { owners.visit(root, root: root) }
        owners.checkMaps()
        for root in roots where table.map.exists && table.map.kind(root) != .root { owners.visit(root, root: root) }
        owners.infer(schema, freelist)
        reader.chains.map = owners.map
        hasPointerMap = table.map.exists
        isFreelistConsistent = freelist.isConsistent
        sharedPages = Array(Set(owners.sharedPages)).sorted()
        leafPages = table.leaves.map { Int($0.page) }
        unreadablePages = Self.unreadable(table, owners)
        try progress?(1)
    }

    private static func unreadable(_ table: PageTable, _ owners: PageOwners) -> [Int] {
        var pages = Set(table.damagedMaps).union(owners.wrongMaps)
        for place in owners.vacancies where !table.kinds[place.page].isTree { pages.insert(place.page) }
        for page in table.kinds.indices.dropFirst() {
            let kind = owners.map.kind(page)
            switch table.kinds[page] {
            case .failed: pages.insert(page)
            case .zero where page == 1 || kind == .tree || kind == .root: pages.insert(page)
            case .other where owners.states[page] != .free && !table.isOverflow[page]:
                // The overflow page of a lost leaf is no damage.
                let isOverflow = kind == .firstOverflow || kind == .laterOverflow
                if !isOverflow || table.next[page] > table.geometry.pageCount { pages.insert(page) }
            default: break
            }
        }
        return pages.sorted()
    }

    /// Returns the table to which a page belongs.
    package func owner(of page: Int) -> PageOwner {
        guard page >= 1, page < owners.states.count else { return .unknown }
        switch owners.states[page] {
        case .none: return .unknown
        case .reachable: return .tree(root: Int(owners.roots[page]))
        case .inferred: return .pointerMap(root: Int(owners.roots[page]))
        case .free: return .free
        }
    }

    /// Decodes the rows of a leaf page; skips damaged cells and counts them. Overflow chains are followed and verified.
    ///
    /// A row of which only the first values could be read is passed, as not complete, and counted.
    ///
    /// - Returns: The number of cells that could not be read completely; 0 for a page that is no leaf of a table.
    /// - Throws: Errors of `body`.
    package func rows(of page: Int, _ body: (SalvagedRow) throws -> Void) throws -> Int {
        try reader.rows(of: page, isFree: owner(of: page) == .free, body)
    }

    /// Passes rows found in the free space and freed blocks of a leaf, or anywhere in a page with a damaged header.
    ///
    /// They were deleted, or moved to another page, unless the page is damaged (``isSound(_:)``). Finds no rows with a
    /// key below 1, nor those of which the first bytes were overwritten. Best effort.
    ///
    /// - Throws: Errors of `body`.
    package func remains(of page: Int, _ body: (SalvagedRow) throws -> Void) throws {
        try reader.remains(of: page, table.leaf(page), body)
    }

    /// Returns whether the cells and the free space of a leaf account for every byte of it, and its keys ascend. If
    /// not, rows in its free space may be lost ones.
    package func isSound(_ page: Int) -> Bool { table.leaf(page)?.isSound == true }

    /// Returns the number of rows on the leaves of a root, or of all pages that are not free, without decoding them.
    package func rowCountEstimate(root: Int? = nil) -> Int {
        table.leaves.reduce(0) { sum, leaf in
            let page = Int(leaf.page)
            guard owners.states[page] != .free, root == nil || Int(owners.roots[page]) == root else { return sum }
            return sum + Int(leaf.cells)
        }
    }
}

extension PageOwners {
    /// Returns whether a page is a valid page of a table.
    func isTable(_ page: Int) -> Bool { page < table.kinds.count && table.kinds[page].isTable }
}

extension PageReader {
    /// Passes the rows that no cell pointer of a page refers to.
    func remains(of page: Int, _ leaf: PageTable.Leaf?, _ body: (SalvagedRow) throws -> Void) throws {
        guard isSearchable(page) else { return }
        _ = try withCopy(page) { bytes in
            for cell in Remains(bytes, page: page, leaf: leaf, self).cells {
                _ = try deliver(cell, bytes, page, true, body)
            }
        }
    }

    /// Returns whether a damaged page has rows that no cell pointer refers to.
    func hasRemains(_ page: Int) throws -> Bool {
        guard isSearchable(page) else { return false }
        return try withCopy(page) { !Remains($0, page: page, leaf: nil, self).cells.isEmpty } ?? false
    }
}

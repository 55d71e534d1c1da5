/// Reads the pages of every b-tree from its root to the first and the last leaf, without SQLite.
struct PageWalk {
    private let pages: any DatabasePages
    private let geometry: PageGeometry
    /// No b-tree is deeper.
    private static let deepest = 20

    init(_ pages: any DatabasePages) {
        self.pages = pages
        geometry = PageGeometry(pages)
    }

    /// Returns the first damaged page on these ways.
    ///
    /// - Throws: ``DatabaseError`` if `sqlite_master` cannot be read.
    func firstFinding(_ database: Database) throws -> StoreFinding? {
        let rows = try database.prepare("SELECT name, tbl_name, type, rootpage FROM sqlite_master WHERE rootpage > 0")
        if let finding = firstFinding(1, "sqlite_master", table: "sqlite_master") { return finding }
        while try rows.step() {
            let name = rows.text(0) ?? ""
            if let finding = firstFinding(Int(clamping: rows.integer(3)), name, table: rows.text(1) ?? name) {
                return finding
            }
        }
        return nil
    }

    private func firstFinding(_ root: Int, _ name: String, table: String) -> StoreFinding? {
        for isLast in [false, true] {
            guard let page = damagedPage(root, isLast) else { continue }
            return StoreFinding(
                .structure, table: table, "The page \(page) of \(name) is damaged.", remedy: .mendedWithLoss)
        }
        return nil
    }

    private enum Way {
        case leaf
        case damaged
        case child(Int, isTable: Bool)
    }

    private func damagedPage(_ root: Int, _ isLast: Bool) -> Int? {
        var (page, isTable): (Int, Bool?) = (root, nil)
        for _ in 0..<Self.deepest {
            switch way(page, isTable, isLast) {
            case .leaf: return nil
            case .damaged: return page
            case .child(let child, let kind): (page, isTable) = (child, kind)
            }
        }
        return page
    }

    private func way(_ page: Int, _ isTable: Bool?, _ isLast: Bool) -> Way {
        guard geometry.contains(page), page != geometry.lockPage else { return .damaged }
        let way = try? pages.withPage(page) { bytes -> Way in
            guard let start = bytes.baseAddress else { return .damaged }
            let bytes = PageBytes(start, bytes.count)
            guard let header = BTreeHeader(bytes, page: page, geometry: geometry),
                isTable == nil || isTable == header.kind.isTable, header.contentStart >= header.pointersEnd,
                header.contentStart <= geometry.usable
            else { return .damaged }
            guard header.kind == .tableInterior || header.kind == .indexInterior else { return .leaf }
            var child = header.rightChild
            if !isLast, header.cellCount > 0 {
                let cell = bytes.short(header.pointers)
                guard cell >= header.pointersEnd, cell + 4 <= geometry.usable else { return .damaged }
                child = Int(bytes.long(cell))
            }
            return child >= 2 ? .child(child, isTable: header.kind.isTable) : .damaged
        }
        return way ?? .damaged
    }
}

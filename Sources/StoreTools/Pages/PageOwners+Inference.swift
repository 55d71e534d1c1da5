extension PageOwners {
    /// Determines the owners of the pages that no known root reaches.
    func infer(_ schema: [SchemaEntry], _ freelist: Freelist) {
        let kinds = schemaKinds(schema)
        markFree(freelist)
        visitUnknownRoots(kinds)
        visitNamedChildren()
        checkParents()
        for page in states.indices.dropFirst() where states[page] == .none && isContent(page) {
            if let root = rootByMap(page), isTableRoot(root, kinds) { set(page, .inferred, root: root) }
        }
        visitTopPages()
        visitDamagedPages()
        placeLeaves()
    }

    /// Returns whether a page can hold rows.
    private func isContent(_ page: Int) -> Bool {
        table.kinds[page].isTable || (table.kinds[page] == .other && !table.isOverflow[page])
            || (table.kinds[page] == .zero && map.kind(page) == .tree)
    }

    private func markFree(_ freelist: Freelist) {
        for page in states.indices.dropFirst() where states[page] == .none {
            if freelist.contains(page) || map.kind(page) == .free { set(page, .free) }
        }
    }

    /// Returns the types of the schema's roots: whether each is that of a table with row ids.
    private func schemaKinds(_ schema: [SchemaEntry]) -> [Int: Bool] {
        var kinds = [1: true]
        for entry in schema where entry.rootPage > 0 {
            kinds[entry.rootPage] = kinds[entry.rootPage] == true || entry.hasRowIDs
        }
        return kinds
    }

    private func isTableRoot(_ root: Int, _ kinds: [Int: Bool]) -> Bool {
        kinds[root] ?? (table.kinds[root] != .indexLeaf && table.kinds[root] != .indexInterior)
    }

    /// Visits the roots that the pointer map names and the schema does not.
    private func visitUnknownRoots(_ kinds: [Int: Bool]) {
        guard map.exists else { return }
        for page in states.indices.dropFirst()
        where states[page] == .none && kinds[page] == nil && map.kind(page) == .root && table.kinds[page].isTable {
            visit(page, root: page)
        }
    }

    /// Returns the root to which the parents in the pointer map lead; nil if they lead nowhere.
    private func rootByMap(_ page: Int) -> Int? {
        var current = page
        // No tree is deeper than 20 pages.
        for _ in 0..<32 {
            if current == 1 { return 1 }
            switch map.kind(current) {
            case .root: return current
            case .tree: current = map.parent(current)
            default:
                guard current != page, states[current] == .reachable || states[current] == .inferred else { return nil }
                return Int(roots[current])
            }
        }
        return nil
    }

    /// Visits the children that damaged pages in known places still name. Searches a bounded number of pages.
    private func visitNamedChildren() {
        var index = 0
        while index < min(vacancies.count, 1000) {
            let place = vacancies[index]
            index += 1
            guard table.kinds[place.page] == .other else { continue }
            for child in namedChildren(of: place) {
                visit(child.page, root: place.root, as: .inferred, low: child.low, high: child.high)
            }
        }
    }

    /// Notes leaves that the pointer map calls the parent of other pages: they took the place of an interior page.
    private func checkParents() {
        guard map.exists else { return }
        var parents: Set<Int> = []
        for page in states.indices.dropFirst() where states[page] == .none && map.kind(page) == .tree {
            parents.insert(map.parent(page))
        }
        for page in parents where table.kinds[page] == .tableLeaf && states[page] == .reachable {
            misplaced.append(Place(page: page, root: Int(roots[page]), low: nil, high: nil))
        }
    }

    /// Visits the interior pages without an owner from the top. Their keys may belong to a damaged place of one table;
    /// otherwise they are taken for roots.
    private func visitTopPages() {
        for page in topPages() where states[page] == .none {
            if let keys = keys(of: page), let root = onlyRoot(keys.first, keys.last, vacancies[...]) {
                visit(page, root: root, as: .inferred)
            } else {
                visit(page, root: page)
            }
        }
    }

    /// Visits the leaves that damaged interior pages without an owner still name. Searches a bounded number of pages.
    private func visitDamagedPages() {
        let damaged = table.kinds.indices.dropFirst().filter {
            states[$0] == .none && table.kinds[$0] == .other && !table.isOverflow[$0] && map.kind($0) == .unknown
        }
        for page in damaged.prefix(1000) {
            let children = namedChildren(of: Place(page: page, root: page, low: nil, high: nil))
            let leaves = children.compactMap { table.leaf($0.page) }
            guard leaves.count >= 2, let first = leaves.map(\.first).min(), let last = leaves.map(\.last).max() else {
                continue
            }
            let root = onlyRoot(first, last, vacancies[...]) ?? page
            for leaf in leaves where states[Int(leaf.page)] == .none { set(Int(leaf.page), .inferred, root: root) }
        }
    }

    /// Finds a place for the leaves without an owner, and for those in the wrong place, by their keys.
    private func placeLeaves() {
        // Bounds the time for files in which everything is damaged.
        let places = (vacancies + misplaced).filter { $0.root != 1 }.prefix(4096)
        guard !places.isEmpty else { return }
        var work = 0
        let wrong = Dictionary(misplaced.map { ($0.page, $0) }, uniquingKeysWith: { first, _ in first })
        for leaf in table.leaves where leaf.cells > 0 && work < 50_000_000 {
            let page = Int(leaf.page)
            let place = wrong[page]
            guard states[page] == .none || place != nil else { continue }
            work += places.count
            let others = place == nil ? places : places.filter { $0.low != nil || $0.high != nil }.prefix(4096)
            if let root = onlyRoot(leaf.first, leaf.last, others), place?.root != root {
                set(page, .inferred, root: root)
            }
        }
    }

    /// Returns the root of the places that hold a range of keys; nil if there are several, or none. The schema's
    /// places are left out: its pages are recognized by their rows.
    private func onlyRoot(_ first: Int64, _ last: Int64, _ places: ArraySlice<Place>) -> Int? {
        var root: Int?
        for place in places where place.root != 1 && place.holds(first, last) {
            if let root, root != place.root { return nil }
            root = place.root
        }
        return root
    }
}

extension SchemaEntry {
    /// True if it is a table that has its rows on leaves of tables.
    var hasRowIDs: Bool {
        guard type == "table", rootPage > 0 else { return false }
        let end = (sql ?? "").uppercased().split(whereSeparator: \.isWhitespace).suffix(2).joined(separator: " ")
        return !end.hasSuffix("WITHOUT ROWID") && !(sql ?? "").uppercased().contains(") WITHOUT ROWID")
    }
}

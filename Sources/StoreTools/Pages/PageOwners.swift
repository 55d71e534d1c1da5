/// Determines to which table each page belongs.
final class PageOwners {
    /// A place in the tree of a table: the page that belongs there has keys in a range.
    struct Place {
        let page: Int
        let root: Int
        /// The bounds of the keys: above `low`, up to `high`. Nil for an end of the table.
        let low: Int64?
        let high: Int64?

        func holds(_ first: Int64, _ last: Int64) -> Bool {
            (low.map { first > $0 } ?? true) && (high.map { last <= $0 } ?? true)
        }
    }

    enum State: UInt8 { case none, reachable, inferred, free }

    private let pages: any DatabasePages
    let table: PageTable
    let geometry: PageGeometry
    var map: PointerMap
    var states: [State]
    var roots: [UInt32]
    /// Places with a page that is damaged, missing, or of another kind.
    var vacancies: [Place] = []
    /// Places with a page that is a leaf with keys that do not belong there.
    var misplaced: [Place] = []
    /// Pages that two parents name.
    private(set) var sharedPages: [Int] = []
    /// The entries of each map page that agree with the trees, and those that do not.
    private var agreements: [Int: (right: Int, wrong: Int)] = [:]
    /// The map pages that contradict the trees.
    private(set) var wrongMaps: [Int] = []

    init(_ pages: any DatabasePages, _ table: PageTable) {
        self.pages = pages
        self.table = table
        geometry = table.geometry
        map = table.map
        states = [State](repeating: .none, count: table.kinds.count)
        roots = [UInt32](repeating: 0, count: table.kinds.count)
    }

    /// Returns whether a page exists and has no owner yet.
    func isUnowned(_ page: Int) -> Bool { page >= 1 && page < states.count && states[page] == .none }

    func set(_ page: Int, _ state: State, root: Int = 0) {
        states[page] = state
        roots[page] = UInt32(root)
    }

    /// Visits the tree of a table, and returns its leaves in the order of keys.
    @discardableResult
    func visit(
        _ top: Int, root: Int, as state: State = .reachable, low: Int64? = nil, high: Int64? = nil
    ) -> [Int] {
        guard isUnowned(top) else {
            if geometry.contains(top) { sharedPages.append(top) }
            return []
        }
        var leaves: [Int] = []
        var stack = [Place(page: top, root: root, low: low, high: high)]
        set(top, state, root: root)
        while let place = stack.popLast() {
            let page = place.page
            switch table.kinds[page] {
            case .tableLeaf:
                leaves.append(page)
                if let leaf = table.leaf(page), leaf.cells > 0, !place.holds(leaf.first, leaf.last) {
                    misplaced.append(place)
                }
            case .tableInterior:
                let children = self.children(of: place)
                let keys = children.compactMap { $0.page == children.last?.page ? nil : $0.high }
                guard keys.count(where: { !place.holds($0, $0) }) * 2 <= keys.count else {
                    // A page of another part or table: another may have taken its place.
                    vacancies.append(place)
                    set(page, .none)
                    continue
                }
                stack.append(contentsOf: children.reversed().filter { claim($0, of: page, state) })
            default:
                vacancies.append(place)
                // A page of another kind belongs elsewhere.
                let isLost = table.kinds[page] == .zero || table.kinds[page] == .failed || table.kinds[page] == .other
                if !isLost { set(page, .none) }
            }
        }
        return leaves
    }

    /// Notes the owner of a child; returns false if another parent names it as well.
    private func claim(_ child: Place, of parent: Int, _ state: State) -> Bool {
        let page = child.page
        let isParent = map.parent(page) == parent && map.kind(page) == .tree
        if map.kind(page) != .unknown {
            var agreement = agreements[geometry.mapPage(for: page)] ?? (0, 0)
            if isParent { agreement.right += 1 } else { agreement.wrong += 1 }
            agreements[geometry.mapPage(for: page)] = agreement
        }
        if isUnowned(page) {
            set(page, state, root: child.root)
            return true
        }
        sharedPages.append(page)
        // The pointer map decides about a leaf.
        if isParent, table.kinds[page] == .tableLeaf { set(page, states[page], root: child.root) }
        return false
    }

    /// Returns the children of an interior page of a table, with their ranges.
    private func children(of place: Place) -> [Place] {
        let children = PageTable.read(pages, place.page) { bytes -> [Place] in
            guard let header = BTreeHeader(bytes, page: place.page, geometry: geometry) else { return [] }
            var children: [Place] = []
            children.reserveCapacity(header.cellCount + 1)
            var low = place.low
            for index in 0..<header.cellCount {
                let offset = bytes.short(header.pointers + 2 * index)
                guard offset >= header.pointersEnd, let cell = InteriorCell(bytes, at: offset, geometry) else {
                    continue
                }
                children.append(Place(page: cell.child, root: place.root, low: low, high: cell.key))
                low = max(low ?? cell.key, cell.key)
            }
            if header.rightChild >= 2, geometry.contains(header.rightChild) {
                children.append(Place(page: header.rightChild, root: place.root, low: low, high: place.high))
            }
            return children
        }
        return children ?? []
    }

    /// Returns the pages that a damaged interior page still names: tables' pages without an owner, with keys that fit
    /// to the key beside their number. The pointer map is better where it has an entry.
    func namedChildren(of place: Place) -> [Place] {
        func isCandidate(_ page: Int) -> Bool {
            isUnowned(page) && table.kinds[page].isTable && map.kind(page) == .unknown
        }
        let children = PageTable.read(pages, place.page) { bytes -> [Place] in
            var children: [Place] = []
            var found: Set<Int> = []
            for offset in 0..<max(geometry.usable - 4, 0) {
                guard let cell = InteriorCell(bytes, at: offset, geometry), isCandidate(cell.child) else { continue }
                guard !found.contains(cell.child), let keys = keys(of: cell.child), place.holds(keys.first, keys.last),
                    keys.last <= cell.key
                else { continue }
                found.insert(cell.child)
                children.append(Place(page: cell.child, root: place.root, low: place.low, high: cell.key))
            }
            return children
        }
        return children ?? []
    }

    /// Forgets pointer maps that the trees contradict, such as one that was swapped with another.
    func checkMaps() {
        for (page, agreement) in agreements where agreement.wrong > 3 * agreement.right + 1 {
            map.forget(page)
            wrongMaps.append(page)
        }
    }

    /// Returns the interior pages without an owner that no other such page names.
    func topPages() -> [Int] {
        let interior = table.kinds.indices.filter { table.kinds[$0] == .tableInterior && states[$0] == .none }
        var isNamed: Set<Int> = []
        for page in interior {
            for child in children(of: Place(page: page, root: page, low: nil, high: nil)) where child.page != page {
                if table.kinds[child.page] == .tableInterior { isNamed.insert(child.page) }
            }
        }
        return interior.filter { !isNamed.contains($0) }
    }

    /// Returns the range of the keys on a leaf, or of those that an interior page names; nil if there are none.
    func keys(of page: Int) -> (first: Int64, last: Int64)? {
        if let leaf = table.leaf(page) { return leaf.cells > 0 ? (leaf.first, leaf.last) : nil }
        let places = children(of: Place(page: page, root: page, low: nil, high: nil))
        guard let first = places.compactMap(\.high).min(), let last = places.compactMap(\.high).max() else {
            return nil
        }
        return (first, last)
    }
}

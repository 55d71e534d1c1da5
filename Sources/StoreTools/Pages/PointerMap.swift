/// The entries of the pointer-map pages: the kind and the parent of every page.
struct PointerMap {
    enum Kind: UInt8 {
        /// Not known: no pointer maps, or a damaged one.
        case unknown
        case root, free, firstOverflow, laterOverflow, tree
    }

    /// True if the database has pointer maps.
    let exists: Bool
    private let geometry: PageGeometry
    private var kinds: [UInt8]
    private var parents: [UInt32]

    init(exists: Bool, geometry: PageGeometry) {
        self.exists = exists
        self.geometry = geometry
        kinds = exists ? [UInt8](repeating: 0, count: geometry.pageCount + 1) : []
        parents = exists ? [UInt32](repeating: 0, count: geometry.pageCount + 1) : []
    }

    /// Returns whether a page has the place of a pointer map.
    func isMap(_ page: Int) -> Bool { exists && page >= 2 && geometry.mapPage(for: page) == page }

    /// Returns the kind that the map notes for a page.
    func kind(_ page: Int) -> Kind {
        exists && geometry.contains(page) ? Kind(rawValue: kinds[page]) ?? .unknown : .unknown
    }

    /// Returns the parent that the map notes for a page; 0 for none.
    func parent(_ page: Int) -> Int { exists && geometry.contains(page) ? Int(parents[page]) : 0 }

    /// Returns the number of entries of a map page for existing pages, and of those that are not possible.
    static func examine(_ bytes: PageBytes, page: Int, _ geometry: PageGeometry) -> (count: Int, impossible: Int) {
        let count = min(geometry.usable / 5, geometry.pageCount - page)
        var impossible = 0
        for index in 0..<max(count, 0) where entry(bytes, index, page: page, geometry) == nil {
            impossible += 1
        }
        return (max(count, 0), impossible)
    }

    /// Takes the entries of a map page; returns false if the page is no pointer map.
    mutating func take(_ bytes: PageBytes, page: Int) -> Bool {
        let (count, impossible) = Self.examine(bytes, page: page, geometry)
        guard impossible * 4 <= count + 3, !bytes.isZero else { return false }
        for index in 0..<count {
            guard let entry = Self.entry(bytes, index, page: page, geometry) else { continue }
            kinds[page + 1 + index] = entry.kind.rawValue
            parents[page + 1 + index] = UInt32(entry.parent)
        }
        return true
    }

    /// Forgets the entries of a map page that the trees contradict.
    mutating func forget(_ page: Int) {
        for index in page..<min(page + geometry.mapInterval, geometry.pageCount + 1) {
            kinds[index] = 0
            parents[index] = 0
        }
    }

    private static func entry(
        _ bytes: PageBytes, _ index: Int, page: Int, _ geometry: PageGeometry
    ) -> (kind: Kind, parent: Int)? {
        let parent = bytes.page(5 * index + 1)
        guard let kind = Kind(rawValue: bytes.byte(5 * index)) else { return nil }
        switch kind {
        case .unknown: return nil
        case .root, .free: return parent == 0 ? (kind, 0) : nil
        default: return geometry.contains(parent) && parent != page + 1 + index ? (kind, parent) : nil
        }
    }
}

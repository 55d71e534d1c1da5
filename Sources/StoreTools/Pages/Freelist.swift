/// The pages that the freelist names.
struct Freelist {
    /// True if the list is complete: every trunk is readable, no page occurs twice, and the count is right.
    private(set) var isConsistent: Bool
    /// The pages that hold the list itself.
    private(set) var trunks: Set<Int> = []
    private var isFree: [Bool]

    /// Reads the freelist. Nothing is free if there is no header.
    init(_ pages: any DatabasePages, _ table: PageTable) {
        let geometry = table.geometry
        isFree = []
        isConsistent = table.header != nil
        guard let header = table.header else { return }
        isFree = [Bool](repeating: false, count: table.kinds.count)
        var count = 0
        var trunk = header.freelist
        func take(_ page: Int) -> Bool {
            guard page >= 2, page < isFree.count, !isFree[page], table.kinds[page] != .pointerMap,
                page != geometry.lockPage
            else { return false }
            isFree[page] = true
            count += 1
            return true
        }
        while trunk != 0, isConsistent {
            guard take(trunk) else {
                isConsistent = false
                break
            }
            trunks.insert(trunk)
            let result = PageTable.read(pages, trunk) { bytes -> Int? in
                let leaves = bytes.page(4)
                guard leaves <= geometry.usable / 4 - 2 else { return nil }
                for index in 0..<leaves where !take(bytes.page(8 + 4 * index)) { return nil }
                return bytes.page(0)
            }
            guard let following = result ?? nil else {
                isConsistent = false
                break
            }
            trunk = following
        }
        if count != header.freelistCount { isConsistent = false }
    }

    /// Returns whether a page is free for certain.
    func contains(_ page: Int) -> Bool { isConsistent && page < isFree.count && isFree[page] }
}

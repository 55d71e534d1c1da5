/// A bit for each cell of an entity, in words as rows have them. Reading them counts no references.
struct CellBits: ~Copyable, @unchecked Sendable {
    private let words: UnsafeMutablePointer<UInt64>

    /// Sets the bits of the cells that fulfil a condition.
    init(words count: Int, of cells: ContiguousArray<EntityLayout.Cell>, where isSet: (EntityLayout.Cell) -> Bool) {
        words = .allocate(capacity: count)
        words.initialize(repeating: 0, count: count)
        for cell in cells where isSet(cell) { words[cell.index >> 6] |= 1 << UInt64(cell.index & 63) }
    }

    deinit { words.deallocate() }

    @inline(__always)
    subscript(word: Int) -> UInt64 { words[word] }
}

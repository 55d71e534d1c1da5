/// A bit for each slot of an entity, in words with the layout of rows. Read without retain/release.
@usableFromInline
package struct CellBits: ~Copyable, @unchecked Sendable {
    @usableFromInline let words: UnsafeMutablePointer<UInt64>

    /// Sets the bits of the slots, given by their indices, that satisfy a condition.
    package init(words count: Int, of cells: Range<Int>, where isSet: (Int) -> Bool) {
        words = .allocate(capacity: count)
        words.initialize(repeating: 0, count: count)
        for index in cells where isSet(index) { words[index >> 6] |= 1 << UInt64(index & 63) }
    }

    deinit { words.deallocate() }

    @inlinable package subscript(word: Int) -> UInt64 {
        @inline(__always) get { words[word] }
    }
}

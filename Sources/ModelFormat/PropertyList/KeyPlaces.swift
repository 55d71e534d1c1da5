/// Caches the positions of keys in dictionaries, for the most recently read dictionaries.
///
/// The objects of one class in an archive mostly have the same keys in the same order, and are read with the same ones. So one
/// entry serves for all objects that reference the same keys.
///
/// Not thread-safe: ``notes(_:start:count:width:code:)`` writes, although it is nonmutating.
struct KeyPlaces: ~Copyable {
    /// A handle to a cache entry, valid until the entry is replaced.
    struct Notes {
        fileprivate let slot: Int
        /// The start and count of the keys of the entry. Lists may overlap, so the start alone does not identify them.
        fileprivate let start: Int
        fileprivate let count: Int

        static let none = Notes(slot: 0, start: -1, count: 0)
    }

    /// The possible position of a key with a given hash code.
    enum Answer {
        /// No key has the code.
        case absent
        /// Only the key at this index has the code.
        case at(Int)
        /// All keys must be compared.
        case unknown
    }

    private static let slots = 16
    private static let codes = 64
    /// The marker for codes shared by several keys, or for keys that are not plain text.
    private static let unclear = UInt8.max

    /// For each slot, the offset of the key references that the entry describes, or -1.
    private let starts: UnsafeMutablePointer<Int>
    /// For each slot, the number of keys.
    private let counts: UnsafeMutablePointer<Int>
    /// For each slot and code, the index of the key plus one, or 0 if there is none.
    private let places: UnsafeMutablePointer<UInt8>

    init() {
        starts = .allocate(capacity: Self.slots)
        starts.initialize(repeating: -1, count: Self.slots)
        counts = .allocate(capacity: Self.slots)
        counts.initialize(repeating: 0, count: Self.slots)
        places = .allocate(capacity: Self.slots * Self.codes)
    }

    deinit {
        starts.deallocate()
        counts.deallocate()
        places.deallocate()
    }

    /// Returns the cache entry for a dictionary with `count` key references, each of `width` bytes, from `start` on.
    ///
    /// - Parameter code: returns the ``code(_:_:)`` of the key at an index, nil if its text is not plain.
    @inline(__always)
    func notes(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, start: Int, count: Int, width: Int, code: (_ index: Int) -> Int?
    ) -> Notes {
        guard count > 0, count < Self.unclear else { return .none }
        let slot = (count &* 31 &+ Int(bytes[start + count * width - 1])) % Self.slots
        if starts[slot] < 0 || counts[slot] != count || !isSame(bytes, starts[slot], start, count * width) {
            starts[slot] = start
            counts[slot] = count
            let ofSlot = places + slot * Self.codes
            ofSlot.initialize(repeating: 0, count: Self.codes)
            for index in 0..<count {
                guard let code = code(index) else {
                    ofSlot.initialize(repeating: Self.unclear, count: Self.codes)
                    break
                }
                ofSlot[code] = ofSlot[code] == 0 ? UInt8(index + 1) : Self.unclear
            }
        }
        return Notes(slot: slot, start: starts[slot], count: count)
    }

    /// Returns the index of the only key with a code, if there is one.
    @inline(__always)
    func place(_ code: Int, in notes: Notes) -> Answer {
        guard notes.start >= 0, starts[notes.slot] == notes.start, counts[notes.slot] == notes.count else {
            return .unknown
        }
        switch places[notes.slot * Self.codes + code] {
        case 0: return .absent
        case Self.unclear: return .unknown
        case let place: return .at(Int(place) - 1)
        }
    }

    /// Returns a hash code below 64 from the byte count and the last byte of a key; it distinguishes most keys.
    @inline(__always)
    static func code(_ count: Int, _ last: UInt8) -> Int { (count &* 7 &+ Int(last)) % codes }

    @inline(__always)
    private func isSame(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, _ first: Int, _ second: Int, _ count: Int
    ) -> Bool {
        for offset in 0..<count where bytes[first + offset] != bytes[second + offset] { return false }
        return true
    }
}

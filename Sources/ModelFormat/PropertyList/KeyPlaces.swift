/// Where keys stand among the keys of dictionaries, noted for the dictionaries looked at last.
///
/// The objects of one class in an archive mostly have the same keys in the same order, and are asked for the same ones. So
/// what is noted of one serves for all that refer to the same keys.
///
/// For one thread at a time: ``notes(_:start:count:width:code:)`` writes, though it does not say so.
struct KeyPlaces: ~Copyable {
    /// The notes that dictionaries of some keys may use, as long as no others have taken their place.
    struct Notes {
        fileprivate let slot: Int
        /// Which keys the notes are of. Lists may overlap, so where they start is not enough.
        fileprivate let start: Int
        fileprivate let count: Int

        static let none = Notes(slot: 0, start: -1, count: 0)
    }

    /// Where a key with a code can be.
    enum Answer {
        /// No key has it.
        case absent
        /// Only the key with this number has it.
        case at(Int)
        /// All have to be looked at.
        case unknown
    }

    private static let slots = 16
    private static let codes = 64
    /// What stands for keys that share a code, or whose text is not plain.
    private static let unclear = UInt8.max

    /// For each slot where the references to the keys begin that the notes were made of, or -1.
    private let starts: UnsafeMutablePointer<Int>
    /// For each slot how many keys those are.
    private let counts: UnsafeMutablePointer<Int>
    /// For each slot and code the place of the key plus one, or 0 when there is none.
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

    /// The notes for a dictionary with `count` references to keys, each of `width` bytes, from `start` on.
    ///
    /// - Parameter code: What ``code(_:_:)`` says of the key with a number, nil if its text is not plain.
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

    /// Where the only key with a code is, if any.
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

    /// A number below 64 that tells most keys apart, made of a key's count of bytes and its last byte.
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

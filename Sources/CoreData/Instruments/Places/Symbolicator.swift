import CoreDataRuntimeSupport

/// Symbolicates return addresses: finds their functions and lines. May be used on any thread.
///
/// Reading a line takes up to a tenth of a second in a large program, reading a function's name microseconds. So names are read
/// first, and lines only for functions outside of this package and the standard library, one by one.
final class Symbolicator: Sendable {
    static let shared = Symbolicator()

    private struct Known {
        /// The frames of each address; inlined calls precede their caller. At most one entry per call in the program.
        var frames: [UInt: [CodeFrame]] = [:]
        /// The names of functions that have been read; empty for unnamed ones.
        var names: [UInt: String] = [:]
    }

    private let known = Locked(Known())

    /// Returns the names of the functions at addresses, without inlined ones. Functions of this package need no further lookup.
    @discardableResult
    func names(of addresses: [UInt]) -> [String] {
        guard Self.isAvailable else { return [] }
        readNames(of: addresses)
        return known.withLock { known in addresses.map { known.names[$0] ?? "" } }
    }

    private func readNames(of addresses: [UInt]) {
        let missing = known.withLock { known in
            addresses.filter { known.names[$0] == nil }
        }
        guard !missing.isEmpty else { return }
        let names = Self.look(up: missing, lines: false)
        known.withLock { known in
            for address in missing {
                let frame = names[address]?.last
                known.names[address] = frame?.function ?? ""
                guard let frame, known.frames[address] == nil else { continue }
                if OwnSymbol.isOwn(frame.symbol) {
                    known.frames[address] = [CodeFrame(framework: frame.symbol, function: frame.function)]
                } else if OwnSymbol.isStandardLibrary(frame.symbol) {
                    known.frames[address] = [CodeFrame(library: frame.symbol, function: frame.function)]
                }
            }
        }
    }

    /// Returns true if the function or the lines at an address have been looked up.
    func knows(_ address: UInt) -> Bool {
        known.withLock { $0.names[address] != nil || $0.frames[address] != nil }
    }

    /// Returns the calls at an address; empty if places are not available.
    func frames(of address: UInt) -> [CodeFrame] {
        guard Self.isAvailable else { return [] }
        if let frames = known.withLock({ $0.frames[address] }) { return frames }
        // A failed lookup is not repeated.
        let frames = Self.look(up: [address], lines: true)[address] ?? []
        known.withLock { $0.frames[address] = frames }
        return frames
    }
}

#if !(DEBUG && canImport(Runtime) && canImport(Glibc)) || COREDATA_WITHOUT_PLACES
extension Symbolicator {
    static var isAvailable: Bool { false }

    static func look(up addresses: [UInt], lines: Bool) -> [UInt: [CodeFrame]] { [:] }
}
#endif

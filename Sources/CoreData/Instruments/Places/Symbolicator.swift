import CoreDataRuntimeSupport

/// Looks up the functions and lines that return addresses stand for. May be used on any thread.
///
/// To read a line takes up to a tenth of a second in a large program, to read a function's name microseconds. So names come
/// first, and lines only of functions that are neither this package's nor the standard library's, one after the other.
final class Symbolicator: Sendable {
    static let shared = Symbolicator()

    private struct Known {
        /// What is known of each address; inlined calls precede the one they are part of. As many as the program has calls.
        var frames: [UInt: [CodeFrame]] = [:]
        /// The names of functions that have been read; empty for those that have none.
        var names: [UInt: String] = [:]
    }

    private let known = Locked(Known())

    /// The names of the functions at addresses, without those the compiler inlined. Functions of this package need no more.
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

    /// The calls at an address; empty where places are not known.
    func frames(of address: UInt) -> [CodeFrame] {
        guard Self.isAvailable else { return [] }
        if let frames = known.withLock({ $0.frames[address] }) { return frames }
        // What cannot be read is not asked for again.
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

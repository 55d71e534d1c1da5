import CoreDataRuntimeSupport

/// Looks up the functions and lines that return addresses stand for. May be used on any thread.
final class Symbolicator: Sendable {
    static let shared = Symbolicator()

    /// What is known of each address; inlined calls precede the one they are part of. As many as the program has calls.
    private let known = Locked<[UInt: [CodeFrame]]>([:])

    /// The calls at the addresses, in their order; empty where places are not known.
    func frames(of addresses: [UInt]) -> [CodeFrame] {
        guard Self.isAvailable else { return [] }
        let missing = known.withLock { known in addresses.filter { known[$0] == nil } }
        if !missing.isEmpty {
            let found = Self.look(up: missing)
            // What could not be read is not asked for again.
            known.withLock { known in
                for address in missing { known[address] = found[address] ?? [] }
            }
        }
        return known.withLock { known in addresses.flatMap { known[$0] ?? [] } }
    }
}

#if !(DEBUG && canImport(Runtime) && canImport(Glibc)) || COREDATA_WITHOUT_PLACES
extension Symbolicator {
    static var isAvailable: Bool { false }

    static func look(up addresses: [UInt]) -> [UInt: [CodeFrame]] { [:] }
}
#endif

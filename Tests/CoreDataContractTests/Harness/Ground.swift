import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// An engine with the stock in it.
final class Ground: Sendable {
    let kind: EngineKind
    private let opened: OpenEngine
    /// The rows by their names in ``Stock``, and the names by their rows.
    let rows: [String: RowReference]
    let names: [RowReference: String]

    var engine: any StoreEngine { opened.engine }
    var identifier: String { opened.identifier }

    init(_ kind: EngineKind) throws {
        self.kind = kind
        opened = try kind.makeEngine()
        rows = try Stock.fill(opened.engine)
        names = Dictionary(rows.map { ($1, $0) }) { first, _ in first }
    }

    private static let shared = Locked<[EngineKind: Ground]>([:])
    /// Removes the files of the shared ones when the process ends.
    private static let removal: Void = {
        _ = atexit { Ground.shared.withLock { $0 = [:] } }
    }()

    /// The one for rules that write nothing.
    static func shared(_ kind: EngineKind) throws -> Ground {
        _ = removal
        return try shared.withLock { shared in
            if let known = shared[kind] { return known }
            let made = try Ground(kind)
            shared[kind] = made
            return made
        }
    }
}

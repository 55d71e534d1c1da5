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

    /// Another engine of the same store.
    func openAnother() throws -> OpenEngine? { try opened.another?() }

    private init(_ kind: EngineKind, _ opened: OpenEngine, _ rows: [String: RowReference]) {
        self.kind = kind
        self.opened = opened
        self.rows = rows
        names = Dictionary(rows.map { ($1, $0) }) { first, _ in first }
    }

    private static func make(_ kind: EngineKind) throws -> Ground {
        let opened = try kind.makeEngine()
        return Ground(kind, opened, try Stock.fill(opened.engine))
    }

    // MARK: What several rules use

    private struct Common {
        /// For rules that write nothing.
        var forReading: [EngineKind: Ground] = [:]
        /// Closed ones with files, which cost less to copy than to fill.
        var models: [EngineKind: Ground] = [:]
    }

    private static let common = Locked(Common())
    /// Removes their files when the process ends.
    private static let removal: Void = { _ = atexit { Ground.common.withLock { $0 = Common() } } }()

    /// The one for rules that write nothing.
    static func forReading(_ kind: EngineKind) throws -> Ground {
        _ = removal
        return try common.withLock { common in
            if let known = common.forReading[kind] { return known }
            let made = try make(kind)
            common.forReading[kind] = made
            return made
        }
    }

    /// One of its own for a rule that writes.
    static func forWriting(_ kind: EngineKind) throws -> Ground {
        guard kind == .sqlite else { return try make(kind) }
        _ = removal
        let model = try common.withLock { common in
            if let known = common.models[kind] { return known }
            let made = try make(kind)
            made.opened.finish()
            common.models[kind] = made
            return made
        }
        guard let folder = model.opened.folder else { return try make(kind) }
        return Ground(kind, try EngineKind.openSQLite(copying: folder), model.rows)
    }
}

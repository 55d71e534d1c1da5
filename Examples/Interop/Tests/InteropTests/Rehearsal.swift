#if !canImport(Darwin)
import CInteropSQLite
import Foundation

@testable import InteropKit

/// An exchange in a temporary folder, in which this package's framework also takes the Mac's part.
@MainActor
struct Rehearsal {
    let exchange: Exchange
    let report: Report

    /// Runs `body` with stores of all cases that are written and examined, and removes the folder.
    static func run(_ body: (Rehearsal) throws -> Void) throws {
        try withCopy(of: examined.get()) { exchange in
            try body(Rehearsal(exchange: exchange, report: Report.read(from: exchange.report)))
        }
    }

    /// Runs `body` with stores of all cases that are written, and removes the folder.
    static func withExchange(_ body: (Exchange) throws -> Void) throws { try withCopy(of: written.get(), body) }

    // Each takes seconds; the tests work on copies.

    private nonisolated static let base: URL = {
        atexit { try? FileManager.default.removeItem(at: Rehearsal.base) }
        return FileManager.default.temporaryDirectory.appendingPathComponent("Interop-\(UUID().uuidString)")
    }()

    private static let written = Result<Exchange, any Error> {
        let exchange = Exchange(base.appendingPathComponent("written"))
        try LinuxStores(exchange).write()
        return exchange
    }

    private static let examined = Result<Exchange, any Error> {
        let exchange = Exchange(base.appendingPathComponent("examined"))
        try written.get().folder.copy(to: exchange.folder)
        var examination = try Rehearsal.examination(exchange)
        _ = try examination.run()
        return exchange
    }

    private static func withCopy(of exchange: Exchange, _ body: (Exchange) throws -> Void) throws {
        let folder = base.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = Exchange(folder.appendingPathComponent("Exchange"))
        try exchange.folder.copy(to: copy.folder)
        try body(copy)
    }

    static func examination(_ exchange: Exchange) throws -> Examination {
        try Examination(exchange, framework: "a stand-in for Apple's Core Data")
    }

    /// Returns the verdict on the current state of the exchange.
    func verdict(_ cases: [Case] = Case.all) -> Verdict {
        let workshop = exchange.folder.deletingLastPathComponent().appendingPathComponent("Workshop")
        defer { try? FileManager.default.removeItem(at: workshop) }
        return Judge(exchange, workshop: workshop, cases: cases).verdict()
    }

    /// Runs `change` on the Mac's folder, returns the verdict on one case, and restores the folder.
    func verdict(_ item: Case, after change: () throws -> Void) throws -> Verdict {
        let kept = exchange.folder.appendingPathComponent("kept")
        try exchange.fromMac.copy(to: kept)
        defer { try? kept.copy(to: exchange.fromMac) }
        try change()
        return verdict([item])
    }

    /// Writes a changed report.
    func changeReport(_ change: (inout Report) -> Void) throws {
        var changed = report
        change(&changed)
        try changed.write(to: exchange.report)
    }
}

/// Runs a SQL statement on a store without Core Data.
///
/// - Throws: ``InteropError`` if the statement fails or changes no row.
func execute(_ sql: String, in store: URL) throws {
    var database: OpaquePointer?
    defer { _ = sqlite3_close_v2(database) }
    guard sqlite3_open_v2(store.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
        sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK
    else { throw InteropError("\(sql): \(String(cString: sqlite3_errmsg(database)))") }
    guard sqlite3_changes(database) > 0 else { throw InteropError("\(sql) changed nothing") }
}
#endif

import CoreData
import Foundation

/// The operations on the stores of a case, the same on a Mac and on Linux. Each opens and closes the store, so that values are
/// read from the file.
@MainActor
struct StoreWork {
    let item: Case
    let models: ModelPair

    /// Creates a store with the initial content of the case.
    func fill(_ store: URL) throws { try open(store, models.first, makes: true) { try $0.run(item.fill) } }

    /// Edits a store of the first version.
    func edit(_ store: URL) throws { try open(store, models.first) { try $0.run(item.edit) } }

    /// Migrates a store of the first version to the second.
    func migrate(_ store: URL) throws {
        if let additions = item.mappedAdditions {
            try MappedMigration.run(store, from: models.first, to: models.second, additions: additions)
        } else {
            try open(store, models.second, migrates: true) { _ in }
        }
    }

    /// Returns all lines of a store of the first version, with its history if the case tracks it.
    func lines(of store: URL) throws -> [String] {
        try open(store, models.first) { stack in
            try (stack.lines() + (item.tracksHistory ? stack.historyLines() : [])).sorted()
        }
    }

    /// Returns all lines of a store of the second version.
    func migratedLines(of store: URL) throws -> [String] { try open(store, models.second) { try $0.lines() } }

    /// Returns all lines of a store in a state.
    func lines(of store: URL, in state: Exchange.State) throws -> [String] {
        state == .migrated ? try migratedLines(of: store) : try lines(of: store)
    }

    private func open<Result>(
        _ store: URL, _ model: NSManagedObjectModel, makes: Bool = false, migrates: Bool = false,
        _ body: (Stack) throws -> Result
    ) throws -> Result {
        // Core Data would create a missing store.
        guard makes != FileManager.default.fileExists(atPath: store.path) else {
            throw InteropError("there is \(makes ? "already a" : "no") store at \(store.path)")
        }
        let stack = try Stack(store, model, tracksHistory: item.tracksHistory, migrates: migrates)
        do {
            let result = try body(stack)
            try stack.close()
            return result
        } catch {
            try? stack.close()
            throw error
        }
    }
}

extension PlainSQL {
    /// Returns the differences between the rows of a store and a list of rows, and the result of SQLite's integrity check.
    ///
    /// - Throws: ``InteropError`` with SQLite's message, Foundation's errors if the list cannot be read.
    static func differences(of store: URL, from list: URL) throws -> [String] {
        let found = lines(try listing(of: store))
        return damages(in: found) + Differences.between(expected: try list.lines(), found: found)
    }

    /// Returns the errors that SQLite's integrity check finds in a store.
    ///
    /// - Throws: ``InteropError`` with SQLite's message.
    static func damages(of store: URL) throws -> [String] { damages(in: lines(try listing(of: store))) }

    private static func damages(in lines: [String]) -> [String] { lines.filter { $0.hasPrefix("-- damaged") } }

    private static func lines(_ listing: String) -> [String] { listing.split(separator: "\n").map(String.init) }
}

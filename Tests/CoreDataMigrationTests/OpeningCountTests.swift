import CCoreDataSQLite
import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// How often a store's file is opened. Each time reads its schema and its cached model, and each is a moment in which another
/// process may come in between.
@Suite("Opening of stores that are migrated", .slow)
struct OpeningCountTests {
    /// SQLite calls the function for each connection.
    @Test func aMigrationOpensItsStoreOnce() async {
        await #expect(processExitsWith: .success) {
            let first = Versions.first()
            let second = Versions.changed { entities, _ in
                entities["Club"]?.properties += [LibraryModel.attribute("note", .stringAttributeType)]
            }
            let store = try MigrationStore()
            try store.open(first) { Versions.fill($0) }
            let opening:
                @convention(c) (
                    OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
                ) -> Int32 = { database, _, _ in
                    if let name = sqlite3_db_filename(database, "main") {
                        Openings.names.append(URL(fileURLWithPath: String(cString: name)).lastPathComponent)
                    }
                    return SQLITE_OK
                }
            let result = sqlite3_auto_extension(unsafeBitCast(opening, to: (@convention(c) () -> Void).self))
            precondition(result == SQLITE_OK)
            func openings(_ work: () throws -> Void) rethrows -> [String] {
                Openings.names = []
                try work()
                return Openings.names
            }
            let once = [store.url.lastPathComponent]
            let (before, migrating) = (
                try openings { try store.open(first) { _ in } }, try openings { try store.migrate(to: second) }
            )
            precondition(before == once, "to open it: \(before)")
            precondition(migrating == once, "to migrate and open it: \(migrating)")
        }
    }
}

private enum Openings {
    nonisolated(unsafe) static var names: [String] = []
}

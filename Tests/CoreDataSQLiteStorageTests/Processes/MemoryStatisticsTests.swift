import CoreDataTestSupport
import Foundation
import Testing

/// The settings of the process's SQLite library belong to the program. SQLite's documentation: `sqlite3_config` works before the
/// library is initialised, and `sqlite3_memory_used()` is 0 while `SQLITE_CONFIG_MEMSTATUS` is off.
@Suite struct MemoryStatisticsTests {
    @Test func storesLeaveTheLibraryAsItIs() throws {
        let folder = try TemporaryFolder()
        let worker = try Worker("statistics", folder.file("Store.sqlite"))
        #expect(worker.finish())
        #expect(worker.lines == ["counted", "disabled false", "counted"])
    }

    @Test func aProgramMaySwitchTheCountOff() throws {
        let folder = try TemporaryFolder()
        let worker = try Worker("statistics", folder.file("Store.sqlite"), ["disable"])
        #expect(worker.finish())
        #expect(worker.lines == ["disabled true", "not counted", "disabled false", "not counted"])
    }
}

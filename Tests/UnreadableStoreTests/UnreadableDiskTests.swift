import CoreDataTestSupport
import MagicalRecordTestSupport
import Foundation
import Testing

/// Processes whose system calls fail: what is read is what is stored, or an error is told.
@Suite("Disks that cannot be read", .slow)
struct UnreadableDiskTests {
    /// Of the calls of each piece of work so many are left out in everyday runs.
    private static let each = LongForm.choose(47, long: 1)

    private static let codes = [EIO, EMFILE, ENOLCK]

    /// Every call that reads, opens, locks or asks about the store's files fails, once or from then on.
    @Test(arguments: ["open", "read", "edit"], ["once", "always"])
    func eachCallFails(_ work: String, _ kind: String) throws {
        for code in Self.codes {
            let folder = try TemporaryFolder()
            let worker = try Worker(
                "reads", folder.file("Ledger.sqlite"), [work, String(code), kind, String(Self.each)])
            #expect(worker.finish(), "\(work), error \(code): \(worker.lines.suffix(3))")
            #expect(worker.lines.filter { $0.hasPrefix("wrong") || $0.hasPrefix("failed") } == [])
            #expect(try #require(worker.last("calls")) > 50)
            // A single failure may be made good by another attempt of SQLite's.
            if kind == "always" { #expect(try #require(worker.last("errors")) > 0) }
        }
    }

    /// A server whose clients hold all descriptors that it may have: SQLite cannot open another connection.
    @Test func noDescriptorIsLeft() throws {
        let folder = try TemporaryFolder()
        let worker = try Worker("descriptors", folder.file("Ledger.sqlite"))
        #expect(worker.finish(), "\(worker.lines)")
        #expect(worker.last("silent") == 0)
        #expect(worker.lines.filter { $0.hasPrefix("placeholders") }.last == "placeholders 0")
        #expect(worker.lines.filter { $0.hasPrefix("failed") } == [])
    }
}

import CoreDataTestSupport
import Foundation
import Testing

/// What a program hears that leaves MagicalRecord's logging as it is: saves are reported at the level *verbose*, so that one that
/// succeeds is silent at the levels programs begin with, *debug* in debug builds and *error* in others.
@Suite struct DefaultLogTests {
    @Test func aSuccessfulSaveIsSilent() throws {
        let folder = try TemporaryFolder()
        let worker = try Worker("log", folder.file("log.sqlite"))
        #expect(worker.finish())
        let lines = worker.lines
        #expect(["level debug", "level error"].contains(lines.first))
        #expect(lines.dropFirst().first == "done", "\(lines)")
        // The handler does receive what is said.
        #expect(lines.dropFirst(2).contains { $0.hasPrefix("verbose: Saving") }, "\(lines)")
    }
}

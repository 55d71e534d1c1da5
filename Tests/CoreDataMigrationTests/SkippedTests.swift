import Testing
import MagicalRecordTestSupport

/// Says in the output how many tests are skipped for want of `../shared/data`.
@Suite("Tests that need data from outside the project")
struct SkippedTests {
    @Test("are counted when they are skipped")
    func areCounted() throws {
        let needing = try SharedData(neededBesides: #filePath)
        #expect(needing.count > 0 && needing.tests.allSatisfy { $0.count > 0 })
        if let report = needing.report() { print(report) }
    }
}

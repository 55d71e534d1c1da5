import Foundation
import Testing

/// What is not tested in this run.
@Suite("PostgreSQL tests that are left out")
struct SkippedTests {
    #if PostgreSQL
    private static let hasTrait = true
    #else
    private static let hasTrait = false
    #endif
    private static let hasServer =
        !(ProcessInfo.processInfo.environment["MAGICALRECORD_TEST_POSTGRESQL"] ?? "").isEmpty

    @Test(
        "All suites run: there is a server",
        .disabled(if: !hasTrait, "Built without the trait PostgreSQL: its suites are skipped."),
        .disabled(if: !hasServer, "MAGICALRECORD_TEST_POSTGRESQL names no server: the PostgreSQL suites are skipped."))
    func everythingRuns() {}
}

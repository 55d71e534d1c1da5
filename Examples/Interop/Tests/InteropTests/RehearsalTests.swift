#if !canImport(Darwin)
import CoreData
import Foundation
import Testing

@testable import InteropKit

/// The complete exchange, with this package's framework in place of Apple's.
@MainActor
@Suite struct RehearsalTests {
    @Test func reportOfOurOwnFrameworkIsAccepted() throws {
        try Rehearsal.run { rehearsal in
            #expect(rehearsal.report.passed)
            for stage in rehearsal.report.items.flatMap(\.stages) {
                #expect(stage.error == nil && stage.differences.isEmpty && !stage.values.isEmpty)
            }
            let verdict = rehearsal.verdict()
            #expect(verdict.passed, "\(verdict.lines.joined(separator: "\n"))")
            #expect(verdict.items.map(\.name) == Case.all.map(\.name))
            #expect(verdict.items.allSatisfy { $0.skipped == nil })
        }
    }
}
#endif

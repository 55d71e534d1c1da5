#if !canImport(Darwin)
import Foundation
import Testing

@testable import InteropKit

/// Incomplete exchanges: each missing part is named.
@MainActor
@Suite struct MissingPartsTests {
    @Test func judgeNamesWhatAMacDidNotLeave() throws {
        try Rehearsal.run { rehearsal in
            try rehearsal.exchange.fromMac.makeEmptyFolder()
            let verdict = rehearsal.verdict()
            #expect(!verdict.passed)
            #expect(verdict.problems == ["there is no report at \(rehearsal.exchange.report.path)"])
            for item in verdict.items {
                let found = item.differences.map { $0.prefix { $0 != "/" } }
                #expect(
                    found == ["edited", "migrated", "own"].map { "store \($0): there is no store at " }, "\(item.name)")
            }
        }
    }

    @Test func examinationNamesWhatLinuxDidNotLeave() throws {
        try Rehearsal.withExchange { exchange in
            try FileManager.default.removeItem(at: exchange.given(.derived).store)
            try FileManager.default.removeItem(at: exchange.given(.ordered))
            var examination = try Rehearsal.examination(exchange)
            let report = try examination.run()
            #expect(!report.passed && report.running == nil)
            func errors(_ name: String) -> [String] {
                report.items.filter { $0.name == name }.flatMap(\.stages).filter { $0.error != nil }.map(\.name)
            }
            #expect(errors("derived") == ["as written on Linux", "edited", "migrated"])
            #expect(errors("ordered") == StageName.allCases.map(\.rawValue))
            #expect(errors("many-to-many").isEmpty)
            // No store was created in place of a missing one.
            #expect(!FileManager.default.fileExists(atPath: exchange.made(.derived, .edited).path))
            // The written report equals the returned one.
            #expect(try Report.read(from: exchange.report).items.map(\.passed) == report.items.map(\.passed))
            #expect(try exchange.page.text() == report.html)
        }
    }
}
#endif

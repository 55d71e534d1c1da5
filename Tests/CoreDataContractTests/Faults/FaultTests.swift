import CoreDataRowStorage
import Testing

/// The rules find what they are there for.
@Suite("Engines with a fault")
struct FaultTests {
    /// The first engine that is able to show it.
    private func kind(for fault: Fault) throws -> EngineKind {
        try #require(EngineKind.allCases.first { $0.abilities.isSuperset(of: fault.needs) })
    }

    @Test(arguments: Fault.allCases) func aRuleFinds(_ fault: Fault) throws {
        let kind = try kind(for: fault)
        let rules = fault.chapter.rules.filter { $0.concerns(kind) && $0.needs.isSuperset(of: fault.needs) }
        let breaksOne = try rules.contains { rule in
            try !rule.violations(of: kind) { FaultyEngine($0, fault) }.isEmpty
        }
        #expect(breaksOne)
    }

    /// What the test above finds is the fault's, and not that of an engine between.
    @Test(arguments: Chapter.allCases) func withoutAFaultNoRuleIsBroken(_ chapter: Chapter) throws {
        #expect(Fault.allCases.contains { $0.chapter == chapter })
        for rule in chapter.rules where rule.concerns(.memory) {
            let violations = try rule.violations(of: .memory) { FaultyEngine($0, nil) }
            #expect(violations == [], "\(rule.rule)")
        }
    }
}

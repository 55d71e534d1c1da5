import CoreDataRowStorage
import Foundation
import Testing

/// One rule of the contract, and how an engine is found to break it.
struct ContractCase: Sendable, CustomTestStringConvertible {
    let rule: String
    /// What an engine must be able to do for the rule to be about it.
    let needs: StoreAbilities
    /// What an engine must not be able to do for the rule to be about it.
    let lacks: StoreAbilities
    /// True for what several engines of one store do.
    private let isOfSeveral: Bool
    /// Whether it is found out without writing. All such rules are put to one engine.
    let isOfReading: Bool
    private let check: @Sendable (Subject) throws -> Void

    /// A rule that is found out by reading alone.
    init(reading rule: String, needs: StoreAbilities = [], _ check: @escaping @Sendable (Subject) throws -> Void) {
        self.rule = rule
        self.needs = needs
        lacks = []
        isOfSeveral = false
        isOfReading = true
        self.check = check
    }

    init(
        _ rule: String, needs: StoreAbilities = [], lacks: StoreAbilities = [], isOfSeveral: Bool = false,
        _ check: @escaping @Sendable (Subject) throws -> Void
    ) {
        self.rule = rule
        self.needs = needs
        self.lacks = lacks
        self.isOfSeveral = isOfSeveral
        isOfReading = false
        self.check = check
    }

    var testDescription: String { rule }

    func concerns(_ kind: EngineKind) -> Bool {
        kind.abilities.isSuperset(of: needs) && kind.abilities.isDisjoint(with: lacks)
            && (kind.sharesStores || !isOfSeveral)
    }

    /// What an engine does against the rule. An error that the rule does not speak of is a violation, too.
    ///
    /// - Parameter wrap: Puts another engine before the one that is filled.
    func violations(
        of kind: EngineKind, wrap: (any StoreEngine) -> any StoreEngine = { $0 }
    ) throws -> [String] {
        let subject = try Subject(try isOfReading ? Ground.forReading(kind) : Ground.forWriting(kind), wrap: wrap)
        let refusal = kind.refusals[rule]
        do {
            try check(subject)
            return subject.findings + (refusal == nil ? [] : ["It is not refused."])
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == refusal {
            return []
        } catch {
            return subject.findings + ["It failed: \(error)"]
        }
    }
}

/// A rule and an engine that it is about.
struct Trial: Sendable, CustomTestStringConvertible {
    let kind: EngineKind
    let rule: ContractCase

    var testDescription: String { "\(kind): \(rule.rule)" }

    static func all(_ chapter: Chapter) -> [Trial] {
        EngineKind.all(for: chapter).flatMap { kind in
            chapter.rules.filter { $0.concerns(kind) }.map { Trial(kind: kind, rule: $0) }
        }
    }

    func run() throws {
        for violation in try rule.violations(of: kind) { Issue.record("\(kind): \(rule.rule): \(violation)") }
    }
}

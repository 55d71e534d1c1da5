import Foundation
import MagicalRecord
import Testing

/// Random saves, in every shape and by every way, beside another coordinator that writes to the same file as another process
/// would: after each, every read in the main context gives what the store has, and nothing is left to be saved.
///
/// `TRUTH_STEPS` is how many steps there are in all, `TRUTH_SEED` begins with another seed.
@Suite(.timeLimit(.minutes(60))) struct RandomTruthTests {
    private static let stepsOfAStack = 25

    struct Kind: Sendable, CustomTestStringConvertible {
        let shape: MagicalRecord.Shape
        let policy: NSMergePolicy
        let isUnique: Bool

        var testDescription: String { "\(shape), policy \(policy.mergeType.rawValue)\(isUnique ? ", unique" : "")" }
    }

    static let kinds = SavingTests.shapes.flatMap { shape in
        (DecidedAboveTests.policies + [NSMergePolicy.error]).flatMap { policy in
            [false, true].map { Kind(shape: shape, policy: policy, isUnique: $0) }
        }
    }

    private static func setting(_ name: String, _ standard: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? standard
    }

    @Test(arguments: kinds) func theMainContextShowsTheStore(_ kind: Kind) async throws {
        let stacks = max(1, Self.setting("TRUTH_STEPS", 1_250) / Self.stepsOfAStack / Self.kinds.count)
        let first = Self.setting("TRUTH_SEED", 1)
        for seed in first..<(first + stacks) {
            guard try await isTrue(kind, seed: UInt64(seed)) else { return }
        }
    }

    /// Whether all steps of a seed end with what the store has.
    private func isTrue(_ kind: Kind, seed: UInt64) async throws -> Bool {
        var random = StepGenerator(seed)
        let memos = try await MemoStack(kind.shape, kind.policy, isUnique: kind.isUnique)
        var steps: [String] = []
        for index in 0..<Self.stepsOfAStack {
            let step = Step(index, isUnique: kind.isUnique, &random)
            steps.append("\(step)")
            let error = await memos.run(step)
            let mayConflict = step.theirs != .nothing || step.mine == .insert
            let isRefused = kind.policy === NSMergePolicy.error && mayConflict
            if let error, !isRefused {
                Issue.record("\(kind), seed \(seed): \(error)\n\(steps.joined(separator: "\n"))")
                return false
            }
            // What was refused is still there to be saved, and of rows that no save here came upon nothing is heard.
            if isRefused || step.theirs != .nothing && !step.meets { try await memos.startAnew() }
            if let difference = try await memos.difference() {
                Issue.record("\(kind), seed \(seed): \(difference)\n\(steps.joined(separator: "\n"))")
                return false
            }
        }
        return true
    }
}

/// A change, and what another coordinator does to the same row between its read and its save.
struct Step: CustomStringConvertible {
    enum Change: CaseIterable, Sendable {
        case nothing, name, other, both, noName, delete, insert
    }

    let index: Int
    let way: WayOfSaving
    let number: Int
    /// The number that is inserted, by both. Where numbers are unique it may be there already.
    let newNumber: Int
    let mine: Change
    let theirs: Change

    init(_ index: Int, isUnique: Bool, _ random: inout StepGenerator) {
        self.index = index
        way = .allCases.randomElement(using: &random) ?? .mainContext
        number = .random(in: 1...4, using: &random)
        newNumber = isUnique ? .random(in: 1...4, using: &random) : 10 + index
        mine = Change.allCases.randomElement(using: &random) ?? .nothing
        theirs = Bool.random(using: &random) ? .nothing : Change.allCases.randomElement(using: &random) ?? .nothing
    }

    /// Whether what both do is about the same row, in contexts that the main context hears of.
    var meets: Bool {
        guard way.goesThroughMain, mine != .nothing else { return false }
        return mine != .insert && theirs != .insert
    }

    var description: String { "\(way) of \(number): \(mine), while others do: \(theirs)" }

    /// Applies a change to a memo, or inserts another.
    func apply(_ change: Change, _ author: String, _ memo: NSManagedObject?, in context: NSManagedObjectContext) {
        let text = "\(author) \(index)"
        if change == .insert {
            MemoStack.insert(newNumber, text, in: context)
            return
        }
        guard let memo else { return }
        switch change {
        case .name: memo.setValue(text, forKey: "name")
        case .other: memo.setValue(text, forKey: "other")
        case .both:
            memo.setValue(text, forKey: "name")
            memo.setValue(text, forKey: "other")
        case .noName: memo.setValue(memo.value(forKey: "name") == nil ? text : nil, forKey: "name")
        case .delete: context.delete(memo)
        case .nothing, .insert: break
        }
    }
}

/// Numbers that are the same for the same seed.
struct StepGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var mixed = state
        mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return mixed ^ (mixed >> 33)
    }
}

extension MemoStack {
    /// Carries out a step; the error of its save.
    fileprivate func run(_ step: Step) async -> (any Error)? {
        do {
            try await change(step.number, step.way) { context in
                step.apply(step.theirs, "theirs", try MemoStack.memo(step.number, in: context), in: context)
            } _: { memo, context in
                step.apply(step.mine, "mine", memo, in: context)
            }
            return nil
        } catch {
            return error
        }
    }
}

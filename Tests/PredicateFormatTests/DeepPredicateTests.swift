import Foundation
import MagicalRecordTestSupport
import PredicateFormat
import Testing

/// Predicates that programs build up one condition at a time, on a stack of the size secondary threads have on Apple's
/// platforms.
@Suite struct DeepPredicateTests {
    static let levels = 5000

    /// Runs `body` on a thread with a stack of 512 KB.
    private func onSmallStack(_ body: @escaping @Sendable () throws -> Void) throws {
        nonisolated(unsafe) var failure: (any Error)?
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try body() } catch { failure = error }
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
        if let failure { throw failure }
    }

    private static func comparison(_ index: Int) -> NSPredicate { NSPredicate(format: "a != %d", index + 1) }

    private static func accumulated(_ type: NSCompoundPredicate.LogicalType) -> NSPredicate {
        (0..<levels).reduce(comparison(-1)) { result, index in
            type == .not
                ? NSCompoundPredicate(notPredicateWithSubpredicate: result)
                : NSCompoundPredicate(type: type, subpredicates: [result, comparison(index)])
        }
    }

    @Test(arguments: [NSCompoundPredicate.LogicalType.and, .or, .not])
    func foundationsCompounds(_ type: NSCompoundPredicate.LogicalType) throws {
        try onSmallStack {
            var predicate = Optional(Self.accumulated(type))
            let other = Self.accumulated(type)
            #expect(predicate?.evaluate(with: ["a": -1]) == true)
            // 0 is the one value that the first comparison refuses.
            #expect(predicate?.evaluate(with: ["a": 0]) == (type == .or))
            #expect(try predicate?.evaluateThrowing(with: ["a": 0]) == (type == .or))
            let text = predicate?.description ?? ""
            #expect(text.hasPrefix(type == .not ? "NOT" : "a != 0 \(type == .and ? "AND" : "OR") a != 1 "))
            #expect(NSPredicate(format: text) == predicate)
            #expect(predicate == other && predicate?.hash == other.hash)
            let root = try #require(predicate)
            let data = try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
            #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data) == other)
            #expect(root.withSubstitutionVariables([:]).evaluate(with: ["a": -1]))
            predicate = nil
        }
    }

    /// AND and OR in turn cannot become one compound: what lies deeper than 100 levels is evaluated and not looked into.
    @Test func compoundsOfSeveralKindsInTurn() throws {
        try onSmallStack {
            // ((a != 0 AND a != 1) OR a != 2) AND a != 3 …
            var predicate: NSPredicate? = (0..<20_000).reduce(Self.comparison(-1)) { result, index in
                NSCompoundPredicate(
                    type: index.isMultiple(of: 2) ? .and : .or, subpredicates: [result, Self.comparison(index % 7)])
            }
            #expect(predicate?.evaluate(with: ["a": -1]) == true)
            #expect(predicate?.evaluate(with: ["a": 5]) == true)
            let result = try predicate?.evaluateThrowing(with: ["a": -1])
            #expect(result == true)
            #expect(predicate?.description.contains("levels deep") == true)
            #expect(predicate == predicate && predicate?.hash == predicate?.hash)
            _ = predicate?.withSubstitutionVariables([:])
            predicate = nil
        }
    }

    @Test func predicatesInFormats() throws {
        try onSmallStack {
            var predicate = Self.comparison(-1)
            // Each format copies what it is given.
            for index in 0..<LongForm.choose(2_000, long: Self.levels) {
                predicate = NSPredicate(format: "%@ AND a != %d", predicate, index + 1)
            }
            #expect(predicate.evaluate(with: ["a": -1]) && !predicate.evaluate(with: ["a": 0]))
            #expect(NSPredicate(format: predicate.description) == predicate)
        }
    }

    @Test func nestingStaysAsGivenUpToADepth() throws {
        let some = (0..<20).reduce(Self.comparison(-1)) {
            NSCompoundPredicate(type: .and, subpredicates: [$0, Self.comparison($1)])
        }
        #expect(some.description.hasPrefix(String(repeating: "(", count: 19)))
    }

    /// Nested compounds built in code print their parentheses; the parser joins what stands at the left.
    @Test func parenthesesOfNestedCompounds() throws {
        func all(_ parts: NSPredicate...) -> NSPredicate { NSCompoundPredicate(andPredicateWithSubpredicates: parts) }
        func any(_ parts: NSPredicate...) -> NSPredicate { NSCompoundPredicate(orPredicateWithSubpredicates: parts) }
        func not(_ part: NSPredicate) -> NSPredicate { NSCompoundPredicate(notPredicateWithSubpredicate: part) }
        let (a, b) = (NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2"))
        let texts = [
            (all(all(a), all(b)), "(a == 1) AND (b == 2)"), (any(all(a), b), "(a == 1) OR b == 2"),
            (all(all(a, b), a), "(a == 1 AND b == 2) AND a == 1"), (all(a, any(b)), "a == 1 AND (b == 2)"),
            (not(all(a)), "NOT (a == 1)"), (not(a), "NOT a == 1"), (not(any(a, b)), "NOT (a == 1 OR b == 2)"),
        ]
        for (predicate, text) in texts {
            #expect(predicate.description == text)
            let read = NSPredicate(format: text)
            for object in [["a": 1, "b": 2], ["a": 1, "b": 1], ["a": 2, "b": 2]] {
                #expect(predicate.evaluate(with: object) == read.evaluate(with: object))
            }
        }
        let flattened = NSPredicate(format: "((a == 1 AND b == 2) AND c == 3) AND d == 4")
        #expect(flattened.description == "a == 1 AND b == 2 AND c == 3 AND d == 4")
        #expect((flattened as? NSCompoundPredicate)?.subpredicates.count == 4)
        #expect(NSPredicate(format: "(a == 1 || b == 2) || c == 3").description == "a == 1 OR b == 2 OR c == 3")
        for kept in ["(a == 1 OR b == 2) AND c == 3", "a == 1 AND (b == 2 AND c == 3)"] {
            #expect(NSPredicate(format: kept).description == kept)
        }
        let nested = all(all(a, b), a)
        let data = try NSKeyedArchiver.archivedData(withRootObject: nested, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data))
        #expect(copy == nested && copy.description == nested.description)
    }

    @Test(arguments: [1, 2, 30, 101, 150, 400])
    func negationsParseBack(_ count: Int) throws {
        let node = (0..<count).reduce(try PredicateNode(format: "a == 1")) { result, _ in .not(result) }
        #expect(try PredicateNode(format: node.predicateFormat) == node || count > 25)
        let predicate = NSPredicate(format: String(repeating: "NOT ", count: count) + "a == 1")
        #expect(NSPredicate(format: predicate.description) == predicate)
        #expect(predicate.evaluate(with: ["a": 1]) == count.isMultiple(of: 2))
        #expect(try PredicateNode(format: node.predicateFormat).predicateFormat == predicate.description)
    }

    @Test func alternatingNestingParsesBack() throws {
        // Printed in Apple's way, each level has two parentheses where the format has one.
        let levels = 150
        let text =
            String(repeating: "a == 1 AND NOT (b == 2 OR ", count: levels) + "c == 3"
            + String(repeating: ")", count: levels)
        let predicate = try NSPredicate.parse(text)
        let printed = predicate.description
        #expect(try NSPredicate.parse(printed) == predicate)
        #expect(NSPredicate(format: "NOT (NOT a == 1)").description == "NOT (NOT a == 1)")
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data) == predicate)
    }

    @Test func predicatesAtTheLimitOfLengthUnarchive() throws {
        // Printing adds spaces, so the archived text is longer than the format, which is as long as formats may be.
        let part = "a=='0123456789'||"
        let text = String(repeating: part, count: (1 << 20) / part.utf8.count - 1) + "a==1"
        let predicate = try NSPredicate.parse(text)
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data))
        copy.allowEvaluation()
        #expect(copy == predicate && copy.evaluate(with: ["a": 1]))
    }
}

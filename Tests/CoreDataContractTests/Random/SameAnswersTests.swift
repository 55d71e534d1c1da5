#if PostgreSQL
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import PredicateFormat
import Testing

/// Answers of PostgreSQL and of the engine in memory to random questions over the same rows.
@Suite("PostgreSQL answers as memory does", .enabled(if: TestServer.isAvailable))
struct SameAnswersTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// `MAGICALRECORD_LONG=1` asks more; `MAGICALRECORD_QUESTIONS` and `MAGICALRECORD_SEED` choose which.
    private static let count =
        environment["MAGICALRECORD_QUESTIONS"].flatMap { Int($0) }
        ?? (environment["MAGICALRECORD_LONG"] == "1" ? 200_000 : 2000)
    private static let seed = environment["MAGICALRECORD_SEED"].flatMap { UInt64($0) } ?? 68

    private enum Answer: Equatable {
        case references([RowReference])
        case number(Int)
        case refusal(String)
        case failure(String)
    }

    @Test("Random predicates, orders and limits have the same answers, or are refused")
    func predicates() throws {
        var (asked, refusals) = (0, 0)
        var findings: [String] = []
        var reasons: [String: Int] = [:]
        for round in 0..<max(1, Self.count / 2000) where findings.count < 100 {
            let seed = Self.seed &+ UInt64(round)
            let rows = try RandomRows(seed: seed)
            var questions = RandomPredicates(seed: seed &* 31, rows.rows)
            func report(_ question: RandomPredicates.Question, _ text: String) {
                findings.append("seed \(seed): \(Self.text(question)): \(text)")
            }
            let (memory, server) = (try rows.memory.session(), try rows.server.session())
            for _ in 0..<min(2000, Self.count) {
                let question = questions.next()
                let expected = Self.answer(question, memory, rows.identifiers.memory)
                let found = Self.answer(question, server, rows.identifiers.server)
                asked += 1
                if case .refusal(let reason) = found {
                    refusals += 1
                    reasons[reason, default: 0] += 1
                    continue
                }
                if case .failure = found {
                } else if case .refusal = expected {
                    // Memory has no answer either.
                    report(question, "\(Self.text(found)) instead of \(Self.text(expected))")
                    continue
                }
                if found != expected {
                    report(question, "\(Self.text(found, expected)) instead of \(Self.text(expected, found))")
                }
            }
        }
        let most = reasons.sorted { $0.value > $1.value }.prefix(20).map { "\($0.value) \($0.key)" }
        if Self.environment["MAGICALRECORD_REPORT"] == "1" {
            print("\(asked) questions, \(refusals) refused:\n\(most.joined(separator: "\n"))")
            print("\(findings.count) findings:\n\(findings.prefix(60).joined(separator: "\n"))")
        }
        #expect(findings.count == 0, "\(findings.prefix(20).joined(separator: "\n"))")
        #expect(refusals * 100 <= asked * 40, "\(refusals) of \(asked) refused: \(most.joined(separator: "\n"))")
    }

    private static func answer(
        _ question: RandomPredicates.Question, _ session: any StoreSession, _ identifier: String
    ) -> Answer {
        do {
            var fetch = StoreFetch(layout: Bookshop.layout(question.entity))
            let arguments = question.arguments.map { argument in
                (argument as? RowReference).map { StandIn($0, storeUUID: identifier) as Any } ?? argument
            }
            fetch.predicate = try NSPredicate.parse(question.format, arguments: arguments)
            fetch.sortDescriptors = question.sort.map { key in
                key.hasPrefix("-")
                    ? NSSortDescriptor(key: String(key.dropFirst()), ascending: false)
                    : NSSortDescriptor(key: key, ascending: true)
            }
            (fetch.limit, fetch.offset) = (question.limit, question.offset)
            fetch.includesSubentities = question.includesSubentities
            let references = Array(try session.fetchReferences(fetch))
            if question.isTotallyOrdered { return .references(references) }
            guard question.limit == 0, question.offset == 0 else { return .number(references.count) }
            return .references(references.sorted { $0.bits < $1.bits })
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == 134_060 {
            return .refusal(error.localizedFailureReason ?? error.localizedDescription)
        } catch {
            return .failure("\(error)")
        }
    }

    private static func text(_ question: RandomPredicates.Question) -> String {
        let arguments = question.arguments.map { argument in
            argument.map {
                "\($0)".unicodeScalars.map { $0.isASCII ? String($0) : "U+\(String($0.value, radix: 16))" }.joined()
            } ?? "nil"
        }
        return
            "\(question.entity) \(question.format) \(arguments) \(question.sort) \(question.limit) \(question.offset)"
    }

    private static func text(_ answer: Answer, _ other: Answer? = nil) -> String {
        switch answer {
        case .references(let references):
            guard case .references(let others)? = other else { return "\(references.count) rows" }
            let more = references.filter { !others.contains($0) }.map(\.key)
            return more.isEmpty && references.count == others.count
                ? "another order" : "\(references.count) rows, \(more.prefix(6)) more"
        case .number(let number): return "\(number) rows"
        case .refusal(let text): return "a refusal: \(text)"
        case .failure(let text): return "a failure: \(text)"
        }
    }
}
#endif

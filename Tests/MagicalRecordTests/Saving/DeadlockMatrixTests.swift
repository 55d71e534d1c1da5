import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Every pair of ways to work with a stack, one inside the other and side by side, on threads and on the main queue, in
/// every shape: each ends, or is refused at once. What is refused stands in ``Rule``.
///
/// One case at a time: each holds many threads, and cleaning up takes back the program's error handler.
@Suite(.slow, .serialized, .defaultStack) struct DeadlockMatrixTests {
    struct Case: CustomTestStringConvertible {
        let shape: MagicalRecord.Shape
        let isMain: Bool
        var testDescription: String { shape.name + (isMain ? ", on the main queue" : ", on threads") }
    }

    static let cases = [MagicalRecord.Shape.mainOnly, .rootSaving, .parentChild, .siblings, .server].flatMap { shape in
        [false, true].map { Case(shape: shape, isMain: $0) }
    }

    /// Whether a pair is tried in a shape: each in one of them, by turns, and in all with `DEADLOCK_MATRIX=1`.
    private static func tries(_ one: Int, _ other: Int, _ place: Case) -> Bool {
        if ProcessInfo.processInfo.environment["DEADLOCK_MATRIX"] == "1" { return true }
        let shapes = ["mainOnly", "rootSaving", "parentChild", "siblings", "server"]
        return shapes[(one + other) % shapes.count] == place.shape.name
    }

    /// What must not stand inside of what.
    enum Rule {
        case allowed
        /// No stack is torn down, waiting for its work, within that work: `savesRunning`.
        case tearsDownItself
        /// In an exclusive save, no save waits for the main queue, which may wait for the write: `wouldDeadlock`.
        case waitsForMainQueue

        static func of(_ inner: MatrixAction, inside outer: MatrixAction, _ place: Case) -> Rule {
            if inner == .tearDownAndWait, outer.isCounted { return .tearsDownItself }
            // The closure of an asynchronous write runs on a thread, wherever it was started.
            let isMain = place.isMain && outer.blocks
            guard outer.isExclusiveWrite, !isMain else { return .allowed }
            switch inner {
            case .legacySaveAndWait, .importAndWait: return workersNeedMain(place) ? .waitsForMainQueue : .allowed
            case .legacyChainAndWait: return workersNeedMain(place) || rootIsMain(place) ? .waitsForMainQueue : .allowed
            case .saveMain: return place.shape.name != "server" ? .waitsForMainQueue : .allowed
            default: return .allowed
            }
        }

        private static func workersNeedMain(_ place: Case) -> Bool {
            ["mainOnly", "parentChild"].contains(place.shape.name)
        }

        private static func rootIsMain(_ place: Case) -> Bool { place.shape.name == "siblings" }

        func fits(_ error: (any Error)?) -> Bool {
            let code = (error as? MagicalRecordError)?.code
            return switch self {
            case .allowed: error == nil
            case .tearsDownItself: code == .savesRunning
            case .waitsForMainQueue: code == .wouldDeadlock || error is MatrixPlace.Refused
            }
        }
    }

    @Test(arguments: cases) func oneInsideTheOther(_ place: Case) async throws {
        var stack = try MatrixPlace(place.shape)
        // What does not block runs its closure on a thread, wherever it is called.
        for (number, outer) in MatrixAction.allCases.enumerated()
        where outer.hasClosure && (outer.blocks || !place.isMain) {
            for (index, inner) in MatrixAction.allCases.enumerated() where Self.tries(number, index, place) {
                if stack.stack.isTornDown { stack = try MatrixPlace(place.shape) }
                let (current, name) = (stack, "\(inner) inside \(outer), \(place.testDescription)")
                let ended = await Watchdog.ends(name, onMain: place.isMain, current.running) {
                    do {
                        try current.run(outer) {
                            var refusal: (any Error)?
                            do { try current.run(inner) } catch { refusal = error }
                            let rule = Rule.of(inner, inside: outer, place)
                            if !rule.fits(refusal) {
                                current.note("\(rule) expected, found \(refusal.map { "\($0)" } ?? "no error")")
                            }
                        }
                    } catch {
                        // What the outer one had to say when the inner one has closed the stack.
                        if !inner.ends { current.note("\(error)") }
                    }
                }
                if !current.surprises.isEmpty {
                    Issue.record("\(name): \(current.surprises.joined(separator: "; "))")
                }
                if !ended || !current.surprises.isEmpty { stack = try MatrixPlace(place.shape) }
            }
        }
        try? await stack.stack.tearDown()
    }

    @Test(arguments: cases) func sideBySide(_ place: Case) async throws {
        var stack = try MatrixPlace(place.shape)
        for (index, one) in MatrixAction.allCases.enumerated() {
            for (number, other) in MatrixAction.allCases.enumerated().dropFirst(index)
            where Self.tries(index, number, place) && (one.blocks || other.blocks || !place.isMain) {
                if stack.stack.isTornDown { stack = try MatrixPlace(place.shape) }
                let (current, name) = (stack, "\(one) beside \(other), \(place.testDescription)")
                // The one on threads, the other where the case says.
                let ended = await Watchdog.ends(name, onMain: place.isMain, current.running) {
                    for action in [one, other] {
                        Thread.start(current.running) {
                            // Where main waits for the end of the work, that must not wait for main.
                            let mayNeedMain = !action.isExclusiveWrite && !action.isOfDatabase
                            try? current.run(action) { if mayNeedMain { try? current.run(.readMain) } }
                        }
                    }
                    try? current.run(other)
                    try? current.run(one)
                }
                let surprises = one.ends || other.ends ? [] : current.surprises
                if !surprises.isEmpty { Issue.record("\(name): \(surprises.joined(separator: "; "))") }
                if !ended || !surprises.isEmpty { stack = try MatrixPlace(place.shape) }
            }
        }
        try? await stack.stack.tearDown()
    }
}

extension Thread {
    fileprivate static func start(_ group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread {
            body()
            group.leave()
        }.start()
    }
}

/// Waits for work with a limit, so that a deadlock fails with its name and does not hang the run.
enum Watchdog {
    static let seconds = 60.0

    /// Runs `body` on a thread or on the main queue. Whether it, and what is counted in `running`, ended in time.
    static func ends(
        _ name: String, onMain: Bool, _ running: DispatchGroup, _ body: @escaping @Sendable () -> Void
    ) async -> Bool {
        let work: @Sendable () -> Void = {
            body()
            running.leave()
        }
        running.enter()
        if onMain { DispatchQueue.main.async(execute: work) } else { Thread(block: work).start() }
        let isDone = await withCheckedContinuation { continuation in
            // A thread of its own, since those of the pools may be what is missing.
            Thread {
                let ended = DispatchSemaphore(value: 0)
                running.notify(queue: .global()) { ended.signal() }
                continuation.resume(returning: ended.wait(timeout: .now() + seconds) == .success)
            }.start()
        }
        if isDone { return true }
        // Nothing can be said on a main queue that hangs.
        if onMain { fatalError("Deadlock: \(name)") }
        Issue.record("Deadlock: \(name)")
        return false
    }
}

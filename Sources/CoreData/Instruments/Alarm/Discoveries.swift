import CoreDataRuntimeSupport

/// What an alarm has found, and the repetitions that belong to it.
struct Discoveries {
    var repetitions: RepetitionDetector
    var found = FindingList()
    private let isPrompt: Bool

    /// - Parameter isPrompt: whether findings are wanted at once, with their places.
    init(_ settings: Instruments.AlarmSettings, isPrompt: Bool) {
        repetitions = RepetitionDetector(settings, isPrompt: isPrompt)
        self.isPrompt = isPrompt
    }

    /// The calls whose lines are looked up for the findings, and those that may be a use in memory.
    var paths: (found: [Instruments.CodePath], supposed: [Instruments.CodePath]) {
        isPrompt ? ([], []) : (repetitions.paths + found.paths(areSupposed: false), found.paths(areSupposed: true))
    }

    /// Forgets what led to no finding. Nothing is added after that.
    mutating func finish() { repetitions.finish() }

    /// Returns all findings with the numbers of now. Looks their lines up, as far as that has not been done.
    mutating func findings() -> [Instruments.Finding] {
        if !isPrompt {
            repetitions.gather()
            found.lookUpPlaces()
        }
        return found.findings
    }
}

/// What a recording has found. Its lines are looked up when it is first asked for, which takes up to seconds in a large
/// program. May be used on any thread.
final class RecordedFindings: Sendable {
    private enum State {
        case pending(Discoveries)
        case known([Instruments.Finding])
    }

    private let state: Locked<State>

    init(_ discoveries: Discoveries) { state = Locked(.pending(discoveries)) }

    init(_ findings: [Instruments.Finding]) { state = Locked(.known(findings)) }

    var all: [Instruments.Finding] {
        state.withLock { state in
            switch state {
            case .known(let findings): return findings
            case .pending(var discoveries):
                let findings = discoveries.findings()
                state = .known(findings)
                return findings
            }
        }
    }
}

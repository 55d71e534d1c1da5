import CoreDataRuntimeSupport

/// The findings of an alarm, and the repetitions that belong to them.
struct Discoveries {
    var repetitions: RepetitionDetector
    var found = FindingList()
    private let isPrompt: Bool

    /// Creates an empty list.
    ///
    /// - Parameter isPrompt: Whether findings are reported immediately, with their places.
    init(_ settings: Instruments.AlarmSettings, isPrompt: Bool) {
        repetitions = RepetitionDetector(settings, isPrompt: isPrompt)
        self.isPrompt = isPrompt
    }

    /// The call stacks to symbolicate for the findings, and those of possible uses in memory.
    var paths: (found: [Instruments.CodePath], supposed: [Instruments.CodePath]) {
        isPrompt ? ([], []) : (repetitions.paths + found.paths(areSupposed: false), found.paths(areSupposed: true))
    }

    /// Removes repetitions without findings. Nothing is added after that.
    mutating func finish() { repetitions.finish() }

    /// Returns all findings with current counts. Symbolicates their lines if that has not been done.
    mutating func findings() -> [Instruments.Finding] {
        if !isPrompt {
            repetitions.gather()
            found.lookUpPlaces()
        }
        return found.findings
    }
}

/// The findings of a recording. Their lines are symbolicated on first access, which takes up to seconds in a large program. May
/// be used on any thread.
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

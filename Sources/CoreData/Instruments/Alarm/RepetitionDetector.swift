import CoreDataRowStorage

/// Finds operations that are repeated for one object after the other.
struct RepetitionDetector {
    private struct Key: Hashable {
        let piece: PieceOfWork
        let kind: Instruments.Finding.Kind
        /// Of the fetch that began it, where relationships were followed.
        let entity: String?
        /// The key path from there, or the statement.
        let subject: String
    }

    private final class Repetition {
        /// The first time, whose place is unknown: it is taken to be that of the second.
        var first: Occurrence?
        var tallies: [Instruments.CodePath: FindingTally] = [:]
        var last: FindingTally?
        var count = 0
        var end: UInt64 = 0
        /// The block that the last one belonged to.
        var block = 0

        /// Adds what was done on the same line, and reached the store by another way.
        func gather(into tally: FindingTally) {
            for (path, other) in tallies where other !== tally && !other.isFound && other.places == tally.places {
                tally.add(other)
                tallies[path] = tally
                // What comes next is counted where it can be seen.
                if last === other { last = tally }
            }
        }

        /// What was found on the same line, reached by another way.
        func finding(at path: Instruments.CodePath) -> FindingTally? {
            guard let last, last.isFound, path.places(upTo: last.places.count) == last.places else { return nil }
            return last
        }

        func restart() {
            first = nil
            tallies = [:]
            last = nil
            count = 0
        }
    }

    private var repetitions: [Key: Repetition] = [:]
    /// What was counted last, which is often what comes next.
    private var latest: (key: Key, repetition: Repetition)?
    private let settings: Instruments.AlarmSettings
    /// Whether findings are wanted at once, with their places. They are looked up at the end otherwise.
    private let isPrompt: Bool

    private static let mostRepetitions = 4000
    private static let mostExaminations = 50

    init(_ settings: Instruments.AlarmSettings, isPrompt: Bool) {
        self.settings = settings
        self.isPrompt = isPrompt
    }

    /// Counts an operation.
    ///
    /// - Parameters:
    ///   - fingerprint: what operations of one kind have in common. Those that follow relationships have the way they took in
    ///     common: a walk along a chain of objects repeats nothing.
    ///   - subject: tells what it was done for from what the others were done for.
    ///   - path: captures where the program is; called from the second repetition on.
    /// - Returns: the tally it belongs to, once that is a finding.
    mutating func add(
        _ record: EventRecord, as kind: Instruments.Finding.Kind, fingerprint: String, subject: () -> Int,
        path: () -> Instruments.CodePath
    ) -> FindingTally? {
        let key = Key(
            piece: PieceOfWork(record, spansBlocks: kind != .saveInLoop), kind: kind,
            entity: record.way?.entity ?? record.entity, subject: fingerprint)
        let repetition = repetition(of: key)
        let isOneBlock = record.block != 0 && record.block == repetition.block
        repetition.block = record.block
        // Outside of blocks and named work, what comes much later belongs to something else.
        if record.work == 0, !isOneBlock, repetition.end != 0,
            record.start > repetition.end.later(by: settings.longestPauseBetweenQueries)
        {
            repetition.restart()
        }
        repetition.end = record.start + UInt64(clamping: record.nanoseconds)
        repetition.count += 1
        // To tell values and places apart takes time; what came often enough belongs to what came before.
        if let last = repetition.last, repetition.count > Self.mostExaminations {
            last.addKnown(record)
            return last.isFound ? last : nil
        }
        let occurrence = Occurrence(record, subject: subject())
        guard repetition.count > 1 else {
            repetition.first = occurrence
            return nil
        }
        let path = path()
        let tally =
            repetition.tallies[path] ?? (isPrompt ? repetition.finding(at: path) : nil)
            ?? FindingTally(kind, entity: record.entity, keyPath: record.keyPath, path: path)
        repetition.tallies[path] = tally
        repetition.last = tally
        if let first = repetition.first {
            tally.add(first)
            repetition.first = nil
        }
        tally.add(occurrence)
        guard tally.count >= settings.repetitions, tally.differentSubjects >= settings.repetitions else { return nil }
        if isPrompt, !tally.isFound { repetition.gather(into: tally) }
        return tally
    }

    /// Forgets what led to no finding. Nothing is added after that.
    mutating func finish() {
        latest = nil
        repetitions = repetitions.filter { $0.value.tallies.values.contains(where: \.isFound) }
    }

    /// What led to the findings, and to what may have been done on the same lines.
    var paths: [Instruments.CodePath] {
        repetitions.values.flatMap { repetition in
            repetition.tallies.values.contains(where: \.isFound) ? Array(repetition.tallies.keys) : []
        }
    }

    /// Adds to each finding what was done on its line and reached the store by another way.
    func gather() {
        for repetition in repetitions.values {
            for tally in repetition.tallies.values where tally.isFound { repetition.gather(into: tally) }
        }
    }

    private mutating func repetition(of key: Key) -> Repetition {
        if let latest, latest.key == key { return latest.repetition }
        let repetition = repetitions[key] ?? add(key)
        latest = (key, repetition)
        return repetition
    }

    private mutating func add(_ key: Key) -> Repetition {
        if repetitions.count >= Self.mostRepetitions {
            let limit = repetitions.values.map(\.end).sorted()[repetitions.count / 2]
            repetitions = repetitions.filter { $0.value.end > limit }
        }
        let repetition = Repetition()
        repetitions[key] = repetition
        return repetition
    }
}

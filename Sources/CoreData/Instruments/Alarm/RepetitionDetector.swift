import CoreDataRowStorage

/// Detects operations that are repeated object by object.
struct RepetitionDetector {
    private struct Key: Hashable {
        let piece: PieceOfWork
        let kind: Instruments.Finding.Kind
        /// The entity of the original fetch, if relationships were followed.
        let entity: String?
        /// The key path from there, or the statement.
        let subject: String
    }

    private final class Repetition {
        /// The first occurrence. Its place is not captured, and assumed to be that of the second.
        var first: Occurrence?
        var tallies: [Instruments.CodePath: FindingTally] = [:]
        var last: FindingTally?
        var count = 0
        var end: UInt64 = 0
        /// The block of the last occurrence.
        var block = 0

        /// Merges tallies with the same line and different call stacks.
        func gather(into tally: FindingTally) {
            for (path, other) in tallies where other !== tally && !other.isFound && other.places == tally.places {
                tally.add(other)
                tallies[path] = tally
                // Later occurrences are counted in the merged tally.
                if last === other { last = tally }
            }
        }

        /// Returns the finding with the same line and another call stack.
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
    /// The repetition counted last, which is often the next one too.
    private var latest: (key: Key, repetition: Repetition)?
    private let settings: Instruments.AlarmSettings
    /// True if findings are reported immediately, with their places. Otherwise places are symbolicated at the end.
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
    ///   - fingerprint: The common property of operations that repeat each other. For operations that follow relationships this
    ///     is the path: iterating along a chain of objects repeats nothing.
    ///   - subject: Returns the hash of the operation's object or value.
    ///   - path: Captures the call stack; called from the second repetition on.
    /// - Returns: The tally of the operation, once it is a finding.
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
        // Outside of blocks and named work, a much later operation belongs to something else.
        if record.work == 0, !isOneBlock, repetition.end != 0,
            record.start > repetition.end.later(by: settings.longestPauseBetweenQueries)
        {
            repetition.restart()
        }
        repetition.end = record.start + UInt64(clamping: record.nanoseconds)
        repetition.count += 1
        // Distinguishing values and places takes time; after many repetitions an operation is added to the last tally.
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

    /// Removes repetitions without findings. Nothing is added after that.
    mutating func finish() {
        latest = nil
        repetitions = repetitions.filter { $0.value.tallies.values.contains(where: \.isFound) }
    }

    /// The call stacks of the findings, and those that may have the same lines.
    var paths: [Instruments.CodePath] {
        repetitions.values.flatMap { repetition in
            repetition.tallies.values.contains(where: \.isFound) ? Array(repetition.tallies.keys) : []
        }
    }

    /// Merges into each finding the tallies with the same line and other call stacks.
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

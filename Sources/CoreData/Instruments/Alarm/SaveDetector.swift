import CoreDataRowStorage

/// Detects small saves of separate contexts in direct succession: `MagicalRecord.save { … }` in a loop.
///
/// Requests of a server do the same, but with other operations, or pauses, between them.
struct SaveDetector {
    private struct Strand {
        var tally: FindingTally
        var context: Int
        var end: UInt64
    }

    private var strands: [Int: Strand] = [:]
    private let settings: Instruments.AlarmSettings
    private static let mostStrands = 500

    init(_ settings: Instruments.AlarmSettings) { self.settings = settings }

    /// Records another operation, which ends a sequence of saves.
    mutating func interrupt(_ record: EventRecord) {
        if !strands.isEmpty { strands[PieceOfWork.strand(of: record)] = nil }
    }

    /// Adds a save.
    ///
    /// - Returns: The tally of the sequence, once it is long enough.
    mutating func add(_ record: EventRecord, path: () -> Instruments.CodePath) -> FindingTally? {
        let strand = PieceOfWork.strand(of: record)
        let context = record.context?.number ?? 0
        let end = record.start + UInt64(clamping: record.nanoseconds)
        if var known = strands[strand], record.start < known.end.later(by: settings.longestPauseBetweenSaves),
            known.context != context
        {
            known.tally.add(Occurrence(record, subject: record.number))
            (known.context, known.end) = (context, end)
            if known.tally.count == settings.repeatedSaves {
                let tally = FindingTally(.saveInLoop, entity: nil, path: path())
                tally.add(known.tally)
                known.tally = tally
            }
            strands[strand] = known
            return known.tally.count >= settings.repeatedSaves ? known.tally : nil
        }
        if strands.count >= Self.mostStrands { strands.removeAll() }
        let tally = FindingTally(.saveInLoop, entity: nil)
        tally.add(Occurrence(record, subject: record.number))
        strands[strand] = Strand(tally: tally, context: context, end: end)
        return nil
    }
}

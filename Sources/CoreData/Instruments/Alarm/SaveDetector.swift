import CoreDataRowStorage

/// Finds small saves of contexts of their own, one directly after the other: `MagicalRecord.save { … }` in a loop.
///
/// Requests of a server do the same, but other operations, or time, lie between them.
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

    /// Notes another operation, which ends a sequence of saves.
    mutating func interrupt(_ record: EventRecord) {
        if !strands.isEmpty { strands[PieceOfWork.strand(of: record)] = nil }
    }

    /// - Returns: the tally of the sequence, once it is long enough.
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

import CoreDataRowStorage
import CoreDataRuntimeSupport

/// Gathers operations for a recording.
final class Recorder: EventListener {
    /// How many operations are kept; of those after it only the totals.
    let limit: Int
    let needs: Probe.Needs
    private let alarm: Alarm?
    private let begin = InstrumentClock.now
    private let state = Locked(State())

    private struct State {
        var records: ContiguousArray<EventRecord> = []
        var dropped = 0
        /// Of operations that are not kept.
        var totals = Instruments.Recording.Totals()
        /// By thread: the faults it is counting, of an event that is not kept.
        var counting: [Int: HitRun] = [:]

        mutating func drop(_ record: EventRecord) {
            dropped += 1
            if let run = counting.removeValue(forKey: record.thread) { totals.add(run) }
            if let run = record.hits {
                counting[record.thread] = run
            } else {
                totals.add(record)
            }
        }
    }

    init(limit: Int, plans: Bool, findings: Bool) {
        self.limit = max(0, limit)
        alarm = findings ? Alarm(Instruments.AlarmSettings()) : nil
        needs = (alarm?.needs ?? .events).union(plans ? .plans : [])
    }

    func ended(_ record: EventRecord) {
        state.withLock { state in
            if state.records.count < limit {
                state.records.append(record)
            } else {
                state.drop(record)
            }
        }
        alarm?.ended(record)
    }

    func begins(_ statement: any ReportedStatement, in record: EventRecord?) { alarm?.begins(statement, in: record) }

    func uses(_ use: ObjectUse, in table: UInt) { alarm?.uses(use, in: table) }

    /// What was gathered until now. Threads that still count faults go on with events of their own in later recordings.
    func finish() -> Instruments.Recording {
        let end = InstrumentClock.now
        let (records, dropped, remainder) = state.withLock { state in
            var totals = state.totals
            for run in state.counting.values { totals.add(run) }
            return (state.records, state.dropped, totals)
        }
        var totals = remainder
        var events = records.map { record in
            let record = record.hits == nil ? record : record.frozen()
            totals.add(record)
            return Instruments.Event(record)
        }
        events.sort { ($0.start, $0.id) < ($1.start, $1.id) }
        return Instruments.Recording(
            events: events, droppedEvents: dropped, totals: totals, findings: alarm?.findings() ?? [], start: begin,
            end: end)
    }
}

extension EventRecord {
    /// The same with the number of faults counted until now.
    fileprivate func frozen() -> EventRecord {
        let copy = EventRecord(kind, number: number, parentNumber: parentNumber, thread: thread, start: start)
        copy.task = task
        copy.source = source
        copy.context = context
        copy.entity = entity
        copy.objectCount = hits?.count.load(ordering: .relaxed) ?? objectCount
        return copy
    }
}

import CoreDataRowStorage
import CoreDataRuntimeSupport

/// A listener that collects operations for a recording.
final class Recorder: EventListener {
    /// The number of operations that are kept; later ones are counted in the totals only.
    let limit: Int
    let needs: Probe.Needs
    private let alarm: Alarm?
    private let begin = InstrumentClock.now
    private let state = Locked(State())

    private struct State {
        /// The operations that are not in the table yet.
        var arrived: ContiguousArray<EventRecord> = []
        var table = EventTable()
        var dropped = 0
        var totals = Instruments.Recording.Totals()
        /// The fault counter of each thread, and the position of its event in the table, if that is kept.
        var counting: [Int: (run: HitRun, index: Int?)] = [:]
        var isFinished = false

        /// Moves the received operations to the table, and counts those over the limit in the totals only.
        mutating func settle(limit: Int) {
            for record in arrived {
                let index = table.count < limit ? table.count : nil
                if index == nil { dropped += 1 } else { table.append(record) }
                if let run = record.hits {
                    count(run, record, index)
                } else {
                    totals.add(record)
                }
            }
            arrived.removeAll(keepingCapacity: true)
        }

        /// Counts an operation's faults. A thread counts the faults of one event at a time.
        private mutating func count(_ run: HitRun, _ record: EventRecord, _ index: Int?) {
            if let former = counting[record.thread] { conclude(former) }
            counting[record.thread] = (run, index)
        }

        mutating func conclude(_ counted: (run: HitRun, index: Int?)) {
            let objects = counted.run.count.load(ordering: .relaxed)
            totals.add(faults: objects)
            if let index = counted.index { table.set(objects: objects, at: index) }
        }
    }

    /// The number of operations that are received before they are moved to the table. Short recordings do that at their end.
    private static let mostArrived = 256

    init(limit: Int, plans: Bool, findings: Bool) {
        self.limit = min(max(0, limit), Int(Int32.max))
        alarm = findings ? Alarm(Instruments.AlarmSettings()) : nil
        needs = (alarm?.needs ?? .events).union(plans ? .plans : [])
    }

    func ended(_ record: EventRecord) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.arrived.append(record)
            if state.arrived.count >= Self.mostArrived { state.settle(limit: limit) }
        }
        alarm?.ended(record)
    }

    func begins(_ statement: any ReportedStatement, in record: EventRecord?) { alarm?.begins(statement, in: record) }

    func uses(_ use: ObjectUse, in table: UInt) { alarm?.uses(use, in: table) }

    /// Ends the recording and returns it. Threads that still count faults continue with new events in later recordings.
    func finish() -> Instruments.Recording {
        let end = InstrumentClock.now
        let (table, dropped, totals) = state.withLock { state in
            state.settle(limit: limit)
            for counted in state.counting.values { state.conclude(counted) }
            state.table.finish()
            state.isFinished = true
            return (state.table, state.dropped, state.totals)
        }
        return Instruments.Recording(
            events: table.events, droppedEvents: dropped, totals: totals,
            found: alarm?.finish() ?? RecordedFindings([]), start: begin, end: end)
    }
}

extension EventTable {
    /// The operations in the order of their start.
    fileprivate var events: [Instruments.Event] {
        var order = ContiguousArray(0..<Int32(count))
        order.sort { (self[Int($0)].start, self[Int($0)].number) < (self[Int($1)].start, self[Int($1)].number) }
        return order.map { Instruments.Event($0, of: self) }
    }
}

import CoreDataRowStorage

/// Detects fetches of objects that are only counted, deleted, filtered or sorted.
struct FetchDetector {
    private struct Watch {
        let objects: FetchedObjects
        let occurrence: Occurrence
        let entity: String?
        let context: Int
        let path: Instruments.CodePath
        var deletions = 0
    }

    private var watches: [Watch] = []
    private let settings: Instruments.AlarmSettings

    private static let mostWatches = 64

    init(_ settings: Instruments.AlarmSettings) { self.settings = settings }

    /// Starts tracking the use of the objects of a fetch.
    mutating func begin(_ record: EventRecord) {
        guard let objects = record.fetched, objects.count >= settings.repetitions else { return }
        // Objects of an earlier fetch can no longer be distinguished from these.
        watches.removeAll { $0.objects.table == objects.table }
        if watches.count >= Self.mostWatches { watches.removeFirst() }
        watches.append(
            Watch(
                objects: objects, occurrence: Occurrence(record, subject: 0), entity: record.entity,
                context: record.context?.number ?? 0, path: .capture()))
    }

    /// Records that the program reads a value or refers to an object. The whole fetch counts as used with its first object.
    ///
    /// - Returns: A tally that is a finding if the calling lines filter or sort the objects. They are not symbolicated here,
    ///   because that takes time and the program is running.
    mutating func used(_ table: UInt, readsValues: Bool) -> FindingTally? {
        guard let index = watches.firstIndex(where: { $0.objects.table == table }) else { return nil }
        let watch = watches.remove(at: index)
        guard readsValues, watch.objects.count >= settings.smallestFilteredFetch, watch.deletions == 0 else {
            return nil
        }
        guard Instruments.CodePath.areKnown else { return nil }
        let tally = FindingTally(.filterInMemory, entity: watch.entity, path: .capture(), isSupposed: true)
        tally.add(watch.occurrence)
        return tally
    }

    mutating func deleted(_ table: UInt) {
        guard let index = watches.firstIndex(where: { $0.objects.table == table }) else { return }
        watches[index].deletions += 1
    }

    /// Returns the findings that are certain now: after a save of a context, or another operation.
    ///
    /// - Parameter saved: The number of the context that was saved.
    mutating func conclude(saved: Int? = nil) -> [FindingTally] {
        guard !watches.isEmpty else { return [] }
        var tallies: [FindingTally] = []
        watches = watches.filter { watch in
            if watch.deletions > 0 {
                guard watch.context == saved || watch.objects.areGone else { return true }
                // Stores without statements do not support batch requests.
                if watch.deletions == watch.objects.count, watch.occurrence.queries > 0 {
                    tallies.append(tally(.fetchToDelete, watch))
                }
                return false
            }
            guard watch.objects.areGone else { return true }
            if watch.objects.count >= settings.smallestFetch { tallies.append(tally(.fetchToCount, watch)) }
            return false
        }
        return tallies
    }

    private func tally(_ kind: Instruments.Finding.Kind, _ watch: Watch) -> FindingTally {
        let tally = FindingTally(kind, entity: watch.entity, path: watch.path)
        tally.add(watch.occurrence)
        return tally
    }
}

import CoreDataRowStorage
import CoreDataRuntimeSupport

/// Detects performance mistakes among the operations that are reported to it.
final class Alarm: EventListener {
    let needs: Probe.Needs = [.events, .fetchStatements, .objects]
    private let settings: Instruments.AlarmSettings
    private let react: (@Sendable (Instruments.Finding) -> Void)?
    private let state: Locked<State>

    private struct State {
        /// The repetitions, and all findings, one for each place.
        var discoveries: Discoveries
        var saves: SaveDetector
        var fetches: FetchDetector
        var scans = ScanDetector()
        var prefetches = PrefetchesMade()
        /// The contexts already reported for too many unsaved objects.
        var piles: Set<Int> = []
        var isFinished = false
    }

    /// Creates an alarm.
    ///
    /// - Parameter react: Receives each finding when it is made, once for each place in the program. Without it places are
    ///   symbolicated when the findings are read, because that takes time and would slow down the program.
    init(_ settings: Instruments.AlarmSettings, react: (@Sendable (Instruments.Finding) -> Void)? = nil) {
        self.settings = settings
        self.react = react
        state = Locked(
            State(
                discoveries: Discoveries(settings, isPrompt: react != nil), saves: SaveDetector(settings),
                fetches: FetchDetector(settings)))
    }

    /// Returns all findings, with current counts.
    func findings() -> [Instruments.Finding] {
        let (new, paths) = state.withLock { state in
            let new = state.fetches.conclude().compactMap { note($0, &state) }
            return (new, state.discoveries.paths)
        }
        if let react { new.forEach(react) }
        // Without the lock, so that operations are not blocked: symbolicated lines are cached.
        for path in paths.found { _ = path.places(upTo: FindingTally.mostPlaces) }
        for path in paths.supposed { _ = InMemoryUse(path) }
        return state.withLock { $0.discoveries.findings() }
    }

    /// Ends detection. The findings can be read later, which symbolicates their lines.
    func finish() -> RecordedFindings {
        state.withLock { state in
            for tally in state.fetches.conclude() { _ = note(tally, &state) }
            state.isFinished = true
            state.discoveries.finish()
            return RecordedFindings(state.discoveries)
        }
    }

    // MARK: Receiving events

    func begins(_ statement: any ReportedStatement, in record: EventRecord?) {
        guard let record, record.isFetch, record.reportedPredicate || record.limit > 0 else { return }
        state.withLock { $0.scans.examine(statement) }
    }

    func uses(_ use: ObjectUse, in table: UInt) {
        state.withLock { state in
            guard !state.isFinished else { return }
            switch use {
            case .deletion: state.fetches.deleted(table)
            case .reference: _ = state.fetches.used(table, readsValues: false)
            }
        }
    }

    func ended(_ record: EventRecord) {
        let new = state.withLock { state in
            state.isFinished ? [] : examine(record, &state).compactMap { note($0, &state) }
        }
        if let react { new.forEach(react) }
    }

    private func examine(_ record: EventRecord, _ state: inout State) -> [FindingTally] {
        if record.kind == .prefetch, !record.isInternal { state.prefetches.note(record) }
        // Nested operations belong to the outer one.
        guard record.parentNumber == 0, !record.isInternal else {
            return record.isFetch ? [scan(record, &state)].compactMap { $0 } : []
        }
        var tallies: [FindingTally] = []
        if record.kind == .fault || record.kind == .relationshipFault {
            if let tally = state.fetches.used(record.table, readsValues: true) { tallies.append(tally) }
        }
        tallies += state.fetches.conclude(saved: record.kind == .save ? record.context?.number : nil)
        if record.kind != .save, record.kind != .maintenance, record.hits == nil { state.saves.interrupt(record) }
        switch record.kind {
        // Those that read a batch of their result run no statement themselves.
        case .fault where record.source == .parent || !record.statements.isEmpty:
            if let tally = repeatedFault(record, as: .repeatedFault, &state) { tallies.append(tally) }
        case .relationshipFault:
            if let tally = repeatedFault(record, as: .repeatedRelationshipFault, &state) { tallies.append(tally) }
        case .fetch, .count, .dictionaries, .objectIDs:
            if let tally = repeatedFetch(record, &state) { tallies.append(tally) }
            if let tally = scan(record, &state) { tallies.append(tally) }
            state.fetches.begin(record)
        case .save: tallies += save(record, &state)
        default: break
        }
        return tallies
    }

    private func repeatedFault(
        _ record: EventRecord, as kind: Instruments.Finding.Kind, _ state: inout State
    ) -> FindingTally? {
        let way = record.way
        if let way, way.isTooLong { return nil }
        let tally = state.discoveries.repetitions.add(
            record, as: kind, fingerprint: way?.path ?? record.keyPath ?? "", subject: { record.subjectHash },
            path: capture)
        if let tally, let way { tally.isPrefetched = state.prefetches.include(way, in: record.context) }
        return tally
    }

    /// Returns the tally of a fetch by an equality condition, which a fetch with `IN` could combine with others.
    private func repeatedFetch(_ record: EventRecord, _ state: inout State) -> FindingTally? {
        guard record.limit <= 1, let predicate = record.predicate else { return nil }
        let sql = record.question?.sql ?? record.kind.rawValue
        let tally = state.discoveries.repetitions.add(
            record, as: .repeatedFetch, fingerprint: sql,
            subject: { predicate.comparedKeys.equal.isEmpty ? 0 : predicate.text.hashValue }, path: capture)
        guard let tally, !tally.isFound, let key = predicate.comparedKeys.equal.first else { return tally }
        tally.detail = key
        tally.counts = record.kind == .count
        return tally
    }

    private func scan(_ record: EventRecord, _ state: inout State) -> FindingTally? {
        guard let rows = state.scans.rows(of: record), rows >= settings.smallestScannedTable,
            let key = record.predicate.map(\.comparedKeys.indexable) ?? record.sortDescriptors?.first?.key,
            // A sort key in another table would need an index there, which helps to find rows but not to sort these.
            !key.contains("."),
            // If many rows match, a full table scan is the fastest way.
            record.predicate == nil || record.objectCount * 10 <= rows
        else { return nil }
        let tally = FindingTally(.missingIndex, entity: record.entity, keyPath: key, path: capture())
        tally.add(Occurrence(record, subject: 0))
        tally.detail = String(rows)
        return tally
    }

    private func save(_ record: EventRecord, _ state: inout State) -> [FindingTally] {
        var tallies: [FindingTally] = []
        let changes = record.changes.total
        if changes >= settings.mostUnsavedObjects, let tally = pile(changes, record, &state) { tallies.append(tally) }
        guard changes > 0, changes <= settings.largestSmallSave else { return tallies }
        if let tally = state.discoveries.repetitions.add(
            record, as: .saveInLoop, fingerprint: "", subject: { record.number }, path: capture)
            ?? state.saves.add(record, path: capture)
        {
            tallies.append(tally)
        }
        return tallies
    }

    private func pile(_ changes: Int, _ record: EventRecord, _ state: inout State) -> FindingTally? {
        guard state.piles.insert(record.context?.number ?? 0).inserted else { return nil }
        let tally = FindingTally(.unsavedChanges, entity: nil, path: capture())
        tally.add(Occurrence(record, subject: 0))
        tally.detail = String(changes)
        return tally
    }

    /// Returns the current call stack; empty in release builds.
    private func capture() -> Instruments.CodePath { .capture() }

    // MARK: Findings

    /// Adds a tally to the findings.
    ///
    /// - Returns: The finding, if its place is new and findings are reported immediately.
    private func note(_ tally: FindingTally, _ state: inout State) -> Instruments.Finding? {
        guard !tally.isFound else { return nil }
        tally.isFound = true
        let new = state.discoveries.found.add(tally, lookingUpPlace: react != nil)
        return react == nil ? nil : new.map { Instruments.Finding($0) }
    }
}

extension EventRecord {
    fileprivate var isFetch: Bool { kind.isFetch }

    fileprivate var reportedPredicate: Bool { predicate != nil }

    fileprivate var subjectHash: Int { (subject as? NSManagedObjectID)?.hashValue ?? number }
}

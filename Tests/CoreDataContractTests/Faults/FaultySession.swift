import CoreDataRowStorage
import Foundation

/// A session that does all that another one does, but for the fault of its engine.
final class FaultySession: StoreSession, @unchecked Sendable {
    let engine: FaultyEngine
    /// What is asked.
    let base: any StoreSession
    /// What is written to.
    let writer: any StoreSession
    private let isExclusive: Bool

    var fault: Fault? { engine.fault }

    init(_ engine: FaultyEngine, _ base: any StoreSession, isExclusive: Bool = false) {
        self.engine = engine
        self.base = base
        self.isExclusive = isExclusive
        writer = base
    }

    init(_ engine: FaultyEngine, reading base: any StoreSession, writing writer: any StoreSession) {
        self.engine = engine
        self.base = base
        self.writer = writer
        isExclusive = false
    }

    func renew() {
        engine.memory.withLock { $0.isRenewed = true }
        base.renew()
    }

    func rest() { base.rest() }

    func end() throws {
        if fault == .answersAfterItsEnd, !isExclusive { return }
        try base.end()
    }

    // MARK: Fetching

    /// The question as the fault has it.
    private func changed(_ fetch: StoreFetch) -> StoreFetch {
        var fetch = fetch
        switch fault {
        case .ignoresPredicate: fetch.predicate = nil
        case .ignoresLimit: fetch.limit = 0
        case .ignoresOffset: fetch.offset = 0
        case .ignoresOrder: fetch.sortDescriptors = []
        case .seesOneEntity: fetch.includesSubentities = false
        case .seesEveryEntity: fetch.includesSubentities = true
        default: break
        }
        return fetch
    }

    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        let buffer = RowBuffer()
        do {
            try base.fetchRows(changed(fetch), into: buffer)
        } catch  where fault == .takesErrorsForEmpty {
            return
        }
        deliver(buffer, into: sink)
    }

    private func deliver(_ buffer: RowBuffer, into sink: any RowSink) {
        switch fault {
        case .losesARow: buffer.rows = buffer.rows.dropLast()
        case .repeatsARow: buffer.rows += buffer.rows.suffix(1)
        case .reversesOrder: buffer.rows.reverse()
        case .tellsOtherVersions: for index in buffer.rows.indices { buffer.rows[index].advanceVersion() }
        case .tellsTheRootForItsEntity:
            for index in buffer.rows.indices {
                let number = buffer.rows[index].entityNumber
                buffer.rows[index].entityNumber = Bookshop.layouts.byNumber[number]?.root.number ?? number
            }
        default: break
        }
        buffer.deliver(into: sink, always: fault == .deliversUnwantedValues)
    }

    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        do {
            let found = try base.fetchReferences(changed(fetch))
            switch fault {
            case .losesAReference: return ContiguousArray(found.dropFirst())
            case .reversesOrder: return ContiguousArray(found.reversed())
            default: return found
            }
        } catch  where fault == .takesErrorsForEmpty {
            return []
        }
    }

    func countRows(_ fetch: StoreFetch) throws -> Int {
        var fetch = fetch
        switch fault {
        case .countsWithoutPredicate: fetch.predicate = nil
        case .countsWithoutLimit: fetch.limit = 0
        case .countsWithoutOffset: fetch.offset = 0
        case .countsEntitiesBelow: fetch.includesSubentities = true
        default: break
        }
        do {
            return try base.countRows(fetch) + (fault == .countsOneTooMany ? 1 : 0)
        } catch  where fault == .countsAnErrorAsZero {
            return 0
        }
    }

    func fetchDictionaries(_ fetch: StoreFetch, object: @escaping (RowReference) -> Any) throws -> [[String: Any]] {
        var fetch = fetch
        if var table = fetch.table, let source = fetch.source {
            switch fault {
            case .losesAColumn: if let columns = table.columns, columns.count > 1 { table.columns?.removeLast() }
            case .keepsEqualDictionaries: table.isDistinct = false
            case .ignoresHaving: table.having = nil
            default: break
            }
            fetch.addTable(table, source: source)
        }
        switch fault {
        case .ignoresLimitOfDictionaries: fetch.limit = 0
        case .ignoresPredicateOfDictionaries: fetch.predicate = nil
        case .seesEveryEntityInDictionaries: fetch.includesSubentities = true
        default: break
        }
        do {
            let found = try base.fetchDictionaries(fetch) { [fault] in
                fault == .givesKeysForObjects ? $0.key : object($0)
            }
            return switch fault {
            case .changesNumbersOfDictionaries:
                found.map { $0.mapValues { value in (value as? NSNumber).map { $0.doubleValue + 1 } ?? value } }
            case .inventsADictionary: found + [[:]]
            default: found
            }
        } catch  where fault == .takesErrorsForNoDictionaries {
            return []
        }
    }

    // MARK: Writing

    func save(_ changes: StoreChanges) throws -> SavedKeys {
        if fault == .retiresAfterFailure, engine.memory.withLock({ $0.isRetired }) { throw StoreErrors.retired }
        return try savedFaultily(changes)
    }

    func run(_ work: BatchWork) throws -> BatchOutcome { try runFaultily(work) }

    // MARK: History

    func history(_ query: HistoryQuery) throws -> HistoryAnswer { try answerFaultily(query) }

    func purgeHistory(before limit: HistoryLimit) throws -> Int {
        fault == .purgesNothing ? 0 : try writer.purgeHistory(before: limit)
    }

    func lastHistoryMark() throws -> HistoryMark? { fault == .tellsNoMark ? nil : try base.lastHistoryMark() }

    func historyReaders() throws -> [HistoryReader] { try base.historyReaders() }

    func changeHistoryReaders(_ change: HistoryReaderChange) throws {
        if fault != .forgetsReaders { try writer.changeHistoryReaders(change) }
    }
}

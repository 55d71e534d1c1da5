import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// A session that checks answers against the contract, and throws instead of returning an invalid one.
///
/// For engines that have not passed the contract's tests. Checks that rows are of the requested entities, that there are no
/// duplicates and no rows beyond the limit, that numbers and dates are in order, and that every new row has a key.
package final class CheckedSession: StoreSession {
    private let base: any StoreSession
    private let layouts: ModelLayouts
    /// The type of store, for errors.
    private let store: String
    private let isOver = Atomic<Bool>(false)

    package init(_ base: any StoreSession, _ layouts: ModelLayouts, of store: String) {
        self.base = base
        self.layouts = layouts
        self.store = store
    }

    private func requireGoingOn() throws {
        if isOver.load(ordering: .relaxed) { throw StoreErrors.sessionEnded }
    }

    private func require(_ breach: AnswerCheck.Breach?, _ layout: EntityLayout) throws {
        if let breach { throw Self.error(breach, layout, of: store) }
    }

    private static func error(_ breach: AnswerCheck.Breach, _ layout: EntityLayout, of store: String) -> NSError {
        CoreDataError.make(
            NSPersistentStoreOperationError, description: "The store gave an answer that cannot be right.",
            reason: breach.reason(layout),
            advice: "Nothing was taken over from it. The fault is the store's: \(store).",
            entity: layout.name)
    }

    /// Checks reserved keys: their number, and their range.
    package static func check(_ keys: KeyRuns, count: Int, of layout: EntityLayout, from store: String) throws {
        guard keys.count == count else { throw error(.keyCount(keys.count, count), layout, of: store) }
        guard let key = keys.first(where: { !RowReference.isKey($0) }) else { return }
        throw error(.noKey(key), layout, of: store)
    }

    // MARK: States

    package func renew() { base.renew() }
    package func rest() { base.rest() }

    package func end() throws {
        guard isOver.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
        try base.end()
    }

    // MARK: Fetching

    package func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        try requireGoingOn()
        let check = CheckedSink(sink, AnswerCheck(of: fetch))
        try base.fetchRows(fetch, into: check)
        try require(check.answer.breach, fetch.layout)
    }

    package func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try requireGoingOn()
        let found = try base.fetchReferences(fetch)
        var answer = AnswerCheck(of: fetch)
        for reference in found { answer.add(reference) }
        try require(answer.breach, fetch.layout)
        return found
    }

    package func countRows(_ fetch: StoreFetch) throws -> Int {
        try requireGoingOn()
        let count = try base.countRows(fetch)
        try require(count < 0 || (fetch.limit > 0 && count > fetch.limit) ? .tooMany(fetch.limit) : nil, fetch.layout)
        return count
    }

    package func fetchDictionaries(
        _ fetch: StoreFetch, object: @escaping (RowReference) -> Any
    ) throws -> [[String: Any]] {
        try requireGoingOn()
        let rows = try base.fetchDictionaries(fetch, object: object)
        try require(fetch.limit > 0 && rows.count > fetch.limit ? .tooMany(fetch.limit) : nil, fetch.layout)
        return rows
    }

    private func destinations(_ relationship: EntityLayout.Relationship) -> AnswerCheck {
        AnswerCheck(layouts.byNumber[relationship.destinationNumber]?.familyNumbers ?? 0..<0)
    }

    // MARK: Reading by key

    package func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        try requireGoingOn()
        let check = CheckedSink(sink, AnswerCheck(layout.root.familyNumbers, keys: Set(keys)))
        try base.readRows(keys: keys, of: layout, into: check)
        try require(check.answer.breach, layout)
    }

    package func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        try requireGoingOn()
        let found = try base.readToMany(relationship, of: layout, key: key)
        var answer = destinations(relationship)
        for reference in found { answer.add(reference) }
        try require(answer.breach, layout)
        return found
    }

    package func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        try requireGoingOn()
        var owners = Set(keys)
        // Rows before the first owner belong to no owner.
        let check = CheckedSink(sink, AnswerCheck(0..<0))
        try base.readToManyRows(relationship, of: layout, keys: keys, into: check) { owner in
            let breach = check.answer.breach ?? (owners.remove(owner) == nil ? .anotherOwner(owner) : nil)
            check.answer = destinations(relationship)
            check.answer.breach = breach
            if breach == nil { group(owner) }
        }
        try require(check.answer.breach, layout)
    }

    // MARK: Writing

    package func save(_ changes: StoreChanges) throws -> SavedKeys {
        try requireGoingOn()
        let keys = try base.save(changes)
        for group in changes.inserts {
            var answer = AnswerCheck(group.layout.number..<group.layout.number + 1)
            for row in group.rows where row.key < 0 {
                answer.add(RowReference(entityNumber: group.layout.number, key: keys[row.key] ?? 0))
            }
            try require(answer.breach, group.layout)
        }
        return keys
    }

    package func run(_ work: BatchWork) throws -> BatchOutcome {
        try requireGoingOn()
        return try base.run(work)
    }

    package func history(_ query: HistoryQuery) throws -> HistoryAnswer {
        try requireGoingOn()
        return try base.history(query)
    }

    package func purgeHistory(before limit: HistoryLimit) throws -> Int {
        try requireGoingOn()
        return try base.purgeHistory(before: limit)
    }

    package func lastHistoryMark() throws -> HistoryMark? {
        try requireGoingOn()
        return try base.lastHistoryMark()
    }

    package func historyReaders() throws -> [HistoryReader] {
        try requireGoingOn()
        return try base.historyReaders()
    }

    package func changeHistoryReaders(_ change: HistoryReaderChange) throws {
        try requireGoingOn()
        try base.changeHistoryReaders(change)
    }

    package func unreportedHistoryAge() throws -> Double? {
        try requireGoingOn()
        return try base.unreportedHistoryAge()
    }
}

/// The rows of an answer so far, and the first violation of the contract among them.
private struct AnswerCheck {
    enum Breach {
        case anotherEntity(Int), noKey(Int64), anotherKey(Int64), twice(Int64), tooMany(Int), unordered(String)
        case anotherOwner(Int64), keyCount(Int, Int)

        func reason(_ layout: EntityLayout) -> String {
            switch self {
            case .anotherEntity(let number): "It has a row of entity number \(number), which was not asked for."
            case .noKey(let key): "\(key) is the key of no row."
            case .anotherKey(let key): "The row with the key \(key) was not asked for."
            case .twice(let key): "The row with the key \(key) is in it twice."
            case .keyCount(let count, let wanted): "\(count) keys were set aside instead of \(wanted)."
            case .tooMany(let limit): "There are more rows in it than the limit, \(limit)."
            case .unordered(let key): "Its rows are not in the order of \(layout.name).\(key)."
            case .anotherOwner(let key):
                "It is about the object with the key \(key), which was not asked for, or twice."
            }
        }
    }

    var breach: Breach?
    private let numbers: Range<Int>
    /// The requested keys; nil for all.
    private let keys: Set<Int64>?
    private var limit = 0
    /// The first sort key, if its values are numbers or dates.
    private var order: (layout: EntityLayout, cell: EntityLayout.Cell, ascending: Bool)?
    private var last: Double?
    private var seen: Set<Int64> = []

    init(_ numbers: Range<Int>, keys: Set<Int64>? = nil) {
        self.numbers = numbers
        self.keys = keys
    }

    init(of fetch: StoreFetch) {
        let layout = fetch.layout
        self.init(fetch.includesSubentities ? layout.familyNumbers : layout.number..<layout.number + 1)
        limit = fetch.limit
        guard let key = fetch.sortDescriptors.first?.sortKey, case .natural = key.comparison,
            let cell = key.key.flatMap(layout.cell(named:)), !cell.isTransient,
            cell.kind.family == .integer || cell.kind.family == .real
        else { return }
        order = (layout, cell, key.ascending)
    }

    mutating func add(_ row: RowReference) {
        guard breach == nil else { return }
        if !numbers.contains(row.entityNumber) {
            breach = .anotherEntity(row.entityNumber)
        } else if !RowReference.isKey(row.key) {
            breach = .noKey(row.key)
        } else if let keys, !keys.contains(row.key) {
            breach = .anotherKey(row.key)
        } else if !seen.insert(row.key).inserted {
            breach = .twice(row.key)
        } else if limit > 0, seen.count > limit {
            breach = .tooMany(limit)
        }
    }

    /// Checks that a row's value is not before that of the previous row. Skipped rows are not checked.
    mutating func add(_ row: UnsafeMutableRawPointer) {
        guard let order, breach == nil else { return }
        // Nil precedes every value.
        var value = -Double.infinity
        if EntityLayout.isPresent(row, order.cell.index) {
            let bits = order.layout.bits(row, order.cell.index)
            value =
                order.cell.kind.family == .real ? Double(bitPattern: bits) : Double(Int64(bitPattern: bits))
        }
        if let last, order.ascending ? value < last : value > last { breach = .unordered(order.cell.name) }
        last = value
    }
}

/// A sink that forwards valid rows, and stops at the first violation.
private final class CheckedSink: RowSink {
    private let sink: any RowSink
    var answer: AnswerCheck

    init(_ sink: any RowSink, _ answer: AnswerCheck) {
        self.sink = sink
        self.answer = answer
    }

    func next(entityNumber: Int, key: Int64) -> RowDecision {
        answer.add(RowReference(entityNumber: entityNumber, key: key))
        return answer.breach == nil ? sink.next(entityNumber: entityNumber, key: key) : .stop
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        answer.add(row)
        if answer.breach == nil { sink.receive(row: row, in: slab) }
    }
}

import CoreDataRowStorage
import CCoreDataRuntime

/// Turns the rows of a fetch into objects.
///
/// Rows are read some at a time, then made objects of: what reading and what making objects needs does not fit into the
/// processor's nearest memory together.
final class FetchSink: RowSink {
    // Both outlive the sink's work.
    private unowned(unsafe) let context: NSManagedObjectContext
    @exclusivity(unchecked) private unowned(unsafe) var store: (any RowStore)!
    @exclusivity(unchecked) private var refreshes = false
    /// There is one row at most.
    @exclusivity(unchecked) private var isForOne = false
    /// The table of the last row, which its context keeps; and the number of its entity.
    @exclusivity(unchecked) private var table: Unmanaged<EntityTable>?
    @exclusivity(unchecked) private var uniquing: Unmanaged<UniquingTable>?
    @exclusivity(unchecked) private var tableNumber = -1
    @exclusivity(unchecked) private var current: NSManagedObject?
    @exclusivity(unchecked) private var currentKey: Int64 = 0
    @exclusivity(unchecked) private var made = ObjectPile()
    /// Rows without objects as yet, all of one entity and in one slab.
    @exclusivity(unchecked) private var waiting: UnsafeMutablePointer<WaitingRow>?
    @exclusivity(unchecked) private var waitingCount = 0
    @exclusivity(unchecked) private var waitingSlab: RowSlab?
    /// Changed objects that are to be refreshed: what is unsaved in them has to be laid over the new row.
    @exclusivity(unchecked) private(set) var outdated: [NSManagedObject] = []
    /// Of an asynchronous fetch: told how far the fetch is, and asked whether it shall go on.
    var progress: Progress?
    private(set) var isCancelled = false

    private struct WaitingRow {
        var row: UnsafeMutableRawPointer
        var key: Int64
    }
    private static let mostWaiting = 64
    /// So many rows get their objects at once: most fetches are small.
    private static let fewRows = 8

    init(_ context: NSManagedObjectContext) { self.context = context }

    convenience init(_ context: NSManagedObjectContext, store: any RowStore) {
        self.init(context)
        self.store = store
    }

    /// Gets ready for the rows of a fetch.
    ///
    /// - Parameters:
    ///   - table: of the entity the fetch names.
    ///   - mostRows: how many there are at most; 0 if unknown.
    func begin(with table: EntityTable, of store: any RowStore, refreshes: Bool, mostRows: Int) {
        self.store = store
        self.refreshes = refreshes
        isForOne = mostRows == 1
        expect(table)
    }

    /// The objects of the fetch. The sink lets go of everything then, and may be used for another.
    func finish() -> [NSManagedObject] {
        makeWaiting()
        if waitingSlab != nil { waitingSlab = nil }
        if current != nil { current = nil }
        if !outdated.isEmpty { outdated = [] }
        if progress != nil { progress = nil }
        table = nil
        uniquing = nil
        tableNumber = -1
        store = nil
        return made.takeAll()
    }

    deinit { waiting?.deallocate() }

    func next(entityNumber: Int, key: Int64) -> RowDecision {
        // Most rows are of the last one's entity, and have no object.
        if tableNumber == entityNumber, current == nil, progress == nil,
            uniquing.unsafelyUnwrapped._withUnsafeGuaranteedRef({ $0.isVacant(key) })
        {
            currentKey = key
            return .take
        }
        return nextOfOthers(entityNumber, key)
    }

    @inline(never)
    private func nextOfOthers(_ entityNumber: Int, _ key: Int64) -> RowDecision {
        if progress != nil, !goesOn() { return .stop }
        if tableNumber != entityNumber { findTable(entityNumber) }
        if let object = uniquing.unsafelyUnwrapped._withUnsafeGuaranteedRef({ $0.object(for: key) }) {
            makeWaiting()
            made.append(object)
            // A fault takes the newer row; a realised object keeps its values.
            guard object._state.contains(.fault) || (refreshes && !object.hasUnsavedChanges) else {
                if refreshes { outdated.append(object) }
                return .skip
            }
            current = object
            return .take
        }
        current = nil
        currentKey = key
        return .take
    }

    @inline(never)
    private func findTable(_ entityNumber: Int) {
        expect(context.table(of: context.layouts.byNumber[entityNumber]!, in: store))
    }

    /// Gets ready for rows of an entity: most of a fetch's are of the one it names.
    func expect(_ found: EntityTable) {
        makeWaiting()
        table = .passUnretained(found)
        uniquing = .passUnretained(found.uniquing)
        tableNumber = found.layout.number
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        if waitingSlab === slab, waitingCount < Self.mostWaiting, current == nil {
            waiting.unsafelyUnwrapped[waitingCount] = WaitingRow(row: row, key: currentKey)
            waitingCount &+= 1
        } else {
            receiveOther(row, slab)
        }
    }

    @inline(never)
    private func receiveOther(_ row: UnsafeMutableRawPointer, _ slab: RowSlab) {
        if let current {
            if !current._state.contains(.fault) {
                current.turnIntoFault()
                context.noteRefreshed(current)
            }
            current.adopt(row, in: slab)
            current._state.subtract([.inaccessible, .fired])
            return
        }
        makeWaiting()
        if made.count < Self.fewRows {
            let object = table.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.makeFault(for: currentKey) }
            object.adopt(row, in: slab)
            if isForOne { made.appendOnly(object) } else { made.append(object) }
            return
        }
        waitingSlab = slab
        if waiting == nil { waiting = .allocate(capacity: Self.mostWaiting) }
        waiting.unsafelyUnwrapped[0] = WaitingRow(row: row, key: currentKey)
        waitingCount = 1
    }

    /// Makes the objects of the rows that wait for them.
    @inline(__always)
    private func makeWaiting() {
        if waitingCount > 0 { makeAllWaiting() }
    }

    @inline(never)
    private func makeAllWaiting() {
        guard let waitingSlab, let waiting, let table else { return }
        // The slab's count of references is raised once for all objects: each time, the processor would first have to finish
        // writing the object before.
        let slab = Unmanaged.passUnretained(waitingSlab)
        ccoredataruntime_retain(slab.toOpaque(), UInt32(waitingCount))
        table._withUnsafeGuaranteedRef { table in
            for position in 0..<waitingCount {
                let (row, key) = (waiting[position].row, waiting[position].key)
                let place = table.uniquing.vacantPlace(for: key)
                // A row may have come twice: what several objects lead to.
                if place == nil, let object = table.uniquing.object(for: key) {
                    made.append(object)
                    slab.release()
                    continue
                }
                let object = table.makeFault(for: key, at: place)
                object.adopt(row, in: slab.takeRetainedValue())
                made.append(object)
            }
        }
        waitingCount = 0
    }

    /// The objects received so far. Those to come make an array of their own.
    func takeObjects() -> [NSManagedObject] {
        makeWaiting()
        return made.takeAll()
    }

    private func goesOn() -> Bool {
        guard let progress, !isCancelled else { return false }
        let count = made.count + waitingCount
        guard count % 256 == 0 else { return true }
        progress.completedUnitCount = min(Int64(count), progress.totalUnitCount)
        isCancelled = progress.isCancelled
        return !isCancelled
    }
}

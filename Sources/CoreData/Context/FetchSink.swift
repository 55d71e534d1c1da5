import CoreDataRowStorage
import CCoreDataRuntime

/// Converts the rows of a fetch into objects.
///
/// Rows are read in small groups, then converted: the working sets of reading and of creating objects do not fit into the L1
/// cache together.
final class FetchSink: RowSink {
    // Both outlive the sink's work.
    private unowned(unsafe) let context: NSManagedObjectContext
    @exclusivity(unchecked) private unowned(unsafe) var store: (any RowStore)!
    @exclusivity(unchecked) private var refreshes = false
    /// True if there is at most one row.
    @exclusivity(unchecked) private var isForOne = false
    /// The table of the last row, retained by its context; and the number of its entity.
    @exclusivity(unchecked) private var table: Unmanaged<EntityTable>?
    @exclusivity(unchecked) private var uniquing: Unmanaged<UniquingTable>?
    @exclusivity(unchecked) private var tableNumber = -1
    @exclusivity(unchecked) private var current: NSManagedObject?
    @exclusivity(unchecked) private var currentKey: Int64 = 0
    @exclusivity(unchecked) private var made = ObjectBuffer()
    /// Rows without objects yet, all of one entity and in one slab.
    @exclusivity(unchecked) private var waiting: UnsafeMutablePointer<WaitingRow>?
    @exclusivity(unchecked) private var waitingCount = 0
    @exclusivity(unchecked) private var waitingSlab: RowSlab?
    /// Changed objects to be refreshed: their unsaved changes must be applied to the new row.
    @exclusivity(unchecked) private(set) var outdated: [NSManagedObject] = []
    /// The progress of an asynchronous fetch: updated with the number of rows, and checked for cancellation.
    var progress: Progress?
    private(set) var isCancelled = false

    private struct WaitingRow {
        var row: UnsafeMutableRawPointer
        var key: Int64
    }
    private static let mostWaiting = 64
    /// The number of rows that are converted at once: most fetches are small.
    private static let fewRows = 8

    init(_ context: NSManagedObjectContext) { self.context = context }

    convenience init(_ context: NSManagedObjectContext, store: any RowStore) {
        self.init(context)
        self.store = store
    }

    /// Prepares for the rows of a fetch.
    ///
    /// - Parameters:
    ///   - table: The table of the entity that the fetch names.
    ///   - mostRows: The maximum number of rows; 0 if unknown.
    func begin(with table: EntityTable, of store: any RowStore, refreshes: Bool, mostRows: Int) {
        self.store = store
        self.refreshes = refreshes
        isForOne = mostRows == 1
        expect(table)
    }

    /// Returns the objects of the fetch and clears the sink, which may be used for another fetch.
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
        // Most rows belong to the last row's entity and have no object.
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
            // A fault takes the newer row; a realized object keeps its values.
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

    /// Prepares for rows of an entity: most rows of a fetch belong to the one it names.
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

    /// Creates the objects of the waiting rows.
    @inline(__always)
    private func makeWaiting() {
        if waitingCount > 0 { makeAllWaiting() }
    }

    @inline(never)
    private func makeAllWaiting() {
        guard let waitingSlab, let waiting, let table else { return }
        // The slab's retain count is raised once for all objects: an atomic increment for each would stall until the previous
        // object is written.
        let slab = Unmanaged.passUnretained(waitingSlab)
        ccoredataruntime_retain(slab.toOpaque(), UInt32(waitingCount))
        table._withUnsafeGuaranteedRef { table in
            for position in 0..<waitingCount {
                let (row, key) = (waiting[position].row, waiting[position].key)
                let place = table.uniquing.vacantPlace(for: key)
                // A row may occur twice, as a destination of several objects.
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

    /// Returns the objects received so far and removes them. Later ones go into another array.
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

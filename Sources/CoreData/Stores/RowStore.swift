import PredicateFormat

/// What the object graph asks of a store: rows in, rows out, no objects.
///
/// A store reads into ``RowSlab``s by the ``EntityLayout`` of each entity and never sees a context. Every function may
/// be called from any thread, several at once: reading must not wait for a writer where the back end allows that.
/// Errors are `NSError`s of the Cocoa domain with Core Data's codes.
package protocol RowStore: NSPersistentStore {
    /// Reads every matching row, in order, into the sink.
    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws
    /// The identities of every matching row, in order.
    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference>
    /// How many rows match, limit and offset applied.
    func countRows(_ fetch: StoreFetch) throws -> Int
    /// Rows as dictionaries of the fetch's columns, grouped if asked; absent values are left out.
    func fetchDictionaries(_ fetch: StoreFetch) throws -> [[String: Any]]

    /// Reads the rows with these keys that exist, in any order, into the sink. `layout` is any entity of their hierarchy.
    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws
    /// The rows a to-many relationship of one object leads to; in stored order if it is ordered.
    func readToMany(_ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64) throws
        -> ContiguousArray<RowReference>
    /// Reads what a to-many relationship of many objects leads to with one pass.
    ///
    /// `group` is called with each object's key before that object's related rows go to the sink; objects without related
    /// rows may be left out.
    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws

    /// Sets aside permanent keys for new objects of a hierarchy, never to be handed out again: the first of `count`.
    func reserveKeys(count: Int, of layout: EntityLayout) throws -> Int64

    /// Writes everything in one transaction or nothing at all.
    ///
    /// - Throws: ``StoreConflicts`` when a row was changed or removed by somebody else or a uniqueness constraint is hit;
    ///   an `NSError` for anything else. The store is then as it was.
    func save(_ changes: StoreChanges) throws -> SavedKeys

    /// Has reads throw from now on for values whose files are missing, because what is read is to be written elsewhere.
    func requireExternalFiles() throws

    /// Reads one row even then; values whose files are missing are marked as unread.
    func readRowWithoutMissingValues(key: Int64, of layout: EntityLayout, into sink: any RowSink) throws

    /// Runs `copy` while nothing else is written to the store, and refuses to write from then on if it succeeds: what was saved
    /// before is in the copy, and what is saved later is an error.
    func retiring<Result>(_ copy: () throws -> Result) throws -> Result

    /// Runs a request the object graph has no part in: batch insert, update and delete, history.
    func execute(direct request: NSPersistentStoreRequest, for origin: RequestOrigin) throws -> NSPersistentStoreResult
}

/// The context attributes that a batch request runs with.
package struct RequestOrigin {
    package var mergePolicy: NSMergePolicy
    /// The attributes that persistent history records: those of the context that reaches the coordinator, which for a child
    /// is the topmost of its parents.
    package var author: String?
    package var contextName: String?

    package init(_ context: NSManagedObjectContext) {
        mergePolicy = context.mergePolicy as? NSMergePolicy ?? .error
        guard var root = context.ownParent else {
            author = context.transactionAuthor
            contextName = context.name
            return
        }
        while let parent = root.ownParent { root = parent }
        (author, contextName) = root.performAndWait { (root.transactionAuthor, root.name) }
    }
}

/// Where a store delivers rows.
package protocol RowSink: AnyObject {
    /// Announces the next row. False means that its values are in memory already and are not to be delivered.
    func next(entityNumber: Int, key: Int64) -> Bool
    /// The values of the row announced last, if they were wanted. The row stays valid as long as the slab lives.
    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab)
}

/// A fetch as a store sees it: the request with its entity resolved.
package struct StoreFetch {
    package var layout: EntityLayout
    package var includesSubentities: Bool
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]
    /// 0 for no limit.
    package var limit: Int
    package var offset: Int
    /// What only some requests say, in a box so that copies of the others cost less.
    private let table: Table?

    private final class Table {
        let propertiesToFetch: [Any]?
        let propertiesToGroupBy: [Any]?
        let havingPredicate: NSPredicate?
        let returnsDistinctResults: Bool

        init(_ settings: FetchSettings) {
            propertiesToFetch = settings.propertiesToFetch
            propertiesToGroupBy = settings.propertiesToGroupBy
            havingPredicate = settings.havingPredicate
            returnsDistinctResults = settings.returnsDistinctResults
        }
    }

    // Dictionary results only:
    /// Names, property descriptions or expression descriptions.
    package var propertiesToFetch: [Any]? { table?.propertiesToFetch }
    package var propertiesToGroupBy: [Any]? { table?.propertiesToGroupBy }
    package var havingPredicate: NSPredicate? { table?.havingPredicate }
    package var returnsDistinctResults: Bool { table?.returnsDistinctResults ?? false }

    /// All rows of an entity and of those below it.
    package init(layout: EntityLayout) {
        self.layout = layout
        includesSubentities = true
        sortDescriptors = []
        limit = 0
        offset = 0
        table = nil
    }

    /// What a request asks for, of that entity. Never part of its caller, which would make it elsewhere and copy it.
    @inline(never)
    init(layout: EntityLayout, _ request: FetchRequestBase) {
        // Settings are read one by one: passed on as a whole, they would be copied.
        self.layout = layout
        includesSubentities = request.settings.includesSubentities
        predicate = request.settings.predicate
        sortDescriptors = request.settings.sortDescriptors ?? []
        limit = request.settings.fetchLimit
        offset = request.settings.fetchOffset
        let isPlain =
            request.settings.propertiesToFetch == nil && request.settings.propertiesToGroupBy == nil
            && request.settings.havingPredicate == nil && !request.settings.returnsDistinctResults
        table = isPlain ? nil : Table(request.settings)
    }
}

/// Everything one save writes to one store. Filled by one plan, and not changed once the store has it.
package final class StoreChanges {
    /// One row to insert, update or delete.
    package struct Row {
        /// The primary key; for inserts without a permanent ID the temporary (negative) key, which the store replaces.
        package var key: Int64
        /// The version last seen; 0 for inserts. The store writes `version + 1`.
        package var version: UInt32
        /// The values (deletions may pass the last known ones).
        package var row: UnsafeMutableRawPointer
        /// What the row lies in. Kept alive by whoever keeps the row: in a save, its group.
        package let slabReference: Unmanaged<RowSlab>
        package var slab: RowSlab { slabReference.takeUnretainedValue() }

        package init(key: Int64, version: UInt32, row: UnsafeMutableRawPointer, slab: RowSlab) {
            self.key = key
            self.version = version
            self.row = row
            slabReference = .passUnretained(slab)
        }
    }

    /// Rows of one entity.
    package struct Group {
        package var layout: EntityLayout
        package private(set) var rows: ContiguousArray<Row> = []
        /// What the rows lie in: counting references row by row would cost more than collecting them.
        private var firstSlab: RowSlab?
        private var otherSlabs: ContiguousArray<RowSlab> = []

        package init(layout: EntityLayout, expecting count: Int = 0) {
            self.layout = layout
            if count > 0 { rows.reserveCapacity(count) }
        }

        @inline(__always)
        package mutating func append(_ row: Row) {
            // Rows that follow each other mostly share a slab.
            if rows.isEmpty {
                firstSlab = row.slab
            } else if rows[rows.count - 1].slabReference.toOpaque() != row.slabReference.toOpaque() {
                otherSlabs.append(row.slab)
            }
            rows.append(row)
        }

        package mutating func removeRows() {
            rows.removeAll(keepingCapacity: true)
            firstSlab = nil
            if !otherSlabs.isEmpty { otherSlabs = [] }
        }
    }

    /// What a to-many relationship gained and lost, where the store keeps that apart from the rows: many-to-many
    /// relationships and those without an inverse. References may be temporary; each pair is reported from one side or both.
    package struct ToMany {
        package var layout: EntityLayout
        package var relationship: EntityLayout.Relationship
        package var source: RowReference
        package var added: ContiguousArray<RowReference>
        package var removed: ContiguousArray<RowReference>
        /// The whole new order, for ordered relationships (also those with a to-one inverse).
        package var order: ContiguousArray<RowReference>?
    }

    @exclusivity(unchecked) package final var inserts: [Group] = []
    /// Updated rows carry changed bits at `layout.changedOffset`; none set means that only a to-many relationship changed:
    /// the version still advances.
    @exclusivity(unchecked) package final var updates: [Group] = []
    @exclusivity(unchecked) package final var deletes: [Group] = []
    /// Rows to check for conflicts without writing them.
    @exclusivity(unchecked) package final var locked: [Group] = []
    @exclusivity(unchecked) package final var toMany: [ToMany] = []
    /// For history.
    @exclusivity(unchecked) package final var author: String?
    @exclusivity(unchecked) package final var contextName: String?
    /// Metadata to write along with the rows, if it changed.
    @exclusivity(unchecked) package final var metadata: [String: Any]?

    package init() {}
}

/// The permanent keys a save gave to rows that came with temporary ones.
package struct SavedKeys: Sendable {
    // Temporary keys count down and permanent keys count up: as long as they do so together, this is all there is to keep.
    private var firstTemporary: Int64 = 0
    private var firstPermanent: Int64 = 0
    private var length: Int64 = 0
    /// Temporary key → permanent key for all others, by distance from the highest one expected, or sought by hash.
    private var dense: ContiguousArray<Int64> = []
    private var sparse: [Int64: Int64] = [:]
    private var highest: Int64 = 0
    private var span: Int64 = 0
    /// Rows, of this save or others, whose derived attributes the store computed anew.
    package var recomputed: ContiguousArray<RowReference> = []
    /// The number of the save's transaction in the store's history; 0 where none was recorded.
    package var historyTransaction: Int64 = 0

    package init() {}

    /// Prepares for the temporary keys in `range` (keys count down from -1).
    package init(expecting range: ClosedRange<Int64>, count: Int) {
        highest = range.upperBound
        span = range.upperBound - range.lowerBound + 1
        if span > Int64(count) * 4 + 64 { span = 0 }
    }

    package subscript(temporary: Int64) -> Int64? {
        @inline(__always)
        get {
            let index = firstTemporary &- temporary
            if index >= 0, index < length { return firstPermanent + index }
            return other(temporary)
        }
        set {
            if let newValue, length == 0 {
                (firstTemporary, firstPermanent, length) = (temporary, newValue, 1)
            } else if let newValue, temporary == firstTemporary - length, newValue == firstPermanent + length {
                length += 1
            } else {
                setOther(temporary, newValue)
            }
        }
    }

    private func other(_ temporary: Int64) -> Int64? {
        let index = highest - temporary
        if index >= 0, index < Int64(dense.count) {
            let key = dense[Int(index)]
            return key == 0 ? nil : key
        }
        return sparse[temporary]
    }

    private mutating func setOther(_ temporary: Int64, _ key: Int64?) {
        let index = highest - temporary
        if index >= 0, index < span {
            if dense.isEmpty { dense = ContiguousArray(repeating: 0, count: Int(span)) }
            dense[Int(index)] = key ?? 0
        } else {
            sparse[temporary] = key
        }
    }
}

/// Why a save could not be written: somebody else got there first.
package struct StoreConflicts: Error, @unchecked Sendable {
    /// A row whose version is no longer the one the context knows.
    package struct Changed {
        package var layout: EntityLayout
        package var key: Int64
        package var knownVersion: UInt32
        /// The row as it is in the store now; nil when it is gone.
        package var current: (row: UnsafeMutableRawPointer, slab: RowSlab)?
    }
    /// A uniqueness constraint that a row of this save hits.
    package struct Duplicate {
        package var layout: EntityLayout
        package var constraint: [String]
        /// Key of the row in this save (temporary if it is an insert).
        package var key: Int64
        /// The row in the store that holds the values already.
        package var existing: RowReference
    }
    package var changed: [Changed] = []
    package var duplicates: [Duplicate] = []

    package init() {}
}

extension RowStore {
    /// For stores that keep all values themselves.
    package func requireExternalFiles() {}

    /// For stores that keep all values themselves.
    package func readRowWithoutMissingValues(key: Int64, of layout: EntityLayout, into sink: any RowSink) throws {
        try readRows(keys: [key], of: layout, into: sink)
    }

    /// For stores that are not copied.
    package func retiring<Result>(_ copy: () throws -> Result) throws -> Result { try copy() }
}

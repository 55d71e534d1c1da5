import CoreDataRowStorage

// Results with rows that are loaded and released in batches: see `fetchBatchSize`.

extension NSManagedObjectContext {
    /// Returns true if the rows of a fetch are read in batches. False if one batch holds the whole result, or if one of the
    /// stores is an incremental store of the program, which is asked for each object.
    final func isBatched(_ request: FetchRequestBase) -> Bool {
        let size = request.settings.fetchBatchSize
        guard size > 0, request.settings.includesPropertyValues else { return false }
        guard request.settings.fetchLimit <= 0 || request.settings.fetchLimit > size else { return false }
        return persistentStoreCoordinator?.rowStores.allSatisfy { $0.deliversRows } ?? true
    }

    /// Returns the objects of rows in one store, creating faults for those not registered.
    final func faults(for references: ContiguousArray<RowReference>, in store: any RowStore) -> [NSManagedObject] {
        let layouts = layouts
        var table: Unmanaged<EntityTable>?
        var number = -1
        return [NSManagedObject](unsafeUninitializedCapacity: references.count) { objects, count in
            for reference in references {
                if reference.entityNumber != number {
                    number = reference.entityNumber
                    // The context retains it.
                    table = .passUnretained(self.table(of: layouts.byNumber[number]!, in: store))
                }
                let object = table.unsafelyUnwrapped._withUnsafeGuaranteedRef { table in
                    let key = reference.key
                    guard let place = table.uniquing.vacantPlace(for: key) else { return table.object(for: key) }
                    return table.makeFault(for: key, at: place)
                }
                (objects.baseAddress.unsafelyUnwrapped + count).initialize(to: object)
                count += 1
            }
        }
    }

    /// Starts reading the rows of a result in batches.
    final func batch(
        _ references: ContiguousArray<RowReference>, _ request: FetchRequestBase, _ uniquing: UniquingTable
    ) {
        guard references.count > 1 else { return }
        // Faults of older fetches are read one by one.
        batches = batches.suffix(15)
        batches.append(
            BatchedResult(
                references, size: request.settings.fetchBatchSize, uniquing: uniquing,
                prefetching: request.settings.relationshipKeyPathsForPrefetching ?? []))
    }

    /// Releases the bookkeeping of batched results that are no longer referenced.
    final func forgetUnusedBatches() {
        guard !batches.isEmpty else { return }
        // Looking an object up may release its last reference, and its `deinit` may fetch.
        let kept = batches.filter { $0.isInUse() }
        if kept.count < batches.count { batches = kept }
    }

    // MARK: Loading

    /// Loads the batch of a fault, if the fault belongs to a batched result.
    final func loadBatch(with object: NSManagedObject) throws {
        guard let table = object._table, let (result, batch) = batchedResult(with: object._key, of: table.uniquing)
        else { return }
        let batches = result.batches(from: batch)
        var keys = result.keys(of: batches)
        var faults = result.uniquing.objects(for: keys, heldOnce: false) { $0.lacksRow }
        guard faults.count > 1 else { return }
        if !result.isAscending { faults.sort { $0._key < $1._key } }
        if !result.isAscending || keys.count > faults.count { keys = ContiguousArray(faults.lazy.map(\._key)) }
        if parent != nil {
            // Read errors are reported when the object is accessed.
            try? loadRows(of: Array(faults))
        } else if let store = table.store {
            let sink = BatchSink(faults)
            try Probe.batch(faults.count, of: table.layout, self) {
                try reading(store) { try $0.readRows(keys: keys, of: table.layout, into: sink) }
            }
        }
        result.noteLoading(of: batches)
        prefetchAtHand(result.prefetching, of: Array(faults))
        // From here on only the program retains them.
        faults = []
        while let left = result.takeBatchLeftBehind() { leave(result.keys(of: left..<left + 1), of: result.uniquing) }
    }

    /// Returns the batched result that contains a row, and the number of its batch.
    private final func batchedResult(
        with key: Int64, of uniquing: UniquingTable
    ) -> (result: BatchedResult, batch: Int)? {
        // Most programs iterate in order, over the last result.
        for index in batches.indices.reversed() where batches[index].uniquing === uniquing {
            if let batch = batches[index].nextBatch(with: key) { return (batches[index], batch) }
        }
        for index in batches.indices.reversed() where batches[index].uniquing === uniquing {
            if let batch = batches[index].batch(with: key) { return (batches[index], batch) }
        }
        return nil
    }

    // MARK: Leaving

    /// Turns objects into faults if only their array retains them, to release the memory of their rows.
    private final func leave(_ keys: ContiguousArray<Int64>, of uniquing: UniquingTable) {
        // An unchanged object has no other state bits.
        let objects = uniquing.objects(for: keys, heldOnce: true) {
            $0._row != nil && $0._state.isSubset(of: ObjectState(.saved, .fault))
        }
        for object in objects where object.canBeRegained { object.letGoOfRow() }
    }
}

extension NSManagedObject {
    /// True if this is a fault with a row that must be read, as far as the context knows.
    final var lacksRow: Bool { _row == nil && _state.contains(.fault) && !_state.contains(.inaccessible) }

    /// True if all values of this unchanged object can be read from the store again.
    fileprivate final var canBeRegained: Bool {
        // A row that was saved here may contain transient values.
        if let slab = _slab, slab.isOpen, layout.cells.contains(where: \.isTransient) { return false }
        return _extra?.canBeRegained ?? true
    }
}

extension ObjectExtra {
    /// True if all contents can be read from the store again.
    fileprivate var canBeRegained: Bool {
        guard committed == nil, hasNothingRare else { return false }
        return relationships.allSatisfy { contents in
            guard let toMany = contents as? ToMany else { return true }
            return !toMany.hasChanges && !toMany.hasEventChanges && toMany.view == nil
        }
    }
}

/// A sink that receives the rows of faults.
final class BatchSink: RowSink {
    /// The faults in the order of their keys, which stores follow.
    private let objects: ContiguousArray<NSManagedObject>
    @exclusivity(unchecked) private var position = 0
    /// The last object's table and the number of its row's entity; they match.
    @exclusivity(unchecked) private var table: UnsafeMutableRawPointer?
    @exclusivity(unchecked) private var number = -1

    init(_ objects: ContiguousArray<NSManagedObject>) { self.objects = objects }

    func next(entityNumber: Int, key: Int64) -> RowDecision {
        objects.withUnsafeBufferPointer { objects in
            while position < objects.count {
                let object = Unmanaged.passUnretained(objects[position])
                let own = object._withUnsafeGuaranteedRef(\._key)
                if own >= key {
                    return own == key && object._withUnsafeGuaranteedRef { fits($0, entityNumber) } ? .take : .skip
                }
                position += 1
            }
            return .stop
        }
    }

    @inline(__always)
    private func fits(_ object: NSManagedObject, _ entityNumber: Int) -> Bool {
        let table = object._tableReference?.toOpaque()
        if table == self.table, entityNumber == number { return true }
        guard object.takesRow(of: entityNumber) else { return false }
        (self.table, number) = (table, entityNumber)
        return true
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        objects.withUnsafeBufferPointer { objects in
            Unmanaged.passUnretained(objects[position])._withUnsafeGuaranteedRef { $0.adopt(row, in: slab) }
        }
        position += 1
    }
}

// Results whose rows come and go: see `fetchBatchSize`.

extension NSManagedObjectContext {
    /// Whether the rows of a fetch are to be read some at a time. One batch that holds everything is none.
    final func isBatched(_ request: FetchRequestBase) -> Bool {
        let size = request.settings.fetchBatchSize
        guard size > 0, request.settings.includesPropertyValues else { return false }
        return request.settings.fetchLimit <= 0 || request.settings.fetchLimit > size
    }

    /// Faults for rows that are in one store, or the objects that are there already.
    final func faults(for references: ContiguousArray<RowReference>, in store: any RowStore) -> [NSManagedObject] {
        let layouts = layouts
        var table: Unmanaged<EntityTable>?
        var number = -1
        return [NSManagedObject](unsafeUninitializedCapacity: references.count) { objects, count in
            for reference in references {
                if reference.entityNumber != number {
                    number = reference.entityNumber
                    // The context keeps it.
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

    /// From now on the rows of a result are read in batches.
    final func batch(
        _ references: ContiguousArray<RowReference>, _ request: FetchRequestBase, _ uniquing: UniquingTable
    ) {
        guard references.count > 1 else { return }
        let keyPaths = ownParent == nil ? request.settings.relationshipKeyPathsForPrefetching ?? [] : []
        // Faults of fetches longer ago are read one by one.
        batches = batches.suffix(15)
        batches.append(
            BatchedResult(
                references, size: request.settings.fetchBatchSize, uniquing: uniquing,
                prefetching: (keyPaths, request.entityName ?? "")))
    }

    /// Lets go of what was kept for results that nobody has any more.
    final func forgetUnusedBatches() {
        if !batches.isEmpty { batches.removeAll { !$0.isInUse() } }
    }

    // MARK: Loading

    /// Reads the rows of a fault's batch, if the fault belongs to one.
    final func loadBatch(with object: NSManagedObject) throws {
        guard let (result, batch) = batchedResult(with: object) else { return }
        var faults = result.uniquing.objects(for: result.keys(of: batch))
        faults.removeAll { $0._row != nil || !$0._state.contains(.fault) || $0._state.contains(.inaccessible) }
        guard faults.count > 1 else { return }
        for index in 1..<faults.count where faults[index]._key < faults[index - 1]._key {
            faults.sort { $0._key < $1._key }
            break
        }
        if let parent {
            let faults = faults
            inParent(parent) { parent.lendRows(to: faults, of: self) }
        } else {
            guard let table = object._table, let store = table.store else { return }
            let keys = ContiguousArray(faults.lazy.map(\._key))
            try reading { try store.readRows(keys: keys, of: table.layout, into: BatchSink(faults)) }
        }
        result.noteLoading(of: batch)
        prefetch(for: result, faults)
        // From here on they are held by the program alone.
        faults = []
        while let left = result.takeBatchLeftBehind() { leave(result.keys(of: left), of: result.uniquing) }
    }

    private final func prefetch(for result: BatchedResult, _ objects: ContiguousArray<NSManagedObject>) {
        let (keyPaths, entityName) = result.prefetching
        guard !keyPaths.isEmpty else { return }
        // The fetch has looked at the key paths. What cannot be read now is read when it is needed.
        try? prefetch(keyPaths, of: objects.filter { $0._row != nil }, entityName: entityName)
    }

    private final func batchedResult(with object: NSManagedObject) -> (BatchedResult, Int)? {
        guard let uniquing = object._table?.uniquing else { return nil }
        let key = object._key
        for result in batches.reversed() where result.uniquing === uniquing {
            if let batch = result.nextBatch(with: key) { return (result, batch) }
        }
        for result in batches.reversed() where result.uniquing === uniquing {
            if let batch = result.batch(with: key) { return (result, batch) }
        }
        return nil
    }

    // MARK: Leaving

    /// Makes faults of objects that nobody but their array holds, so that the memory of their rows is free.
    private final func leave(_ keys: ContiguousArray<Int64>, of uniquing: UniquingTable) {
        for object in uniquing.objects(for: keys, heldOnce: true) where object.canBeReadAgain {
            object.turnIntoFault()
        }
    }
}

extension NSManagedObject {
    /// Whether nothing is lost when the object becomes a fault.
    fileprivate final var canBeReadAgain: Bool {
        guard _row != nil, _state.isSubset(of: [.fault, .registered]) else { return false }
        return _extra?.canBeRegained ?? true
    }
}

extension ObjectExtra {
    /// Whether all there is here comes from the store.
    fileprivate var canBeRegained: Bool {
        guard committed == nil, hasNothingRare else { return false }
        return relationships.allSatisfy { contents in
            guard let toMany = contents as? ToMany else { return true }
            return !toMany.hasChanges && !toMany.hasEventChanges && toMany.view == nil
        }
    }
}

/// Receives the rows of faults.
final class BatchSink: RowSink {
    /// In the order of their keys, which stores keep to.
    private let objects: ContiguousArray<NSManagedObject>
    @exclusivity(unchecked) private var position = 0

    init(_ objects: ContiguousArray<NSManagedObject>) { self.objects = objects }

    func next(entityNumber: Int, key: Int64) -> Bool {
        objects.withUnsafeBufferPointer { objects in
            while position < objects.count {
                let (isBefore, fits) = Unmanaged.passUnretained(objects[position])._withUnsafeGuaranteedRef {
                    ($0._key < key, $0._key == key && $0.takesRow(of: entityNumber))
                }
                if !isBefore { return fits }
                position += 1
            }
            return false
        }
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        objects.withUnsafeBufferPointer { objects in
            Unmanaged.passUnretained(objects[position])._withUnsafeGuaranteedRef { $0.adopt(row, in: slab) }
        }
        position += 1
    }
}

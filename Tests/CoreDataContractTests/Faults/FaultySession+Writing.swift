import CoreDataRowStorage
import Foundation

extension FaultySession {
    func savedFaultily(_ changes: StoreChanges) throws -> SavedKeys {
        let changes = changed(changes)
        if fault == .savesNothing {
            var keys = SavedKeys()
            for row in changes.inserts.flatMap(\.rows) where row.key < 0 { keys[row.key] = 1_000_000 - row.key }
            return keys
        }
        do {
            let keys = try writer.save(changes)
            switch fault {
            case .tellsNoKeys: return SavedKeys()
            case .inventsKeys:
                var more = keys
                if changes.inserts.isEmpty { more[-1] = 1 }
                return more
            case .tellsOneKeyForAll: return Self.same(keys, changes)
            default: return keys
            }
        } catch let conflicts as StoreConflicts {
            return try handle(conflicts, changes)
        } catch let missing as MissingDestinations {
            return try handle(missing, changes)
        }
    }

    private static func same(_ keys: SavedKeys, _ changes: StoreChanges) -> SavedKeys {
        let temporary = changes.inserts.flatMap(\.rows).map(\.key).filter { $0 < 0 }
        var same = SavedKeys()
        for key in temporary { same[key] = keys[temporary[0]] }
        same.historyMark = keys.historyMark
        return same
    }

    /// What is to be saved as the fault has it.
    private func changed(_ changes: StoreChanges) -> StoreChanges {
        let copy = StoreChanges()
        (copy.inserts, copy.updates, copy.deletes) = (changes.inserts, changes.updates, changes.deletes)
        (copy.locked, copy.toMany, copy.metadata) = (changes.locked, changes.toMany, changes.metadata)
        (copy.author, copy.contextName) = (changes.author, changes.contextName)
        switch fault {
        case .losesUpdates: copy.updates = []
        case .losesDeletions: copy.deletes = []
        case .losesAnInsertion:
            if let group = copy.inserts.last, group.rows.count > 1 {
                copy.inserts[copy.inserts.count - 1] = group.without([group.rows[group.rows.count - 1].key])
            }
        case .losesAddedMembers: for index in copy.toMany.indices { copy.toMany[index].added = [] }
        case .losesRemovedMembers: for index in copy.toMany.indices { copy.toMany[index].removed = [] }
        case .losesNewOrders: for index in copy.toMany.indices { copy.toMany[index].order = nil }
        case .ignoresLocks: copy.locked = []
        case .writesCheckedRows: (copy.updates, copy.locked) = (copy.updates + copy.locked, [])
        case .losesAuthors: copy.author = nil
        case .writesUnchangedCells:
            for group in copy.updates {
                for row in group.rows {
                    for word in 0..<group.layout.bitWords {
                        row.row.storeBytes(
                            of: .max >> UInt64(64 - min(64, group.layout.cells.count)),
                            toByteOffset: group.layout.changedOffset + word * 8, as: UInt64.self)
                    }
                }
            }
        case .losesEmptyText:
            for group in copy.inserts {
                for (row, cell) in group.rows.flatMap({ row in group.layout.heapCells.map { (row, $0) } })
                where EntityLayout.isPresent(row.row, cell)
                    && HeapRange(bits: group.layout.bits(row.row, cell)).count == 0
                {
                    group.layout.clear(row.row, cell)
                }
            }
        case .changesWhatItIsGiven:
            for row in copy.inserts.flatMap(\.rows) { EntityLayout.setVersion(row.row, 1) }
        default: break
        }
        return copy
    }

    // MARK: Conflicts

    private func handle(_ conflicts: StoreConflicts, _ changes: StoreChanges) throws -> SavedKeys {
        var told = conflicts
        switch fault {
        case .saysNoConflict: return SavedKeys()
        case .savesBesideConflicts:
            let copy = StoreChanges()
            let keys = Set(conflicts.changed.map(\.key) + conflicts.duplicates.map(\.key))
            copy.inserts = changes.inserts.map { $0.without(keys) }.filter { !$0.rows.isEmpty }
            copy.updates = changes.updates.map { $0.without(keys) }.filter { !$0.rows.isEmpty }
            copy.deletes = changes.deletes.map { $0.without(keys) }.filter { !$0.rows.isEmpty }
            _ = try writer.save(copy)
        case .tellsOneConflict:
            told.changed = Array(told.changed.prefix(1))
            told.duplicates = Array(told.duplicates.prefix(1))
        case .hidesPresentRow: for index in told.changed.indices { told.changed[index].current = nil }
        case .hidesExistingRow:
            for index in told.duplicates.indices {
                told.duplicates[index].existing = RowReference(entityNumber: 1, key: 1)
            }
        case .tellsAnotherErrorForConflicts: throw StoreErrors.notOpen
        default: break
        }
        throw told
    }

    private func handle(_ missing: MissingDestinations, _ changes: StoreChanges) throws -> SavedKeys {
        switch fault {
        case .leadsToNoRow: return SavedKeys()
        case .tellsOneDestination: throw MissingDestinations(references: Set(missing.references.prefix(1)))
        case .tellsAnotherErrorForDestinations: throw StoreErrors.notOpen
        case .savesBesideMissingDestinations:
            let copy = StoreChanges()
            copy.updates = changes.updates.filter { group in
                group.rows.allSatisfy { row in
                    group.layout.relationships.allSatisfy { relationship in
                        relationship.cell < 0 || !EntityLayout.isPresent(row.row, relationship.cell)
                            || !missing.references.contains(
                                RowReference(bits: group.layout.bits(row.row, relationship.cell)))
                    }
                }
            }
            _ = try writer.save(copy)
        default: break
        }
        throw missing
    }

    // MARK: Batches

    func runFaultily(_ work: BatchWork) throws -> BatchOutcome {
        var work = work
        switch (fault, work.change) {
        case (.doesNothingInBatches, _): return BatchOutcome(count: 3, rows: [])
        case (.ignoresPredicateOfBatches, .update(var fetch, let values)):
            fetch.predicate = nil
            work.change = .update(fetch, values)
        case (.ignoresPredicateOfBatches, .delete(var fetch)):
            fetch.predicate = nil
            work.change = .delete(fetch)
        case (.ignoresConflictRule, .insert(let rows, let layout, _)):
            work.change = .insert(rows, layout, .keepStored)
        default: break
        }
        do {
            var outcome = try writer.run(work)
            if fault == .miscountsBatches { outcome.count += 1 }
            if fault == .losesRowsOfBatches { outcome.rows = ContiguousArray(outcome.rows.dropLast()) }
            return outcome
        } catch  where fault == .hidesErrorsOfBatches {
            return BatchOutcome(count: 0, rows: [])
        }
    }

    // MARK: History

    func answerFaultily(_ query: HistoryQuery) throws -> HistoryAnswer {
        var query = query
        if fault == .ignoresPlaceInHistory { query.after = .place(.start) }
        if fault == .ignoresLimitOfHistory { query.limit = 0 }
        var answer = HistoryAnswer()
        do {
            answer = try base.history(query)
        } catch  where fault == .hidesErrorsOfHistory {
            return answer
        }
        switch fault {
        case .reversesHistory:
            answer.transactions.reverse()
            answer.changes.reverse()
        case .losesAChange: answer.changes = answer.changes.dropLast()
        case .mistakesKinds: for index in answer.changes.indices { answer.changes[index].kind = .update }
        case .forgetsProperties: for index in answer.changes.indices { answer.changes[index].properties = nil }
        case .knowsEveryMark: answer.unknownMarks = []
        case .forgetsWhatWasPurged: answer.purgedMarks = []
        case .tellsOfACommitTooLate:
            // As if the first of several transactions had been committed only after this answer.
            guard let first = answer.transactions.first?.number, answer.transactions.count > 1 else { break }
            let isLate = engine.memory.withLock { $0.lateTransactions.insert(first).inserted }
            if isLate { answer.transactions.removeFirst() }
        default: break
        }
        return answer
    }
}

extension StoreChanges.Group {
    fileprivate func without(_ keys: Set<Int64>) -> StoreChanges.Group {
        var group = StoreChanges.Group(layout: layout)
        for row in rows where !keys.contains(row.key) { group.append(row) }
        return group
    }
}

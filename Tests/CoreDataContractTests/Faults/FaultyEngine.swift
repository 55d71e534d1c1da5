import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// An engine that does all that another one does, but for one fault.
final class FaultyEngine: StoreEngine, @unchecked Sendable {
    let base: any StoreEngine
    /// nil for none.
    let fault: Fault?
    /// What some faults remember.
    let memory = Locked(Memory())

    struct Memory {
        var reserved: [Int: KeyRuns] = [:]
        var rows: [RowReference: RowBuffer.Row] = [:]
        var lateTransactions: Set<Int64> = []
        var isRetired = false
        var isRenewed = false
    }

    init(_ base: any StoreEngine, _ fault: Fault?) {
        self.base = base
        self.fault = fault
    }

    var abilities: StoreAbilities { base.abilities }

    // MARK: Sessions

    func session() throws -> any StoreSession {
        if fault == .hidesCommits, let snapshot = try base.snapshot() {
            return FaultySession(self, reading: snapshot, writing: try base.session())
        }
        return FaultySession(self, try base.session())
    }

    func snapshot() throws -> (any StoreSession)? {
        switch fault {
        case .hasNoSnapshots: return nil
        case .showsThePresentInSnapshots: return FaultySession(self, try base.session())
        default:
            return try base.snapshot().map { snapshot in
                fault == .writesToSnapshots
                    ? FaultySession(self, reading: snapshot, writing: try base.session())
                    : FaultySession(self, snapshot)
            }
        }
    }

    func exclusiveSession() throws -> any StoreSession {
        FaultySession(
            self, fault == .letsOthersWrite ? try base.session() : try base.exclusiveSession(), isExclusive: true)
    }

    // MARK: Keys

    func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
        switch fault {
        case .reservesAKeyTwice:
            let keys = try base.reserveKeys(count: count, of: layout)
            return memory.withLock { memory in
                defer { memory.reserved[layout.root.number] = keys }
                return memory.reserved[layout.root.number] ?? keys
            }
        case .reservesOneTooFew: return try base.reserveKeys(count: max(count - 1, 1), of: layout)
        case .reservesNothing: return KeyRuns(first: 1, count: count)
        default: return try base.reserveKeys(count: count, of: layout)
        }
    }

    // MARK: Copies

    func retiring<Result>(_ copy: () throws -> Result) throws -> Result {
        switch fault {
        case .savesAfterRetiring: return try copy()
        case .retiresAfterFailure:
            memory.withLock { $0.isRetired = true }
            return try base.retiring(copy)
        default: return try base.retiring(copy)
        }
    }
}

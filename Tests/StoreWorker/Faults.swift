import CoreData
import Foundation

private func options(_ journal: String) -> [AnyHashable: Any] {
    switch journal {
    case "delete": [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
    // Every commit is moved from the log to the database at once.
    case "checkpoint": [NSSQLitePragmasOption: ["wal_autocheckpoint": "1"]]
    default: [:]
    }
}

/// Lets every write of a save go wrong in turn, and checks after each that nothing is lost: the context still has its
/// changes, and saves them once the disk works again.
struct Faults {
    private let context: NSManagedObjectContext
    private let rounds: Rounds

    init(_ url: URL, journal: String) throws {
        FaultyDisk.install()
        context = try Ledger.context(url, options: options(journal))
        rounds = Rounds(context: context)
    }

    /// What a context has to save.
    private struct Pending: Equatable {
        var inserted: Int
        var updated: Int
        var deleted: Int

        init(_ context: NSManagedObjectContext) {
            inserted = context.insertedObjects.count
            updated = context.updatedObjects.count
            deleted = context.deletedObjects.count
        }
    }

    func run() throws {
        try context.performAndWait {
            try Ledger.prepare(context)
            let journal = try Ledger.all("Journal", context)[0]
            var number = 0
            var failures = 0
            var lastOperations = 1
            while number < lastOperations + 3 {
                number += 1
                try rounds.change(number, journal)
                context.processPendingChanges()
                let before = Pending(context)
                FaultyDisk.arm(at: number, .failure(number % 2 == 0 ? 13 : 0))
                do {
                    try context.save()
                } catch let error as NSError {
                    failures += 1
                    report("error \(error.code)")
                    if Pending(context) != before { report("lost changes at \(number)") }
                    FaultyDisk.disarm()
                    try context.save()
                }
                FaultyDisk.disarm()
                lastOperations = max(lastOperations, FaultyDisk.operations)
            }
            report("done \(number) \(failures)")
        }
    }
}

/// Makes a round and ends the process at one of the writes of its save.
func crash(_ url: URL, journal: String, at number: Int) throws {
    FaultyDisk.install()
    let context = try Ledger.context(url, options: options(journal))
    try context.performAndWait {
        try Ledger.prepare(context)
        let ledger = try Ledger.all("Journal", context)[0]
        let round = Ledger.integer(ledger, "lastRound") + 1
        report("begin \(round)")
        try Rounds(context: context).change(round, ledger)
        FaultyDisk.arm(at: number, .crash)
        try context.save()
        FaultyDisk.disarm()
        report("saved \(round)")
        report("done \(FaultyDisk.operations)")
    }
}

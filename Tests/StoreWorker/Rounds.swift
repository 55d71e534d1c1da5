import CoreData
import Foundation

/// Rounds of changes of every kind, numbered through the life of the store. Each is one save, so that whoever audits the
/// file knows what must be in it: all of the rounds up to the journal's last, nothing of the next.
struct Rounds {
    private let context: NSManagedObjectContext

    /// - Parameter options: `history` to record history.
    init(_ url: URL, _ options: [String]) throws {
        context = try Ledger.context(
            url, options: [NSPersistentHistoryTrackingKey: options.contains("history")])
    }

    init(context: NSManagedObjectContext) { self.context = context }

    func run() throws {
        try context.performAndWait {
            try Ledger.prepare(context)
            report("ready")
            let journal = try Ledger.all("Journal", context)[0]
            while true {
                let round = Ledger.integer(journal, "lastRound") + 1
                report("begin \(round)")
                try change(round, journal)
                try context.save()
                report("saved \(round)")
                if round % 3 == 0 { try trace(round) }
                if round % 10 == 0 { context.refreshAllObjects() }
            }
        }
    }

    /// Makes one round's changes without saving them.
    func change(_ round: Int, _ journal: NSManagedObject) throws {
        let accounts = try Ledger.all("Account", context, sortedBy: "name")
        let labels = try Ledger.all("Label", context, sortedBy: "word")
        for position in 0..<Ledger.entriesPerRound {
            let isLarge = position == 0 && round % 3 == 0
            let account = accounts[position % accounts.count]
            let entry = Ledger.insert(
                "Entry",
                [
                    "round": round, "position": position, "text": "entry \(position) of round \(round)",
                    "blob": Data(repeating: UInt8(round % 256), count: isLarge ? 150_000 : 200), "account": account,
                ], context)
            entry.setValue(Set([labels[position % 3], labels[(position + 1) % 3]]), forKey: "labels")
            account.setValue(Ledger.integer(account, "balance") + 1, forKey: "balance")
        }
        for old in try Ledger.all("Entry", context, where: "round <= \(round - Ledger.kept)") { context.delete(old) }
        let page = Ledger.insert("Page", ["round": round], context)
        let pages = NSMutableOrderedSet(orderedSet: journal.value(forKey: "pages") as? NSOrderedSet ?? NSOrderedSet())
        pages.add(page)
        while pages.count > Ledger.pages {
            if let first = pages.object(at: 0) as? NSManagedObject { context.delete(first) }
            pages.removeObject(at: 0)
        }
        journal.setValue(pages, forKey: "pages")
        journal.setValue(round, forKey: "lastRound")
    }

    private func trace(_ round: Int) throws {
        let rows = (0..<Ledger.tracesPerRound).map { ["round": round, "number": $0] as [String: Any] }
        _ = try context.execute(NSBatchInsertRequest(entityName: "Trace", objects: rows))
        let old = NSFetchRequest<NSManagedObject>(entityName: "Trace")
        old.predicate = NSPredicate(format: "round < %d", round - 6)
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: old))
    }
}

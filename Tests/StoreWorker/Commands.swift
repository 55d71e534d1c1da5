import CoreData
import Foundation

/// Makes stores in a folder until killed: a new one must be whole or not be there.
func createStores(in folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    report("ready")
    var number = 0
    while true {
        report("begin \(number)")
        let context = try Ledger.context(folder.appendingPathComponent("\(number).sqlite"))
        try context.performAndWait { try Ledger.prepare(context) }
        report("saved \(number)")
        number += 1
    }
}

/// Replaces a store by copies of two others in turn until killed.
func replaceStore(_ url: URL, with sources: [String]) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Ledger.model())
    report("ready")
    var number = 0
    while true {
        let source = URL(fileURLWithPath: sources[number % sources.count])
        try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: source, ofType: NSSQLiteStoreType)
        number += 1
        report("saved \(number)")
    }
}

/// Moves 1 from A to B so many times, each time in a save of its own. A save that finds a row changed by somebody else
/// begins anew.
func transfer(_ url: URL, count: Int) throws {
    let context = try Ledger.context(url)
    report("ready")
    var conflicts = 0
    for number in 0..<count {
        while true {
            do {
                try context.performAndWait {
                    let accounts = try Ledger.all("Account", context, sortedBy: "name")
                    accounts[0].setValue(Ledger.integer(accounts[0], "balance") - 1, forKey: "balance")
                    accounts[1].setValue(Ledger.integer(accounts[1], "balance") + 1, forKey: "balance")
                    Ledger.insert("Entry", ["position": number, "account": accounts[1]], context)
                    try context.save()
                }
                break
            } catch let error as NSError where error.code == NSManagedObjectMergeError {
                conflicts += 1
                context.performAndWait { context.reset() }
            }
        }
    }
    report("done \(conflicts)")
}

/// Fetches both accounts again and again: whatever other processes do, every fetch sees one moment.
func watch(_ url: URL, until flag: String) throws {
    let context = try Ledger.context(url)
    report("ready")
    var looks = 0
    while !FileManager.default.fileExists(atPath: flag) {
        try context.performAndWait {
            context.reset()
            let total = try Ledger.all("Account", context).map { Ledger.integer($0, "balance") }.reduce(0, +)
            if total != 0 { report("wrong \(total)") }
        }
        looks += 1
    }
    report("done \(looks)")
}

func saveWhenPossible(_ url: URL) throws {
    let context = try Ledger.context(url, options: [NSPersistentStoreTimeoutOption: 0.2])
    context.performAndWait {
        Ledger.insert("Label", ["word": "late"], context)
        while true {
            do {
                try context.save()
                return report("done")
            } catch let error as NSError {
                report("error \(error.code) \(context.insertedObjects.count)")
            }
        }
    }
}

/// Saves more than the process may write to one file, then less.
func exceedLimit(_ url: URL) throws {
    let context = try Ledger.context(url)
    try context.performAndWait {
        try Ledger.prepare(context)
        signal(SIGXFSZ, SIG_IGN)
        setFileSizeLimit(200_000)
        for number in 0..<200 {
            Ledger.insert("Entry", ["text": String(repeating: "x", count: 10_000 + number)], context)
        }
        do {
            try context.save()
            report("saved")
        } catch let error as NSError {
            report("error \(error.code) \(context.insertedObjects.count)")
        }
        setFileSizeLimit(1 << 40)
        try context.save()
        report("done \(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Entry")))")
    }
}

private func setFileSizeLimit(_ bytes: UInt) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = rlim_t(min(UInt(limit.rlim_max), bytes))
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
}

/// Looks into a store in a folder it may not write to, then tries to write there.
func peek(_ url: URL) throws {
    // The superuser may write everywhere.
    if geteuid() == 0 { setuid(65534) }
    do {
        let reader = try Ledger.context(url, options: [NSReadOnlyPersistentStoreOption: true])
        try reader.performAndWait {
            report("read \(try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Label")))")
        }
    } catch let error as NSError {
        report("unread \(error.code) \(error.localizedRecoverySuggestion ?? "")")
    }
    do {
        let writer = try Ledger.context(url)
        writer.performAndWait {
            Ledger.insert("Label", [:], writer)
            do {
                try writer.save()
                report("saved")
            } catch let error as NSError {
                report("error \(error.code) \(writer.insertedObjects.count)")
            }
        }
    } catch let error as NSError {
        report("error \(error.code) 1")
    }
    do {
        _ = try Ledger.context(url.deletingLastPathComponent().appendingPathComponent("New.sqlite"))
        report("made")
    } catch let error as NSError {
        report("error \(error.code) 1")
    }
    report("done")
}

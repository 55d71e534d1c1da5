import CoreData
import Foundation
import Synchronization

/// Reads relationships on several threads while no file descriptor is left, and again when there are some. Reports how many reads
/// gave what is stored, how many gave something else, and how many contexts knew of an error.
func readWithoutDescriptors(_ url: URL) throws {
    let first = try Ledger.context(url)
    try first.performAndWait {
        for number in 0..<200 {
            let account = Ledger.insert("Account", ["name": "\(number)", "balance": number], first)
            for position in 0..<3 {
                Ledger.insert("Entry", ["position": position], first).setValue(account, forKey: "account")
            }
        }
        try first.save()
    }
    let readers = try (0..<8).map { _ in try Reader(first.persistentStoreCoordinator!) }
    // Dispatch opens what its timers need at their first use, and stops the program where it cannot.
    let isReady = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now()) { isReady.signal() }
    isReady.wait()
    // As many as are open now: what a busy server runs into.
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var low = rlimit(rlim_cur: rlim_t(open), rlim_max: limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
    let group = DispatchGroup()
    for reader in readers {
        group.enter()
        Thread {
            reader.read()
            group.leave()
        }
        .start()
    }
    group.wait()
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    report("right \(readers.map(\.right).reduce(0, +))")
    report("placeholders \(readers.map(\.wrong).reduce(0, +))")
    report("silent \(readers.count { $0.wrong > 0 && !$0.knows })")
    for reader in readers { reader.read() }
    report("placeholders \(readers.map(\.wrong).reduce(0, +))")
    report("done")
}

/// A context that reads the entries of all accounts.
private final class Reader: @unchecked Sendable {
    private let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    private let accounts: [NSManagedObject]
    /// Of the last reading; looked at when that has ended.
    private(set) var right = 0
    private(set) var wrong = 0
    private(set) var knows = false

    init(_ coordinator: NSPersistentStoreCoordinator) throws {
        context.persistentStoreCoordinator = coordinator
        accounts = try context.performAndWait { [context] in
            try Ledger.all("Account", context)
        }
    }

    func read() {
        context.performAndWait {
            context.takeReadError()
            (right, wrong) = (0, 0)
            for account in accounts {
                if (account.value(forKey: "entries") as? NSSet)?.count == 3 { right += 1 } else { wrong += 1 }
            }
            knows = context.readError != nil
        }
    }
}

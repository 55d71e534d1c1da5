import Foundation
import MagicalRecord

/// How an increment is written, and in which shape of stack.
struct Incrementing {
    enum Way: String {
        /// The transaction begins before the balance is read.
        case exclusive
        /// Increments may be lost.
        case plain
        /// The stack tries again.
        case retry
        /// A plain save that the program tries again when it is refused.
        case loop
    }

    let way: Way
    let shape: MagicalRecord.Shape

    init(_ words: some Collection<String>) {
        way = words.first.flatMap(Way.init) ?? .exclusive
        shape =
            switch words.dropFirst().first {
            case "mainOnly": .mainOnly
            case "parentChild": .parentChild
            case "siblings": .siblings
            case "server": .server
            default: .rootSaving
            }
    }
}

/// Adds 1 to the balance of A so many times, each time in a write of its own that reads the balance first.
func increment(_ url: URL, count: Int, _ incrementing: Incrementing) throws {
    let way = incrementing.way
    let stack = try MagicalRecord.Stack(
        [.sqlite(at: url)], shape: incrementing.shape, model: .model(Ledger.model()),
        mergePolicy: way == .plain ? .mergeByPropertyObjectTrump : .error)
    report("ready")
    var tries = 0
    let work: (NSManagedObjectContext) throws -> Void = { context in
        tries += 1
        for account in try Ledger.all("Account", context, where: "name == 'A'") {
            account.setValue(Ledger.integer(account, "balance") + 1, forKey: "balance")
        }
    }
    for _ in 0..<count {
        switch way {
        case .exclusive: try stack.saveAndWait(isolation: .exclusive, work)
        case .plain: try stack.saveAndWait(work)
        case .retry: try stack.saveAndWait(onConflict: .retry(times: 10_000), work)
        case .loop:
            while true {
                do {
                    try stack.saveAndWait(work)
                    break
                } catch let error as NSError where error.code == NSManagedObjectMergeError {}
            }
        }
    }
    try stack.tearDownAndWait()
    report("done \(tries)")
}

import Foundation
import MagicalRecord

/// Adds 1 to the balance of A so many times, each time in a write of its own that reads the balance first, and never twice.
func increment(_ url: URL, count: Int, exclusive: Bool) throws {
    let stack = try MagicalRecord.Stack(
        [.sqlite(at: url)], model: .model(Ledger.model()),
        mergePolicy: exclusive ? .error : .mergeByPropertyObjectTrump)
    report("ready")
    var tries = 0
    for _ in 0..<count {
        try stack.writeAndWait(exclusive: exclusive) { context in
            tries += 1
            for account in try Ledger.all("Account", context, where: "name == 'A'") {
                account.setValue(Ledger.integer(account, "balance") + 1, forKey: "balance")
            }
        }
    }
    try stack.tearDownAndWait()
    report("done \(tries)")
}

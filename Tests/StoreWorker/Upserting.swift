import CoreData
import Foundation

/// Inserts an account under a name that may be taken, with an entry, so many times, each time in a save of its own, and
/// leaves it to a merge policy what becomes of the two of them.
func upsert(_ url: URL, policy: String, count: Int) throws {
    let context = try Ledger.context(url)
    context.mergePolicy = NSMergePolicy(
        merge: UInt(policy).flatMap(NSMergePolicyType.init(rawValue:)) ?? .errorMergePolicyType)
    report("ready")
    try context.performAndWait {
        for number in 0..<count {
            let account = Ledger.insert("Account", ["name": "n\(number % 10)", "balance": number], context)
            Ledger.insert("Entry", ["round": -1, "position": number, "account": account], context)
            try context.save()
            // By turns with and without knowing the rows that are there.
            if number % 3 == 0 { context.reset() }
        }
    }
    report("done \(count)")
}

/// Adds an account.
func addAccount(_ url: URL, _ name: String, balance: Int) throws {
    let context = try Ledger.context(url)
    try context.performAndWait {
        Ledger.insert("Account", ["name": name, "balance": balance], context)
        try context.save()
    }
    report("done 1")
}

/// Gives an account another name.
func renameAccount(_ url: URL, _ name: String, to new: String) throws {
    let context = try Ledger.context(url)
    try context.performAndWait {
        for account in try Ledger.all("Account", context, where: "name == '\(name)'") {
            account.setValue(new, forKey: "name")
        }
        try context.save()
    }
    report("done 1")
}

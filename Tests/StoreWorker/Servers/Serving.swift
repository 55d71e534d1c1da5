import Foundation
import MagicalRecord

/// A server process: threads that move amounts between accounts, and one that reads the history of all processes as a
/// registered reader.
///
/// Transfers are written to a file after their save has returned, and the keys of those that the reader has seen to another.
final class Serving: @unchecked Sendable {
    static let accounts = 20
    private static let threads = 3
    private let name: String
    private let seconds: Double
    private let flag: String
    private let ledger: Lines
    private let seen: Lines
    private let stack: MagicalRecord.Stack

    /// - Parameter words: The name of the process, the seconds, the file of its transfers, that of the ones it has seen, and a
    ///   file that appears when all processes have stopped writing. The process "maker" makes the accounts.
    init(_ url: URL, _ words: [String]) throws {
        name = words[0]
        seconds = Double(words[1]) ?? 1
        ledger = try Lines(words[2])
        seen = try Lines(words[3])
        flag = words[4]
        // The worker is built for platforms without servers too.
        let store = MagicalRecord.Store(
            type: NSPersistentStoreCoordinator.type(ofStoreAt: url), location: .url(url),
            options: ["NSPersistentStoreConnectionPoolMaxSize": 6]
        ).mergingRemoteChanges()
        stack = try MagicalRecord.Stack([store], shape: .server, model: .model(Self.model()))
    }

    private static func model() -> NSManagedObjectModel {
        let account = Ledger.entity("Account"), transfer = Ledger.entity("Transfer")
        account.properties = [
            Ledger.attribute("number", .integer64AttributeType), Ledger.attribute("balance", .integer64AttributeType),
        ]
        transfer.properties = [
            Ledger.attribute("token", .stringAttributeType), Ledger.attribute("amount", .integer64AttributeType),
        ]
        Ledger.relate(account, "sent", transfer, "source", toMany: false)
        Ledger.relate(account, "received", transfer, "target", toMany: false)
        let model = NSManagedObjectModel()
        model.entities = [account, transfer]
        return model
    }

    func run() throws {
        if name == "maker" {
            try stack.saveAndWait { context in
                for number in 0..<Self.accounts { Ledger.insert("Account", ["number": number, "balance": 0], context) }
            }
            return report("done 0")
        }
        let retention = HistoryRetention(of: stack.stores[0])
        try retention.register(name)
        report("ready")
        let end = Date(timeIntervalSinceNow: seconds)
        let group = DispatchGroup()
        for thread in 0..<Self.threads {
            group.enter()
            Thread.detachNewThread { [self] in
                defer { group.leave() }
                do { try transfer(until: end, "\(name).\(thread)") } catch { fail(error) }
            }
        }
        var purges = Date(timeIntervalSinceNow: 1)
        while group.wait(timeout: .now() + 0.05) == .timedOut {
            _ = try read(retention)
            if name == "p0", purges < Date() {
                try retention.purge()
                purges = Date(timeIntervalSinceNow: 1)
                report("memory \(Self.memory())")
            }
        }
        report("stopped")
        while !FileManager.default.fileExists(atPath: flag) { Thread.sleep(forTimeInterval: 0.01) }
        // Nothing is written any more: what is committed is reported at once, but for other transactions of the server.
        var quiet = 0
        while quiet < 20 {
            quiet = try read(retention) > 0 ? 0 : quiet + 1
            Thread.sleep(forTimeInterval: 0.05)
        }
        try stack.tearDownAndWait()
        report("done \(seen.count)")
    }

    private func fail(_ error: any Error) {
        report("failed \(error)")
        exit(1)
    }

    private func transfer(until end: Date, _ prefix: String) throws {
        var number = 0
        while Date() < end {
            let pair = (0..<Self.accounts).shuffled().prefix(2).map { $0 }
            let amount = Int.random(in: 1...100)
            let token = "\(prefix)-\(number)"
            number += 1
            let key = try stack.saveAndWait(onConflict: .retry(times: 10_000)) { context -> NSManagedObject in
                let transfer = Ledger.insert("Transfer", ["token": token, "amount": amount], context)
                for account in try Ledger.all("Account", context, where: "number IN {\(pair[0]), \(pair[1])}") {
                    let isSource = Ledger.integer(account, "number") == pair[0]
                    account.setValue(
                        Ledger.integer(account, "balance") + (isSource ? -amount : amount), forKey: "balance")
                    transfer.setValue(account, forKey: isSource ? "source" : "target")
                }
                return transfer
            }.objectID.uriRepresentation().lastPathComponent
            try ledger.add("\(token) \(pair[0]) \(pair[1]) \(amount) \(key)")
        }
    }

    /// Reads what is new; returns the number of transactions.
    private func read(_ retention: HistoryRetention) throws -> Int {
        let context = stack.newContext()
        let token = try retention.register(name)
        return try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            for change in transactions.flatMap({ $0.changes ?? [] }) where change.changeType == .insert {
                guard change.changedObjectID.entity.name == "Transfer" else { continue }
                try seen.add(change.changedObjectID.uriRepresentation().lastPathComponent)
            }
            if let last = transactions.last { try retention.advance(name, to: last.token) }
            return transactions.count
        }
    }

    /// Returns the kilobytes of memory that the process uses.
    private static func memory() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(getpagesize()) / 1024
    }

    /// A file that lines are added to, by several threads.
    private final class Lines {
        private let handle: FileHandle
        private let lock = NSLock()
        private var number = 0

        init(_ path: String) throws {
            try Data().write(to: URL(fileURLWithPath: path))
            handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        }

        var count: Int { lock.withLock { number } }

        func add(_ line: String) throws {
            try lock.withLock {
                number += 1
                try handle.write(contentsOf: Data((line + "\n").utf8))
            }
        }
    }
}

import CoreData
import Foundation

/// Adds 1 to two of some counters with every save, which also inserts a token; conflicting saves are tried again.
///
/// A token is written to a file after its save has returned: the ledger does not depend on the database.
struct Counting {
    static let counters = 4
    private let name: String
    private let count: Int
    private let ledger: FileHandle
    private let context: NSManagedObjectContext

    /// - Parameter words: The name of the process, the number of saves, the ledger's file. The process "maker" makes the counters.
    init(_ url: URL, _ words: [String]) throws {
        name = words[0]
        count = Int(words[1]) ?? 1
        let file = URL(fileURLWithPath: words[2])
        try Data().write(to: file)
        ledger = try FileHandle(forWritingTo: file)
        context = try Servers.context(url, Self.model())
    }

    private static func model() -> NSManagedObjectModel {
        let counter = Ledger.entity("Counter"), token = Ledger.entity("Token")
        counter.properties = [
            Ledger.attribute("number", .integer64AttributeType), Ledger.attribute("value", .integer64AttributeType),
        ]
        token.properties = [Ledger.attribute("text", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [counter, token]
        return model
    }

    func run() throws {
        try context.performAndWait {
            if name == "maker" {
                for number in 0..<Self.counters { Ledger.insert("Counter", ["number": number, "value": 0], context) }
                try context.save()
            }
            report("ready")
            var conflicts = 0
            for number in 0..<count {
                let numbers = (0..<Self.counters).shuffled().prefix(2)
                while try !save("\(name)-\(number)", numbers) { conflicts += 1 }
                let line = "\(name)-\(number) \(numbers.map(String.init).joined(separator: " "))\n"
                try ledger.write(contentsOf: Data(line.utf8))
            }
            report("done \(conflicts)")
        }
    }

    /// Returns false after a conflict.
    private func save(_ token: String, _ numbers: some Collection<Int>) throws -> Bool {
        context.reset()
        Ledger.insert("Token", ["text": token], context)
        for counter in try Ledger.all("Counter", context) where numbers.contains(Ledger.integer(counter, "number")) {
            counter.setValue(Ledger.integer(counter, "value") + 1, forKey: "value")
        }
        do {
            try context.save()
            return true
        } catch let error as NSError where error.code == NSManagedObjectMergeError {
            return false
        }
    }
}

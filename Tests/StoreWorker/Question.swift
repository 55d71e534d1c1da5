import CoreData
import Foundation

/// Something that is read of a store, by each way there is.
struct Question: Sendable {
    let name: String
    let ask: @Sendable (NSManagedObjectContext) throws -> String

    private init(_ name: String, _ ask: @escaping @Sendable (NSManagedObjectContext) throws -> String) {
        self.name = name
        self.ask = ask
    }

    private static func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "nil" }

    private static func accounts(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try Ledger.all("Account", context, sortedBy: "name")
    }

    private static func entries(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try Ledger.all("Entry", context, sortedBy: "text")
    }

    private static func values(_ objects: some Sequence<NSManagedObject>, _ key: String) -> [String] {
        objects.map { text($0.value(forKey: key)) }
    }

    static let all: [Question] = [
        Question("a fetch") { values(try accounts($0), "name").joined(separator: " ") },
        Question("a count") { text(try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Trace"))) },
        Question("a scan") {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Trace")
            request.predicate = NSPredicate(format: "number IN {3, 800, 1999}")
            return values(try $0.fetch(request), "number").joined(separator: " ")
        },
        Question("a batch") {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Trace")
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            (request.fetchBatchSize, request.fetchLimit) = (20, 100)
            return values(try $0.fetch(request), "number").joined(separator: " ")
        },
        Question("a sum") {
            let request = NSFetchRequest<NSDictionary>(entityName: "Account")
            request.resultType = .dictionaryResultType
            let sum = NSExpressionDescription()
            sum.name = "sum"
            sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "balance")])
            sum.expressionResultType = .integer64AttributeType
            request.propertiesToFetch = [sum]
            return text(try $0.fetch(request).first?["sum"])
        },
        Question("to-many relationships") {
            try accounts($0).map {
                values($0.value(forKey: "entries") as? Set<NSManagedObject> ?? [], "text").sorted()
                    .joined(separator: " ")
            }
            .joined(separator: "; ")
        },
        Question("counts of to-many relationships") {
            try accounts($0).map { text($0.value(forKeyPath: "entries.@count")) }.joined(separator: " ")
        },
        Question("ordered relationships") {
            try Ledger.all("Journal", $0).map {
                ($0.value(forKey: "pages") as? NSOrderedSet ?? []).map {
                    text(($0 as! NSManagedObject).value(forKey: "round"))
                }
                .joined(separator: " ")
            }
            .joined(separator: "; ")
        },
        Question("many-to-many relationships") {
            try entries($0).map {
                values($0.value(forKey: "labels") as? Set<NSManagedObject> ?? [], "word").sorted().joined(
                    separator: " ")
            }
            .joined(separator: "; ")
        },
        Question("to-one relationships") {
            try entries($0).map { text($0.value(forKeyPath: "account.name")) }.joined(separator: " ")
        },
        Question("values in files of their own") {
            try entries($0).map { text(($0.value(forKey: "blob") as? Data)?.count) }.joined(separator: " ")
        },
        Question("prefetched relationships") {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.relationshipKeyPathsForPrefetching = ["entries.labels"]
            return try $0.fetch(request).map {
                let entries = $0.value(forKey: "entries") as? Set<NSManagedObject> ?? []
                return entries.map { text(($0.value(forKey: "labels") as? NSSet)?.count) }.sorted()
                    .joined(separator: " ")
            }
            .joined(separator: "; ")
        },
        Question("faults") { context in
            let ids = try accounts(context).map(\.objectID)
            context.refreshAllObjects()
            return values(ids.map { context.object(with: $0) }, "balance").joined(separator: " ")
        },
        Question("existing objects") { context in
            let ids = try accounts(context).map(\.objectID)
            context.refreshAllObjects()
            return values(try ids.map { try context.existingObject(with: $0) }, "entryCount").joined(separator: " ")
        },
        Question("a refresh") { context in
            let accounts = try accounts(context)
            for account in accounts { context.refresh(account, mergeChanges: true) }
            return values(accounts, "name").joined(separator: " ")
        },
        Question("a child") { context in
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            return try child.performAndWait { () throws in
                let result = try entries(child).map { text($0.value(forKeyPath: "account.name")) }
                if let error = child.readError { throw error }
                return result.joined(separator: " ")
            }
        },
        Question("history") {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try $0.execute(request) as? NSPersistentHistoryResult
            return text((result?.result as? [NSPersistentHistoryTransaction])?.map { $0.changes?.count ?? -1 })
        },
    ]
}

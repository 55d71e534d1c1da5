import Foundation

/// The result of a batch insert.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, as `resultType` says.
    public final let result: Any?
    /// What `result` is.
    public final let resultType: NSBatchInsertRequestResultType

    init(result: Any?, resultType: NSBatchInsertRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}

/// The result of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, as `resultType` says.
    public final let result: Any?
    /// What `result` is.
    public final let resultType: NSBatchUpdateRequestResultType

    init(result: Any?, resultType: NSBatchUpdateRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}

/// The result of a batch delete.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, as `resultType` says.
    public final let result: Any?
    /// What `result` is.
    public final let resultType: NSBatchDeleteRequestResultType

    init(result: Any?, resultType: NSBatchDeleteRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}

extension NSPersistentStoreRequest {
    /// Name of the entity a batch request is for; nil for other requests.
    final var batchEntityName: String? {
        switch self {
        case let insert as NSBatchInsertRequest: insert.entityName
        case let update as NSBatchUpdateRequest: update.entityName
        case let delete as NSBatchDeleteRequest: delete.fetchRequest.entityName
        default: nil
        }
    }
}

/// One result for a batch request that went to several stores.
enum BatchTotal {
    /// Nil where there is nothing to add up.
    static func of(_ results: [NSPersistentStoreResult]) -> NSPersistentStoreResult? {
        guard results.count > 1 else { return nil }
        if let updates = results as? [NSBatchUpdateResult] {
            return NSBatchUpdateResult(result: total(updates.map(\.result)), resultType: updates[0].resultType)
        }
        if let deletions = results as? [NSBatchDeleteResult] {
            return NSBatchDeleteResult(result: total(deletions.map(\.result)), resultType: deletions[0].resultType)
        }
        return nil
    }

    private static func total(_ results: [Any?]) -> Any? {
        if let lists = results as? [[NSManagedObjectID]] { return Array(lists.joined()) }
        if let flags = results as? [Bool] { return !flags.contains(false) }
        return (results as? [Int])?.reduce(0, +)
    }
}

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

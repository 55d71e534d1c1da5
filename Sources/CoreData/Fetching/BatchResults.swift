import Foundation

/// The result of a batch insert.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, as `resultType` says.
    open internal(set) var result: Any?
    /// What `result` is.
    open internal(set) var resultType: NSBatchInsertRequestResultType = .statusOnly

    convenience init(result: Any?, resultType: NSBatchInsertRequestResultType) {
        self.init()
        self.result = result
        self.resultType = resultType
    }

    /// A result without content.
    public override init() { super.init() }
}

/// The result of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, as `resultType` says.
    open internal(set) var result: Any?
    /// What `result` is.
    open internal(set) var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType

    convenience init(result: Any?, resultType: NSBatchUpdateRequestResultType) {
        self.init()
        self.result = result
        self.resultType = resultType
    }

    /// A result without content.
    public override init() { super.init() }
}

/// The result of a batch delete.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, as `resultType` says.
    open internal(set) var result: Any?
    /// What `result` is.
    open internal(set) var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly

    convenience init(result: Any?, resultType: NSBatchDeleteRequestResultType) {
        self.init()
        self.result = result
        self.resultType = resultType
    }

    /// A result without content.
    public override init() { super.init() }
}

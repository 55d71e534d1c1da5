import Foundation

/// The result of a batch insert.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// The result: a `Bool`, `[NSManagedObjectID]` or `Int`, depending on `resultType`.
    open internal(set) var result: Any?
    /// The kind of `result`.
    open internal(set) var resultType: NSBatchInsertRequestResultType = .statusOnly

    convenience init(result: Any?, resultType: NSBatchInsertRequestResultType) {
        self.init()
        self.result = result
        self.resultType = resultType
    }

    /// Creates an empty result.
    public override init() { super.init() }
}

/// The result of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// The result: a `Bool`, `[NSManagedObjectID]` or `Int`, depending on `resultType`.
    open internal(set) var result: Any?
    /// The kind of `result`.
    open internal(set) var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType

    convenience init(result: Any?, resultType: NSBatchUpdateRequestResultType) {
        self.init()
        self.result = result
        self.resultType = resultType
    }

    /// Creates an empty result.
    public override init() { super.init() }
}

/// The result of a batch delete.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// The result: a `Bool`, `[NSManagedObjectID]` or `Int`, depending on `resultType`.
    open internal(set) var result: Any?
    /// The kind of `result`.
    open internal(set) var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly

    convenience init(result: Any?, resultType: NSBatchDeleteRequestResultType) {
        self.init()
        self.result = result
        self.resultType = resultType
    }

    /// Creates an empty result.
    public override init() { super.init() }
}

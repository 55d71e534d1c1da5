import CoreData

// Deletions and batch changes with a closure over typed columns as their condition.

extension MagicalRecord.ManagedObject {
    /// Deletes the objects that fulfil a condition made by a closure over typed columns, in the context only.
    ///
    /// - Returns: how many were deleted.
    @discardableResult
    public static func deleteAll<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> Int where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).deleteAll(in: context)
    }

    /// Changes all objects that fulfil a condition made by a closure over typed columns directly in the store. See
    /// ``MagicalRecord/Query/batchUpdate(_:_:in:)``.
    @discardableResult
    public static func batchUpdate<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, _ change: MagicalRecord.BatchChange<Self>,
        _ more: MagicalRecord.BatchChange<Self>..., in context: NSManagedObjectContext? = nil
    ) throws -> Int where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).batchUpdate([change] + more, in: context)
    }

    /// Deletes all objects that fulfil a condition made by a closure over typed columns directly in the store. See
    /// ``MagicalRecord/Query/batchDelete(in:)``.
    @discardableResult
    public static func batchDelete<Made: MagicalRecord.ConditionConvertible>(
        where condition: (MagicalRecord.Columns<Self>) -> Made, in context: NSManagedObjectContext? = nil
    ) throws -> Int where Made.Root == Self {
        try query(MagicalRecord.Condition(condition)).batchDelete(in: context)
    }
}

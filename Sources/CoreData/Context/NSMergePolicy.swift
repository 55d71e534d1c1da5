import CoreDataRowStorage
import Foundation

/// The standard rules for resolving conflicts. Raw values are Apple's.
public enum NSMergePolicyType: UInt, Sendable {
    /// Fails the save.
    case errorMergePolicyType = 0
    /// Merges by property; the store wins where both changed.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Merges by property; the object in memory wins where both changed.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// Overwrites the whole row with the object in memory.
    case overwriteMergePolicyType = 3
    /// Discards the changes in memory.
    case rollbackMergePolicyType = 4
}

/// The policy by which a context resolves conflicts between its changes and those saved by others. Can be subclassed.
///
/// The standard policies are stateless and may be used on any thread; `resolve` runs on the context's queue.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// The rule that the policy follows, or a subclass starts from.
    open internal(set) var mergeType: NSMergePolicyType

    /// Creates a policy that follows a rule.
    public init(merge ty: NSMergePolicyType) {
        mergeType = ty
        super.init()
    }

    /// Creates the policy that reports conflicts as errors, for code written against Objective-C's `init`.
    public convenience override init() { self.init(merge: .errorMergePolicyType) }

    /// The policy that fails the save with `NSManagedObjectMergeError` or `NSManagedObjectConstraintMergeError`. The default.
    open class var error: NSMergePolicy { errorPolicy }
    /// The policy that merges by property; the store wins where both changed.
    open class var mergeByPropertyStoreTrump: NSMergePolicy { storeTrumpPolicy }
    /// The policy that merges by property; the object in memory wins where both changed.
    open class var mergeByPropertyObjectTrump: NSMergePolicy { objectTrumpPolicy }
    /// The policy that overwrites the whole row with the object in memory.
    open class var overwrite: NSMergePolicy { overwritePolicy }
    /// The policy that discards the changes in memory.
    open class var rollback: NSMergePolicy { rollbackPolicy }

    private static let errorPolicy = NSMergePolicy(merge: .errorMergePolicyType)
    private static let storeTrumpPolicy = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    private static let objectTrumpPolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    private static let overwritePolicy = NSMergePolicy(merge: .overwriteMergePolicyType)
    private static let rollbackPolicy = NSMergePolicy(merge: .rollbackMergePolicyType)

    /// Resolves all conflicts of a save: first those of optimistic locking, then those of uniqueness constraints.
    ///
    /// - Throws: An error if a conflict remains; the save then fails with it.
    open func resolve(mergeConflicts list: [Any]) throws {
        let locking = list.compactMap { $0 as? NSMergeConflict }
        if !locking.isEmpty { try resolve(optimisticLockingConflicts: locking) }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts between objects and newer values of their rows.
    ///
    /// - Throws: `NSManagedObjectMergeError` if the rule is to report conflicts.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        guard mergeType != .errorMergePolicyType else {
            throw CoreDataError.make(
                NSManagedObjectMergeError, description: ConflictSummary.text(list),
                advice: "Set a merge policy on the context, or refresh the objects and save again.",
                userInfo: [NSPersistentStoreSaveConflictsErrorKey: list])
        }
        for conflict in list { LockingConflictResolver(conflict, rule: mergeType).resolve() }
    }

    /// Resolves conflicts between objects that violate a uniqueness constraint.
    ///
    /// - Throws: `NSManagedObjectConstraintMergeError` if the rule is to report conflicts.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        guard mergeType != .errorMergePolicyType else {
            throw CoreDataError.make(
                NSManagedObjectConstraintMergeError, description: ConflictSummary.text(list),
                advice: "Set a merge policy on the context, or change the values that must be unique.",
                userInfo: [NSPersistentStoreSaveConflictsErrorKey: list])
        }
        for conflict in list { ConstraintConflictResolver(conflict, rule: mergeType).resolve() }
    }

    open override var description: String { "<NSMergePolicy type \(mergeType.rawValue)>" }
}

/// The policy that fails a save with conflicts: the default. Same as `NSMergePolicy.error`.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// The policy `NSMergePolicy.mergeByPropertyStoreTrump`.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyStoreTrump }
/// The policy `NSMergePolicy.mergeByPropertyObjectTrump`.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyObjectTrump }
/// The policy `NSMergePolicy.overwrite`.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The policy `NSMergePolicy.rollback`.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

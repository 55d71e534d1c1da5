import CoreDataRowStorage
import Foundation

/// The standard ways of dealing with conflicts. Raw values are Apple's.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save fails.
    case errorMergePolicyType = 0
    /// Property by property; the store wins where both changed.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property; the object in memory wins where both changed.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The object in memory replaces the row as a whole.
    case overwriteMergePolicyType = 3
    /// The changes in memory are dropped.
    case rollbackMergePolicyType = 4
}

/// What a context does when a save meets changes made elsewhere. Subclass it for rules of your own.
///
/// The standard policies have no state and may be used from any thread; `resolve` runs on the context's queue.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// The rule the policy follows, or a subclass begins from.
    open internal(set) var mergeType: NSMergePolicyType

    /// A policy that follows the rule.
    public init(merge ty: NSMergePolicyType) {
        mergeType = ty
        super.init()
    }

    /// The policy that reports conflicts as errors, for code written against Objective-C's `init`.
    public convenience override init() { self.init(merge: .errorMergePolicyType) }

    /// The save fails with `NSManagedObjectMergeError` or `NSManagedObjectConstraintMergeError`.
    open class var error: NSMergePolicy { errorPolicy }
    /// Property by property; the store wins where both changed.
    open class var mergeByPropertyStoreTrump: NSMergePolicy { storeTrumpPolicy }
    /// Property by property; the object in memory wins where both changed.
    open class var mergeByPropertyObjectTrump: NSMergePolicy { objectTrumpPolicy }
    /// The object in memory replaces the row as a whole.
    open class var overwrite: NSMergePolicy { overwritePolicy }
    /// The changes in memory are dropped.
    open class var rollback: NSMergePolicy { rollbackPolicy }

    private static let errorPolicy = NSMergePolicy(merge: .errorMergePolicyType)
    private static let storeTrumpPolicy = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    private static let objectTrumpPolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    private static let overwritePolicy = NSMergePolicy(merge: .overwriteMergePolicyType)
    private static let rollbackPolicy = NSMergePolicy(merge: .rollbackMergePolicyType)

    /// Resolves all conflicts of a save: those of optimistic locking first, those of constraints second.
    ///
    /// Throws when a conflict stays; the save then fails with that error.
    open func resolve(mergeConflicts list: [Any]) throws {
        let locking = list.compactMap { $0 as? NSMergeConflict }
        if !locking.isEmpty { try resolve(optimisticLockingConflicts: locking) }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts between objects and newer values of their rows.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        guard mergeType != .errorMergePolicyType else {
            throw CoreDataError.make(
                NSManagedObjectMergeError, description: "Could not merge changes.",
                advice: "Set a merge policy on the context, or refresh the objects and save again.",
                userInfo: [NSPersistentStoreSaveConflictsErrorKey: list])
        }
        for conflict in list { LockingConflictResolver(conflict, rule: mergeType).resolve() }
    }

    /// Resolves conflicts between objects that must differ in some property.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        guard mergeType != .errorMergePolicyType else {
            throw CoreDataError.make(
                NSManagedObjectConstraintMergeError, description: "Could not merge changes.",
                advice: "Set a merge policy on the context, or change the values that must be unique.",
                userInfo: [NSPersistentStoreSaveConflictsErrorKey: list])
        }
        for conflict in list { ConstraintConflictResolver(conflict, rule: mergeType).resolve() }
    }

    open override var description: String { "<NSMergePolicy type \(mergeType.rawValue)>" }
}

/// The policy under which a save with conflicts fails: the default.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// `NSMergePolicy.mergeByPropertyStoreTrump`
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyStoreTrump }
/// `NSMergePolicy.mergeByPropertyObjectTrump`
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyObjectTrump }
/// `NSMergePolicy.overwrite`
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// `NSMergePolicy.rollback`
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

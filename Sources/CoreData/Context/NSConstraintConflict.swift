import Foundation

/// A conflict between objects with values that violate a uniqueness constraint. To be used on the context's queue.
open class NSConstraintConflict: NSObject {
    /// The names of the properties that must be unique together.
    open internal(set) var constraint: [String]
    /// The values that the objects have in common.
    open internal(set) var constraintValues: [String: Any]
    /// The object of the row that has these values already; nil when only unsaved objects are in conflict.
    open internal(set) var databaseObject: NSManagedObject?
    /// The values of that row.
    open internal(set) var databaseSnapshot: [String: Any]?
    /// The objects of the context that are in conflict.
    open internal(set) var conflictingObjects: [NSManagedObject]
    /// The values the conflicting objects had before they were changed; empty for new ones.
    open internal(set) var conflictingSnapshots: [[AnyHashable: Any]]

    /// Creates a conflict between objects, and possibly a row.
    public init(
        constraint contraint: [String],
        database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?,
        conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot.map { snapshot in
            Dictionary(snapshot.compactMap { key, value in (key as? String).map { ($0, value) } }) { first, _ in first }
        }
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
        let example = conflictingObjects.first ?? databaseObject
        constraintValues = Dictionary(
            contraint.map { name in (name, example.flatMap { ConflictValues.value(name, of: $0) } ?? NSNull()) }
        ) { first, _ in first }
        super.init()
    }

    /// Creates an empty conflict, for code written against Objective-C's `init`.
    public convenience override init() {
        self.init(
            constraint: [], database: nil, databaseSnapshot: nil, conflicting: [], conflictingSnapshots: [])
    }

    open override var description: String {
        "NSConstraintConflict for constraint (\(constraint.joined(separator: ", "))): database: "
            + "\(databaseObject.map { "\($0.objectID)" } ?? "none"), conflictedObjects: "
            + "\(conflictingObjects.map(\.identifier))"
    }
}

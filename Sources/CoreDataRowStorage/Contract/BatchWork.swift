import Foundation
import PredicateFormat

/// A batch change of rows without objects, written in one transaction.
package struct BatchWork {
    package enum Change {
        /// Inserts rows of an entity.
        case insert(BatchRows, EntityLayout, BatchConflictRule)
        /// Assigns new values to the rows that a fetch finds.
        case update(StoreFetch, [BatchAssignment])
        /// Deletes the rows that a fetch finds, and those that their delete rules reach.
        case delete(StoreFetch)
    }

    package var change: Change
    /// Whether the outcome must contain the rows' references.
    package var wantsRows = false
    /// The author and context name for persistent history.
    package var author: String?
    package var contextName: String?

    package init(_ change: Change) { self.change = change }
}

/// The result of a batch.
package struct BatchOutcome {
    /// The number of rows that were inserted, overwritten, updated or deleted.
    package var count: Int
    /// The references of these rows, if requested; inserted rows in the order they were given.
    package var rows: ContiguousArray<RowReference>

    package init(count: Int, rows: ContiguousArray<RowReference>) {
        self.count = count
        self.rows = rows
    }
}

/// The action for a new row that violates a uniqueness constraint.
package enum BatchConflictRule: Sendable {
    /// Fails the batch with `NSManagedObjectConstraintMergeError`.
    case fail
    /// Skips the new row.
    case keepStored
    /// Overwrites the given values of the stored row.
    case overwriteGiven
    /// Overwrites all values of the stored row, with default values where none are given.
    case overwrite
}

/// The source of the rows to insert. Names that are no attribute of the entity are errors; attributes without a value get
/// their default value.
package enum BatchRows {
    /// The values of every row, by attribute.
    case values([[String: Any]])
    /// A function that fills in one dictionary per row, until it returns true; the dictionary of that call is ignored.
    case filled((NSMutableDictionary) -> Bool)
    /// A function that returns an object per row, each with its row memory, until it returns nil.
    case objects(() -> (any BatchObject)?)
}

/// An object of the graph that provides the values of a row to insert.
package protocol BatchObject: AnyObject {
    /// The row with the values, in the entity's layout. Read it after ``batchValue(_:)``, which may move it.
    var batchRow: UnsafeMutableRawPointer? { get }
    /// Returns the value of an attribute, as the object's accessor returns it.
    func batchValue(_ attribute: String) -> Any?
}

/// A new value for an attribute or a to-one relationship.
package struct BatchAssignment {
    package enum Value {
        /// The value of every row; `NSNull` for nil. The object of a row for a relationship.
        case constant(Any)
        /// An expression over the row itself.
        case expression(ExpressionNode)
    }

    package var name: String
    package var value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }
}

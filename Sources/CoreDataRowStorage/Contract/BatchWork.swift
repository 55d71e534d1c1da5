import Foundation
import PredicateFormat

/// A change of many rows without objects, written in one transaction.
package struct BatchWork {
    package enum Change {
        /// New rows of an entity.
        case insert(BatchRows, EntityLayout, BatchConflictRule)
        /// New values for the rows a fetch finds.
        case update(StoreFetch, [BatchAssignment])
        /// The rows a fetch finds, and those that their relationships' delete rules lead to.
        case delete(StoreFetch)
    }

    package var change: Change
    /// Whether the outcome is to name the rows.
    package var wantsRows = false
    /// For history.
    package var author: String?
    package var contextName: String?

    package init(_ change: Change) { self.change = change }
}

/// What became of a batch.
package struct BatchOutcome {
    /// How many rows were inserted, overwritten, updated, or found and deleted.
    package var count: Int
    /// Which these are, if they were asked for; inserted ones in the order they were given.
    package var rows: ContiguousArray<RowReference>

    package init(count: Int, rows: ContiguousArray<RowReference>) {
        self.count = count
        self.rows = rows
    }
}

/// What happens to a new row whose values another row has, where a uniqueness constraint forbids that.
package enum BatchConflictRule: Sendable {
    /// The batch fails with `NSManagedObjectConstraintMergeError`.
    case fail
    /// The row is left out.
    case keepStored
    /// The stored row takes the values that were given.
    case overwriteGiven
    /// The stored row takes all values, default ones too.
    case overwrite
}

/// Where the rows to insert come from. Names that are no attribute of the entity are errors; attributes without a value take
/// their default value.
package enum BatchRows {
    /// Values by attribute.
    case values([[String: Any]])
    /// The same, filled in one at a time; the last one, for which the function says true, is none of them.
    case filled((NSMutableDictionary) -> Bool)
    /// Objects of the graph that have a row of their own, until there are none.
    case objects(() -> (any BatchObject)?)
}

/// An object of the graph whose values are to be inserted.
package protocol BatchObject: AnyObject {
    /// The values in the entity's layout. To be asked for after ``batchValue(_:)``, which may change where they lie.
    var batchRow: UnsafeMutableRawPointer? { get }
    /// The value of an attribute, as its class gives it.
    func batchValue(_ attribute: String) -> Any?
}

/// A new value of an attribute or a to-one relationship.
package struct BatchAssignment {
    package enum Value {
        /// The same for every row; `NSNull` for none. A row's object for a relationship.
        case constant(Any)
        /// Computed of the row itself.
        case expression(ExpressionNode)
    }

    package var name: String
    package var value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }
}

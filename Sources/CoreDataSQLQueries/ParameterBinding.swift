import CoreDataRowStorage
import PredicateFormat

/// Which constant of a request goes to a parameter of its statement, and in what form.
package struct ParameterBinding {
    package enum Form {
        /// A single value, as an attribute of this kind stores it.
        case value(CellKind?, (any ValueCoding)?)
        /// A single value that is compared by order.
        case ordered(CellKind?)
        /// A binary value as attributes with external storage keep it inline.
        case external
        /// One element of a collection.
        case element(Int, CellKind?)
        /// A collection, as a table of one column.
        case values(CellKind?)
        /// A collection of strings, folded.
        case foldedValues(StringComparisonOptions)
        /// The key of an object of this hierarchy; one no row has for any other object.
        case key(root: Int)
        case keys(root: Int)
        /// The key of an object of this hierarchy for a comparison by order; NULL for any other object, as then none holds.
        case keyInOrder(root: Int)
        /// The reference of an object, whatever its entity, and those of several.
        case row
        case rows
        /// The number of an entity, given as a description or by name.
        case entity
        case entities
        /// The first text that no longer begins with the constant.
        case prefixEnd
        /// A string operator prepared for `CDMatch`.
        case matcher(ComparisonOperator, StringComparisonOptions)
        case now
        /// The value at a path in a dictionary, in a form; NULL where there is none.
        indirect case member([String], Form)
        /// Whether a dictionary has a value for one of these paths, and for no other.
        case isComposite([ArraySlice<String>])
    }

    package let slot: Int
    package let form: Form
    /// Whether a number is bound as it is.
    package let takesNumber: Bool

    init(slot: Int, form: Form) {
        self.slot = slot
        self.form = form
        switch form {
        case .value(.uuid?, _), .value(.string?, _), .value(.uri?, _), .value(.transformable?, _): takesNumber = false
        case .ordered(.string?), .ordered(.uri?): takesNumber = false
        case .value, .ordered: takesNumber = slot >= 0
        default: takesNumber = false
        }
    }
}

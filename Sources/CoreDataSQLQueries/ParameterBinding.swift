import CoreDataRowStorage
import PredicateFormat

/// The constant of a request that is bound to a parameter, and the form in which it is bound.
package struct ParameterBinding {
    package enum Form {
        /// A single value, in the stored form of an attribute of this kind.
        case value(CellKind?, (any ValueCoding)?)
        /// A single value that is compared by order.
        case ordered(CellKind?)
        /// A binary value, in the inline form of attributes with external storage.
        case external
        /// One element of a collection.
        case element(Int, CellKind?)
        /// A collection, as a table of one column.
        case values(CellKind?)
        /// A collection of strings, case-folded as the options require.
        case foldedValues(StringComparisonOptions)
        /// The key of an object of this hierarchy; for any other object, a key that no row has.
        case key(root: Int)
        case keys(root: Int)
        /// The key of an object of this hierarchy for a comparison by order; NULL for any other object, so that none matches.
        case keyInOrder(root: Int)
        /// The reference of an object of any entity, and those of several objects.
        case row
        case rows
        /// The number of an entity, given as a description or by name.
        case entity
        case entities
        /// The first text in order that does not begin with the constant.
        case prefixEnd
        /// A string operator prepared for `CDMatch`.
        case matcher(ComparisonOperator, StringComparisonOptions)
        /// The regular expression of a `LIKE` pattern with `?`, for databases without it; NULL for other patterns.
        case characterPattern(StringComparisonOptions)
        case now
        /// A date or dates in the given form, as seconds since the reference date, for dialects that have another type for dates.
        indirect case seconds(Form)
        /// The value at a path in a dictionary, in the given form; NULL if there is none.
        indirect case member([String], Form)
        /// True if a dictionary has a value for one of these paths, and for no other.
        case isComposite([ArraySlice<String>])
    }

    package let slot: Int
    package let form: Form
    /// Whether a number is bound without conversion.
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

import CoreData

extension MagicalRecord {
    /// A property, or a value computed from properties, in a condition.
    ///
    /// Columns come from the ``Columns`` that a closure gets. What can be said about one follows from its type:
    ///
    /// | Type | Conditions |
    /// | --- | --- |
    /// | any value | `==`, `!=`, `in`; with values, `nil` and columns of the same type |
    /// | numbers, dates, text | `<`, `<=`, `>`, `>=`, `between` |
    /// | `Bool` | is a condition itself |
    /// | text | `contains`, `beginsWith`, `endsWith`, `like`, `matches`, `equals`; `length`, `lowercased`, `uppercased` |
    /// | to-one relationship | the properties of the related object; comparisons with objects and their IDs |
    /// | to-many relationship | `any`, `all`, `none`, `contains`, `isEmpty`; `count`, `sum`, `average`, `minimum`, `maximum` |
    ///
    /// A value behind an optional relationship is optional, as behind `?.` in Swift. A column holds names, no key path, and
    /// may cross threads.
    @dynamicMemberLookup
    public struct Column<Root: NSManagedObject, Value>: Sendable {
        let columnOperand: ConditionNode.Operand

        init(_ operand: ConditionNode.Operand) {
            columnOperand = operand
        }

        /// Returns the column of a property of the related object.
        public subscript<Related: NSManagedObject, Property>(
            dynamicMember key: KeyPath<Related, Property>
        ) -> Column<Root, Property?> where Value == Related? {
            Column<Root, Property?>(columnOperand.following(key))
        }

        /// Returns the column of an optional property of the related object.
        public subscript<Related: NSManagedObject, Property>(
            dynamicMember key: KeyPath<Related, Property?>
        ) -> Column<Root, Property?> where Value == Related? {
            Column<Root, Property?>(columnOperand.following(key))
        }

        /// Returns the column of a property of the related object, for a relationship that is not optional.
        public subscript<Property>(dynamicMember key: KeyPath<Value, Property>) -> Column<Root, Property>
        where Value: NSManagedObject {
            Column<Root, Property>(columnOperand.following(key))
        }
    }

    /// `Bool` and `Bool?`: their columns are conditions.
    public protocol _TruthValue: MagicalRecord.PredicateValue {}
}

extension Bool: MagicalRecord._TruthValue {}
extension Optional: MagicalRecord._TruthValue where Wrapped: MagicalRecord._TruthValue {}

extension MagicalRecord.Column: MagicalRecord.ConditionConvertible where Value: MagicalRecord._TruthValue {
    /// `key == true`. A missing value is not true.
    public var condition: MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.comparison(columnOperand, "==", .value(true)))
    }
}

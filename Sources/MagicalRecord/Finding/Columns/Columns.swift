import CoreData

extension MagicalRecord {
    /// The properties of a class as columns, of which conditions are made.
    ///
    /// A closure that makes a condition gets this value; each property of the class is a member of it:
    /// ```swift
    /// let pals = try User.findAll(where: { $0.isFriend && $0.displayName.contains("an", .caseInsensitive) })
    /// let reds = try User.where { $0.team.name == "Red" && $0.messages.count > 3 }.findAll()
    /// ```
    /// The value itself stands for the object: `{ $0 == object }`, `{ $0.in(ids) }`.
    ///
    /// A property the class does not have is a compiler error. One that is not modelled (a computed property) is
    /// ``MagicalRecordError/Code/unnamedKeyPath`` when the condition is used.
    @dynamicMemberLookup
    public struct Columns<Root: NSManagedObject>: Sendable {
        /// Creates the columns of `Root`.
        public init() {}

        /// Returns the column of a property.
        public subscript<Value>(dynamicMember key: KeyPath<Root, Value>) -> Column<Root, Value> {
            Column(.path(KeyPathName.of(key)))
        }
    }

    /// A property, or a value computed from properties, in a condition.
    ///
    /// Columns come from the ``Columns`` that a closure gets. What can be said about one follows from its type:
    ///
    /// | Type | Conditions |
    /// | --- | --- |
    /// | any value | `==`, `!=`, `in`; with values and `nil` |
    /// | any value but enumerations | `==`, `!=`; with columns of the same type |
    /// | numbers, dates, text | `<`, `<=`, `>`, `>=`, `between` |
    /// | `Bool` | is a condition itself |
    /// | text | `contains`, `beginsWith`, `endsWith`, `like`, `matches`, `equals`, `isEmpty` |
    /// | | `length`, `lowercased`, `uppercased` |
    /// | to-one relationship | the properties of the related object; comparisons with objects and their IDs |
    /// | to-many relationship | `any`, `all`, `none`, `contains`, `isEmpty`; `count`, `sum`, `average`, `minimum`, `maximum` |
    ///
    /// A value behind an optional relationship is optional, as behind `?.` in Swift. A column holds names, no key path, and
    /// may cross threads.
    @dynamicMemberLookup
    public struct Column<Root: NSManagedObject, Value>: Sendable {
        let columnOperand: ConditionNode.Operand

        init(_ operand: ConditionNode.Operand) { columnOperand = operand }

        /// Returns the column of a property of the related object.
        @_disfavoredOverload
        public subscript<Related: NSManagedObject, Property>(
            dynamicMember key: KeyPath<Related, Property>
        ) -> Column<Root, Property?> where Value == Related? { Column<Root, Property?>(columnOperand.following(key)) }

        /// Returns the column of an optional property of the related object.
        public subscript<Related: NSManagedObject, Property>(
            dynamicMember key: KeyPath<Related, Property?>
        ) -> Column<Root, Property?> where Value == Related? { Column<Root, Property?>(columnOperand.following(key)) }

        /// Returns the column of a property of the related object, for a relationship that is not optional.
        public subscript<Property>(dynamicMember key: KeyPath<Value, Property>) -> Column<Root, Property>
        where Value: NSManagedObject { Column<Root, Property>(columnOperand.following(key)) }
    }

    /// `Bool` and `Bool?`: their columns are conditions.
    public protocol _TruthValue: MagicalRecord.PredicateValue {}
}

extension Bool: MagicalRecord._TruthValue {}
extension Optional: MagicalRecord._TruthValue where Wrapped: MagicalRecord._TruthValue {}

extension MagicalRecord.Column: MagicalRecord.ConditionConvertible where Value: MagicalRecord._TruthValue {
    /// `key == true`. A missing value is not true.
    public var condition: MagicalRecord.Condition<Root> { compared("==", .value(true)) }
}

extension MagicalRecord.Columns {
    private var itself: MagicalRecord.Column<Root, Root> { MagicalRecord.Column(.path(.success(""))) }

    /// `SELF == object`.
    public static func == (columns: Self, object: Root) -> MagicalRecord.Condition<Root> { columns.itself == object }

    /// `SELF != object`.
    public static func != (columns: Self, object: Root) -> MagicalRecord.Condition<Root> { columns.itself != object }

    /// `SELF == id`: the object with that ID.
    public static func == (columns: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root> {
        columns.itself == id
    }

    /// `SELF != id`: every object but that with that ID.
    public static func != (columns: Self, id: NSManagedObjectID) -> MagicalRecord.Condition<Root> {
        columns.itself != id
    }

    /// Returns the condition `SELF IN objects`.
    public func `in`(_ objects: some Sequence<Root>) -> MagicalRecord.Condition<Root> { itself.in(objects) }

    /// Returns the condition `SELF IN ids`, for the objects with these IDs.
    public func `in`(_ ids: some Sequence<NSManagedObjectID>) -> MagicalRecord.Condition<Root> {
        itself.compared("IN", .list(Array(ids)))
    }
}

// Text, of columns that always have a value and of those that may have none, which are not found by it.

extension MagicalRecord.Column where Value: MagicalRecord._TextValue {
    /// Returns the condition `key CONTAINS text`.
    public func contains(_ text: String, _ matching: MagicalRecord.TextMatching = []) -> MagicalRecord.Condition<Root> {
        matches("CONTAINS", text, matching)
    }

    /// Returns the condition `key BEGINSWITH text`.
    public func beginsWith(_ text: String, _ matching: MagicalRecord.TextMatching = []) -> MagicalRecord.Condition<Root>
    {
        matches("BEGINSWITH", text, matching)
    }

    /// Returns the condition `key ENDSWITH text`.
    public func endsWith(_ text: String, _ matching: MagicalRecord.TextMatching = []) -> MagicalRecord.Condition<Root> {
        matches("ENDSWITH", text, matching)
    }

    /// Returns the condition `key LIKE pattern`: `?` stands for one character, `*` for any number of characters.
    public func like(_ pattern: String, _ matching: MagicalRecord.TextMatching = []) -> MagicalRecord.Condition<Root> {
        matches("LIKE", pattern, matching)
    }

    /// Returns the condition `key MATCHES expression`: the regular expression matches the whole text.
    public func matches(
        _ expression: String, _ matching: MagicalRecord.TextMatching = []
    ) -> MagicalRecord.Condition<Root> { matches("MATCHES", expression, matching) }

    /// Returns the condition `key == text` with options, such as equality without regard to case.
    public func equals(_ text: String, _ matching: MagicalRecord.TextMatching) -> MagicalRecord.Condition<Root> {
        matches("==", text, matching)
    }

    /// The text has no characters. A missing text is not found by it.
    public var isEmpty: MagicalRecord.Condition<Root> { compared("==", .constant("")) }

    /// The number of characters.
    public var length: MagicalRecord.Column<Root, Int?> { computed("length:") }

    /// The text in lower case.
    public var lowercased: MagicalRecord.Column<Root, Value> { computed("lowercase:") }

    /// The text in upper case.
    public var uppercased: MagicalRecord.Column<Root, Value> { computed("uppercase:") }

    private func matches(
        _ operation: String, _ text: String, _ matching: MagicalRecord.TextMatching
    ) -> MagicalRecord.Condition<Root> { compared(operation + matching.suffix, .constant(text)) }

    private func computed<Result>(_ function: String) -> MagicalRecord.Column<Root, Result> {
        MagicalRecord.Column<Root, Result>(.function(function, [columnOperand]))
    }
}

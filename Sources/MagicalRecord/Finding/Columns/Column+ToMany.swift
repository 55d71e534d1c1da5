import CoreData

extension MagicalRecord {
    /// The types in which to-many relationships are declared.
    public protocol _ToManyValue {}

    /// The types of to-many relationships that say what is related: `Set<Message>`, `[Message]`, and optionals of them.
    public protocol _TypedToManyValue: _ToManyValue {
        /// The class of the related objects.
        associatedtype Related: NSManagedObject
    }

    /// The types of to-many relationships that do not say it: `NSSet`, `NSOrderedSet`, and optionals of them.
    public protocol _UntypedToManyValue: _ToManyValue {}
}

extension Set: MagicalRecord._ToManyValue, MagicalRecord._TypedToManyValue where Element: NSManagedObject {
    public typealias Related = Element
}
extension Array: MagicalRecord._ToManyValue, MagicalRecord._TypedToManyValue where Element: NSManagedObject {
    public typealias Related = Element
}
extension NSSet: MagicalRecord._ToManyValue, MagicalRecord._UntypedToManyValue {}
extension NSOrderedSet: MagicalRecord._ToManyValue, MagicalRecord._UntypedToManyValue {}
extension Optional: MagicalRecord._ToManyValue where Wrapped: MagicalRecord._ToManyValue {}
extension Optional: MagicalRecord._TypedToManyValue where Wrapped: MagicalRecord._TypedToManyValue {
    public typealias Related = Wrapped.Related
}
extension Optional: MagicalRecord._UntypedToManyValue where Wrapped: MagicalRecord._UntypedToManyValue {}

extension MagicalRecord.Column where Value: MagicalRecord._ToManyValue {
    /// The number of related objects.
    public var count: MagicalRecord.Column<Root, Int?> {
        MagicalRecord.Column<Root, Int?>(.aggregate(path: columnOperand.relationshipPath, operation: "count", of: nil))
    }

    /// There are no related objects.
    public var isEmpty: MagicalRecord.Condition<Root> { count == 0 }

    /// Returns the same relationship with the class of its objects, for one declared as `NSSet` or `NSOrderedSet`:
    /// `$0.messages.of(Message.self).any { $0.length > 100 }`. `NSOrderedSet.array(of:)` does the same for an object's own.
    public func of<Related: NSManagedObject>(_ type: Related.Type) -> MagicalRecord.Column<Root, Set<Related>> {
        MagicalRecord.Column<Root, Set<Related>>(columnOperand)
    }
}

extension MagicalRecord.Column where Value: MagicalRecord._TypedToManyValue {
    /// Returns the condition that at least one related object fulfils another one.
    public func any<Made: MagicalRecord.ConditionConvertible>(
        _ make: (MagicalRecord.Columns<Value.Related>) -> Made
    ) -> MagicalRecord.Condition<Root> where Made.Root == Value.Related { any(MagicalRecord.Condition(make)) }

    /// Returns the condition that at least one related object fulfils `condition`.
    public func any(_ condition: MagicalRecord.Condition<Value.Related>) -> MagicalRecord.Condition<Root> {
        quantified(.any, condition)
    }

    /// Returns the condition that every related object fulfils another one. It is true without related objects.
    public func all<Made: MagicalRecord.ConditionConvertible>(
        _ make: (MagicalRecord.Columns<Value.Related>) -> Made
    ) -> MagicalRecord.Condition<Root> where Made.Root == Value.Related { all(MagicalRecord.Condition(make)) }

    /// Returns the condition that every related object fulfils `condition`. It is true without related objects.
    public func all(_ condition: MagicalRecord.Condition<Value.Related>) -> MagicalRecord.Condition<Root> {
        quantified(.all, condition)
    }

    /// Returns the condition that no related object fulfils another one.
    public func none<Made: MagicalRecord.ConditionConvertible>(
        _ make: (MagicalRecord.Columns<Value.Related>) -> Made
    ) -> MagicalRecord.Condition<Root> where Made.Root == Value.Related { none(MagicalRecord.Condition(make)) }

    /// Returns the condition that no related object fulfils `condition`.
    public func none(_ condition: MagicalRecord.Condition<Value.Related>) -> MagicalRecord.Condition<Root> {
        quantified(.none, condition)
    }

    /// Returns the condition that `object` is one of the related objects.
    public func contains(_ object: Value.Related) -> MagicalRecord.Condition<Root> { contains(.value(object)) }

    /// Returns the condition that the object with an ID is one of the related objects.
    public func contains(_ id: NSManagedObjectID) -> MagicalRecord.Condition<Root> { contains(.constant(id)) }

    private func contains(_ object: ConditionNode.Operand) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(
            .quantified(.any, path: columnOperand.relationshipPath, .comparison(.path(.success("")), "==", object)))
    }

    private func quantified(
        _ quantifier: ConditionNode.Quantifier, _ condition: MagicalRecord.Condition<Value.Related>
    ) -> MagicalRecord.Condition<Root> {
        MagicalRecord.Condition(.quantified(quantifier, path: columnOperand.relationshipPath, condition.node))
    }

    // Values computed over related objects. Over none, the sum is 0, and the others have no value.

    /// Returns the number of related objects that fulfil a condition.
    public func count<Made: MagicalRecord.ConditionConvertible>(
        where make: (MagicalRecord.Columns<Value.Related>) -> Made
    ) -> MagicalRecord.Column<Root, Int?> where Made.Root == Value.Related {
        count(where: MagicalRecord.Condition(make))
    }

    /// Returns the number of related objects that fulfil `condition`.
    public func count(where condition: MagicalRecord.Condition<Value.Related>) -> MagicalRecord.Column<Root, Int?> {
        .init(.count(path: columnOperand.relationshipPath, where: condition.node))
    }

    /// Returns the sum of a value of the related objects.
    public func sum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Property> { aggregate("sum", of: key) }

    /// Returns the mean of a value of the related objects.
    public func average<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Double?> { aggregate("avg", of: key) }

    /// Returns the least value of the related objects.
    public func minimum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Property?> { aggregate("min", of: key) }

    /// Returns the least value of the related objects that have one.
    public func minimum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property?>
    ) -> MagicalRecord.Column<Root, Property?> { aggregate("min", of: key) }

    /// Returns the greatest value of the related objects.
    public func maximum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Property?> { aggregate("max", of: key) }

    /// Returns the greatest value of the related objects that have one.
    public func maximum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property?>
    ) -> MagicalRecord.Column<Root, Property?> { aggregate("max", of: key) }

    private func aggregate<Property, Result>(
        _ operation: String, of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Result> {
        .init(.aggregate(path: columnOperand.relationshipPath, operation: operation, of: KeyPathName.of(key)))
    }
}

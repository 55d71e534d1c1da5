import CoreData

// Values computed over related objects. Over none, the sum is 0, and the others have no value.

extension MagicalRecord.Column where Value: MagicalRecord._TypedToManyValue {
    /// Returns the number of related objects that fulfil a condition.
    public func count<Made: MagicalRecord.ConditionConvertible>(
        where make: (MagicalRecord.Columns<Value.Related>) -> Made
    ) -> MagicalRecord.Column<Root, Int?> where Made.Root == Value.Related {
        count(where: MagicalRecord.Condition(make))
    }

    /// Returns the number of related objects that fulfil `condition`.
    public func count(where condition: MagicalRecord.Condition<Value.Related>) -> MagicalRecord.Column<Root, Int?> {
        MagicalRecord.Column<Root, Int?>(.count(path: columnOperand.relationshipPath, where: condition.node))
    }

    /// Returns the sum of a value of the related objects.
    public func sum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Property> {
        aggregate("sum", of: key)
    }

    /// Returns the mean of a value of the related objects.
    public func average<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Double?> {
        aggregate("avg", of: key)
    }

    /// Returns the least value of the related objects.
    public func minimum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Property?> {
        aggregate("min", of: key)
    }

    /// Returns the least value of the related objects that have one.
    public func minimum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property?>
    ) -> MagicalRecord.Column<Root, Property?> {
        aggregate("min", of: key)
    }

    /// Returns the greatest value of the related objects.
    public func maximum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Property?> {
        aggregate("max", of: key)
    }

    /// Returns the greatest value of the related objects that have one.
    public func maximum<Property: MagicalRecord.OrderedPredicateValue>(
        of key: KeyPath<Value.Related, Property?>
    ) -> MagicalRecord.Column<Root, Property?> {
        aggregate("max", of: key)
    }

    private func aggregate<Property, Result>(
        _ operation: String, of key: KeyPath<Value.Related, Property>
    ) -> MagicalRecord.Column<Root, Result> {
        MagicalRecord.Column<Root, Result>(
            .aggregate(path: columnOperand.relationshipPath, operation: operation, of: KeyPathName.of(key)))
    }
}

import CoreData

/// A to-many relationship in a condition: what holds for some, all or none of the related objects, how many they
/// are, and what their values add up to.
///
/// ```swift
/// ToMany(\Author.books).any(\.pages > 300)
/// ToMany(\Author.books).count > 3
/// ToMany(\Order.lines).sum(\.amount) >= 100
/// ```
public struct ToMany<Root: NSManagedObject, Destination: NSManagedObject> {
    let path: KeyPathName.Outcome

    /// The objects of a to-many relationship.
    public init(_ relationship: KeyPath<Root, Set<Destination>>) { path = KeyPathName.of(relationship) }
    /// The objects of a to-many relationship whose property is optional.
    public init(_ relationship: KeyPath<Root, Set<Destination>?>) { path = KeyPathName.of(relationship) }
    /// The objects of a to-many relationship whose property is an array.
    public init(_ relationship: KeyPath<Root, [Destination]>) { path = KeyPathName.of(relationship) }
    /// A relationship declared as Xcode declares it. The related class follows from the inner condition.
    public init(_ relationship: KeyPath<Root, NSSet?>) { path = KeyPathName.of(relationship) }
    /// An ordered relationship declared as Xcode declares it.
    public init(_ relationship: KeyPath<Root, NSOrderedSet?>) { path = KeyPathName.of(relationship) }

    /// At least one related object fulfils `condition`.
    public func any(_ condition: Condition<Destination>) -> Condition<Root> {
        Condition(.quantified(.any, path: path, condition.node))
    }

    /// Every related object fulfils `condition`; also true where there is none.
    public func all(_ condition: Condition<Destination>) -> Condition<Root> {
        Condition(.quantified(.all, path: path, condition.node))
    }

    /// No related object fulfils `condition`.
    public func none(_ condition: Condition<Destination>) -> Condition<Root> {
        Condition(.quantified(.none, path: path, condition.node))
    }

    /// `object` is one of the related objects.
    public func contains(_ object: Destination) -> Condition<Root> {
        Condition(.quantified(.any, path: path, .comparison(.path(.success("")), "==", .value(object))))
    }

    /// The number of related objects.
    public var count: QueryExpression<Root, Int> {
        QueryExpression(.aggregate(path: path, operation: "count", of: nil))
    }

    /// The number of related objects that fulfil `condition`.
    public func count(where condition: Condition<Destination>) -> QueryExpression<Root, Int> {
        QueryExpression(.count(path: path, where: condition.node))
    }

    /// There are no related objects.
    public var isEmpty: Condition<Root> { count == 0 }

    /// The sum of a value of the related objects.
    public func sum<Value: OrderedPredicateValue>(_ key: KeyPath<Destination, Value>) -> QueryExpression<Root, Value> {
        QueryExpression(.aggregate(path: path, operation: "sum", of: KeyPathName.of(key)))
    }

    /// The mean of a value of the related objects.
    public func average<Value: OrderedPredicateValue>(
        _ key: KeyPath<Destination, Value>
    ) -> QueryExpression<Root, Double> {
        QueryExpression(.aggregate(path: path, operation: "avg", of: KeyPathName.of(key)))
    }

    /// The least value of the related objects.
    public func minimum<Value: OrderedPredicateValue>(
        _ key: KeyPath<Destination, Value>
    ) -> QueryExpression<Root, Value> {
        QueryExpression(.aggregate(path: path, operation: "min", of: KeyPathName.of(key)))
    }

    /// The greatest value of the related objects.
    public func maximum<Value: OrderedPredicateValue>(
        _ key: KeyPath<Destination, Value>
    ) -> QueryExpression<Root, Value> {
        QueryExpression(.aggregate(path: path, operation: "max", of: KeyPathName.of(key)))
    }
}

extension Condition {
    /// At least one object of the relationship fulfils `condition`.
    public static func any<Destination: NSManagedObject>(
        _ relationship: KeyPath<Root, Set<Destination>>, _ condition: Condition<Destination>
    ) -> Condition {
        ToMany(relationship).any(condition)
    }

    /// At least one object of the relationship, declared as Xcode declares it, fulfils `condition`.
    public static func any<Destination: NSManagedObject>(
        _ relationship: KeyPath<Root, NSSet?>, _ condition: Condition<Destination>
    ) -> Condition {
        ToMany(relationship).any(condition)
    }

    /// Every object of the relationship fulfils `condition`.
    public static func all<Destination: NSManagedObject>(
        _ relationship: KeyPath<Root, Set<Destination>>, _ condition: Condition<Destination>
    ) -> Condition {
        ToMany(relationship).all(condition)
    }

    /// Every object of the relationship, declared as Xcode declares it, fulfils `condition`.
    public static func all<Destination: NSManagedObject>(
        _ relationship: KeyPath<Root, NSSet?>, _ condition: Condition<Destination>
    ) -> Condition {
        ToMany(relationship).all(condition)
    }

    /// No object of the relationship fulfils `condition`.
    public static func none<Destination: NSManagedObject>(
        _ relationship: KeyPath<Root, Set<Destination>>, _ condition: Condition<Destination>
    ) -> Condition {
        ToMany(relationship).none(condition)
    }

    /// No object of the relationship, declared as Xcode declares it, fulfils `condition`.
    public static func none<Destination: NSManagedObject>(
        _ relationship: KeyPath<Root, NSSet?>, _ condition: Condition<Destination>
    ) -> Condition {
        ToMany(relationship).none(condition)
    }
}

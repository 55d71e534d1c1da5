import CoreData

extension MagicalRecord {
    /// A condition on objects of one class: a predicate with keys and values that the compiler has checked.
    ///
    /// Closures over typed ``MagicalRecord/Columns`` express every condition; comparisons of key paths are the short form. Both
    /// are joined with `&&`, `||` and `!`:
    /// ```swift
    /// MagicalRecord.Condition<User> { $0.isFriend && $0.displayName.contains("ann", .caseInsensitive) }
    /// MagicalRecord.Condition<Author> { $0.books.count > 3 && $0.books.any { $0.pages > 300 } }      // about related objects
    /// \Book.author?.name == "Ann" && \Book.year >= 1990
    /// ```
    /// Each has the meaning of the equivalent format string, which ``description`` shows. Ready predicates, format
    /// strings and `#Predicate` become conditions with ``predicate(_:)``, ``format(_:_:)`` and ``matching(_:)``.
    ///
    /// A condition holds names and values and may cross threads: a saved object stands in it by its ID. With an object that has
    /// never been saved it belongs on the queue of that object's context.
    public struct Condition<Root: NSManagedObject>: Sendable {
        let node: ConditionNode

        init(_ node: ConditionNode) { self.node = node }

        /// Returns the condition of a predicate.
        public static func predicate(_ predicate: NSPredicate) -> Self { Self(.predicate(.success(predicate))) }

        /// Returns the condition of a predicate format string with arguments.
        ///
        /// When the condition is used, a string that does not parse is an error, and so is a comparison of a property with a
        /// value that it can never have: text that is no number with a number, for example.
        public static func format(_ format: String, _ arguments: any CVarArg...) -> Self {
            Self(.predicate(Result { try PredicateParsing.predicate(format, arguments) }, isFormat: true))
        }

        /// Returns the condition of a `#Predicate`. One that cannot be converted is an error when the condition is used.
        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
        public static func matching(_ predicate: Predicate<Root>) -> Self {
            guard let converted = NSPredicate(predicate) else {
                let error = MagicalRecordError(
                    .unsupportedCondition, "This #Predicate has no equivalent as NSPredicate.",
                    advice: "Only modelled properties, comparisons, collections and text search convert.",
                    entity: EntityLookup.name(of: Root.self))
                return Self(.predicate(.failure(error)))
            }
            return .predicate(converted)
        }

        /// Returns the predicate for Core Data.
        ///
        /// - Throws: ``MagicalRecordError/Code/unnamedKeyPath`` for a key path that is not a modelled property,
        ///   ``MagicalRecordError/Code/malformedFormat``, ``MagicalRecordError/Code/unsupportedCondition``.
        public func nsPredicate() throws -> NSPredicate { try node.explicit.predicate() }
    }
}

extension MagicalRecord.Condition: CustomStringConvertible {
    /// The equivalent predicate format.
    public var description: String {
        do {
            #if canImport(ObjectiveC)
            return try nsPredicate().predicateFormat
            #else
            return try nsPredicate().node.predicateFormat
            #endif
        } catch {
            return "invalid condition: \(error)"
        }
    }
}

/// Both conditions.
public func && <Root>(
    left: MagicalRecord.Condition<Root>, right: MagicalRecord.Condition<Root>
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(left.node.and(right.node)) }

/// One of the conditions, or both.
public func || <Root>(
    left: MagicalRecord.Condition<Root>, right: MagicalRecord.Condition<Root>
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(left.node.or(right.node)) }

/// Not the condition.
public prefix func ! <Root>(condition: MagicalRecord.Condition<Root>) -> MagicalRecord.Condition<Root> {
    MagicalRecord.Condition(.not(condition.node))
}

/// `key == value`. With `nil`, "has no value"; with a managed object, "is related to".
public func == <Root, Value: MagicalRecord.PredicateValue>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "==", .value(value)) }

/// `key != value`. As in Swift, an object without a value is found, unless `value` is `nil`.
public func != <Root, Value: MagicalRecord.PredicateValue>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "!=", .value(value)) }

/// `key < value`. Objects without a value are not found.
public func < <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "<", .value(value)) }

/// `key <= value`. Objects without a value are not found.
public func <= <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "<=", .value(value)) }

/// `key > value`. Objects without a value are not found.
public func > <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, ">", .value(value)) }

/// `key >= value`. Objects without a value are not found.
public func >= <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, value: Value
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, ">=", .value(value)) }

/// `key == other key`. Two missing values are equal, as in Swift.
public func == <Root, Value: MagicalRecord.PredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "==", .path(KeyPathName.of(other))) }

/// `key != other key`. A missing value differs from any other.
public func != <Root, Value: MagicalRecord.PredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "!=", .path(KeyPathName.of(other))) }

/// `key < other key`.
public func < <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "<", .path(KeyPathName.of(other))) }

/// `key <= other key`.
public func <= <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "<=", .path(KeyPathName.of(other))) }

/// `key > other key`.
public func > <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, ">", .path(KeyPathName.of(other))) }

/// `key >= other key`.
public func >= <Root, Value: MagicalRecord.OrderedPredicateValue>(
    key: KeyPath<Root, Value>, other: KeyPath<Root, Value>
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, ">=", .path(KeyPathName.of(other))) }

/// `to-one == object`, by the object's ID: for objects of another context.
public func == <Root, Value: NSManagedObject>(
    key: KeyPath<Root, Value?>, id: NSManagedObjectID
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "==", .constant(id)) }

/// `to-one != object`, by the object's ID: for objects of another context. Where nothing is related that is true.
public func != <Root, Value: NSManagedObject>(
    key: KeyPath<Root, Value?>, id: NSManagedObjectID
) -> MagicalRecord.Condition<Root> { MagicalRecord.Condition(key, "!=", .constant(id)) }

extension MagicalRecord.Condition {
    fileprivate init<Value>(_ key: KeyPath<Root, Value>, _ operation: String, _ other: ConditionNode.Operand) {
        self.init(.comparison(.path(KeyPathName.of(key)), operation, other))
    }
}

import CoreData

extension MagicalRecord {
    /// A condition on objects of one class: a predicate with keys and values that the compiler has checked.
    ///
    /// Closures over typed ``MagicalRecord/Columns`` express every condition; comparisons of key paths are the short form. Both are joined with
    /// `&&`, `||` and `!`:
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

        init(_ node: ConditionNode) {
            self.node = node
        }

        /// Returns the condition of a predicate.
        public static func predicate(_ predicate: NSPredicate) -> Self { Self(.predicate(.success(predicate))) }

        /// Returns the condition of a predicate format string with arguments.
        ///
        /// When the condition is used, a string that does not parse is an error, and so is a comparison of a property with a
        /// value that it can never have: text that is no number with a number, for example.
        public static func format(_ format: String, _ arguments: any CVarArg...) -> Self {
            .format(Result { try PredicateParsing.predicate(format, arguments) })
        }

        static func format(_ parsed: Result<NSPredicate, any Error>) -> Self {
            Self(.predicate(parsed, isFormat: true))
        }

        /// Returns the condition of a `#Predicate`. One that cannot be converted is an error when the condition is used.
        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
        public static func matching(_ predicate: Predicate<Root>) -> Self {
            Self(
                .predicate(
                    Result {
                        guard let converted = PredicateParsing.convert(predicate) else {
                            throw MagicalRecordError(
                                .unsupportedCondition, "This #Predicate has no equivalent as NSPredicate.",
                                advice: "Only modelled properties, comparisons, collections and text search convert.",
                                entity: EntityLookup.name(of: Root.self))
                        }
                        return converted
                    }))
        }

        /// Returns the predicate for Core Data.
        ///
        /// - Throws: ``MagicalRecordError/Code/unnamedKeyPath`` for a key path that is not a modelled property,
        ///   ``MagicalRecordError/Code/malformedFormat``, ``MagicalRecordError/Code/unsupportedCondition``.
        public func nsPredicate() throws -> NSPredicate {
            try node.explicit.predicate()
        }

        /// Returns the predicate for a request about an entity.
        ///
        /// - Throws: As ``nsPredicate()``, and ``MagicalRecordError/Code/unconvertibleValue`` for what a format compares.
        func predicate(for entity: NSEntityDescription) throws -> NSPredicate {
            try node.predicate(for: entity)
        }
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
public func && <Root>(left: MagicalRecord.Condition<Root>, right: MagicalRecord.Condition<Root>)
    -> MagicalRecord.Condition<Root>
{
    if case .all(let parts) = left.node { return MagicalRecord.Condition(.all(parts + [right.node])) }
    return MagicalRecord.Condition(.all([left.node, right.node]))
}

/// One of the conditions, or both.
public func || <Root>(left: MagicalRecord.Condition<Root>, right: MagicalRecord.Condition<Root>)
    -> MagicalRecord.Condition<Root>
{
    if case .any(let parts) = left.node { return MagicalRecord.Condition(.any(parts + [right.node])) }
    return MagicalRecord.Condition(.any([left.node, right.node]))
}

/// Not the condition.
public prefix func ! <Root>(condition: MagicalRecord.Condition<Root>) -> MagicalRecord.Condition<Root> {
    MagicalRecord.Condition(.not(condition.node))
}

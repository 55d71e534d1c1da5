import CoreData

extension MagicalRecord {
    /// Statements about a class's entity that the types of its properties do not make: unique keys, indexes, inverses, limits.
    ///
    /// `swift package generate-model` writes a data model from managed object classes, and reads these statements in the sources.
    /// They stand in a static function that is never called, so they cost nothing when a program runs:
    /// ```swift
    /// extension Book {
    ///     static func model(_ book: MagicalRecord.EntityDeclaration<Book>) {
    ///         book.unique(\.isbn)
    ///         book.index(\.title, \.year)
    ///         book.attribute(\.pages, default: 1, minimum: 1, maximum: 10_000)
    ///         book.relationship(\.author, inverse: \Author.books, deleteRule: .nullifyDeleteRule)
    ///     }
    /// }
    /// ```
    /// The compiler checks the key paths. The tool reads the arguments as they are written, so all other arguments are literals;
    /// anything else is an error with its line. A subclass has a function for its own statements.
    ///
    /// The model file remains the source of a build: statements take effect when the command has been run. The build warns while
    /// they differ from the model.
    public struct EntityDeclaration<Root: NSManagedObject>: Sendable {
        /// States facts about the entity itself.
        ///
        /// - Parameters:
        ///   - name: the name of the entity, if it is not that of the class.
        ///   - isAbstract: true if only subentities have objects.
        ///   - isEntity: false for a superclass without an entity, with properties that belong to the entities of its subclasses.
        ///   - renamedFrom: the name of the entity in the previous version of the model.
        ///   - versionHashModifier: a text that changes the version hash.
        ///   - userInfo: entries of the user info, such as the keys of an import.
        public func entity(
            name: String? = nil, isAbstract: Bool? = nil, isEntity: Bool = true, renamedFrom: String? = nil,
            versionHashModifier: String? = nil, userInfo: [String: String] = [:]
        ) {}

        /// States that no two objects have the same values of these properties.
        public func unique(_ keys: PartialKeyPath<Root>...) {}

        /// States that the store indexes these properties together, in this order.
        ///
        /// - Parameters:
        ///   - keys: the properties, ascending.
        ///   - descending: those of the properties that are descending.
        ///   - name: the name of the index, by default `by`, the names of the properties, and `Index`: `byTitleAndYearIndex`.
        ///   - type: a binary index or a spatial one.
        public func index(
            _ keys: PartialKeyPath<Root>..., descending: [PartialKeyPath<Root>] = [], name: String? = nil,
            type: NSFetchIndexElementType = .binary
        ) {}

        /// States facts about an attribute.
        ///
        /// - Parameters:
        ///   - key: the property.
        ///   - type: the type, for a property of a Swift type that leaves it open: `NSNumber`, `Any`, a `Codable` value.
        ///   - isOptional: whether an object without a value can be saved. By default as the Swift type is.
        ///   - default: the value of new objects. Dates are written as ISO 8601, `2001-01-01T00:00:00Z`.
        ///   - minimum: the smallest number or earliest date that can be saved.
        ///   - maximum: the largest number or latest date that can be saved.
        ///   - minimumLength: the smallest number of characters that can be saved.
        ///   - maximumLength: the largest number of characters that can be saved.
        ///   - pattern: a regular expression that the whole text matches.
        ///   - isTransient: true if the value is not stored.
        ///   - isStoredExternally: true if large values may be stored in files beside the store.
        ///   - derivation: the expression that the value is computed from: `lowercase:(name)`, `items.@count`, `now()`.
        ///   - transformer: the name of the value transformer of a transformable attribute.
        ///   - isPreservedAfterDeletion: true if the history keeps the value of a deleted object.
        ///   - renamedFrom: the name of the attribute in the previous version of the model.
        ///   - versionHashModifier: a text that changes the version hash.
        ///   - userInfo: entries of the user info, such as the keys of an import.
        public func attribute<Value>(
            _ key: KeyPath<Root, Value>, type: NSAttributeDescription.AttributeType? = nil, isOptional: Bool? = nil,
            default: ModelConstant? = nil, minimum: ModelConstant? = nil, maximum: ModelConstant? = nil,
            minimumLength: Int? = nil, maximumLength: Int? = nil, pattern: String? = nil, isTransient: Bool? = nil,
            isStoredExternally: Bool? = nil, derivation: String? = nil, transformer: String? = nil,
            isPreservedAfterDeletion: Bool? = nil, renamedFrom: String? = nil, versionHashModifier: String? = nil,
            userInfo: [String: String] = [:]
        ) {}

        /// States facts about a relationship.
        ///
        /// - Parameters:
        ///   - key: the property.
        ///   - destination: the class of the related objects, for a property of the type `NSSet` or `NSOrderedSet`.
        ///   - inverse: the inverse relationship, as a key path of the destination: `\Author.books`. Without it, the one
        ///     relationship of the destination that leads back is the inverse; several are an error.
        ///   - isOneWay: true if there is no inverse.
        ///   - deleteRule: what a deletion does to the related objects. By default their inverse is set to nil.
        ///   - isOptional: false if an object without related objects cannot be saved.
        ///   - minimumCount: the smallest number of related objects that can be saved.
        ///   - maximumCount: the largest number of related objects that can be saved.
        ///   - isTransient: true if the relationship is not stored.
        ///   - renamedFrom: the name of the relationship in the previous version of the model.
        ///   - versionHashModifier: a text that changes the version hash.
        ///   - userInfo: entries of the user info, such as the keys of an import.
        public func relationship<Value>(
            _ key: KeyPath<Root, Value>, to destination: NSManagedObject.Type? = nil, inverse: AnyKeyPath? = nil,
            isOneWay: Bool? = nil, deleteRule: NSDeleteRule? = nil, isOptional: Bool? = nil, minimumCount: Int? = nil,
            maximumCount: Int? = nil, isTransient: Bool? = nil, renamedFrom: String? = nil,
            versionHashModifier: String? = nil, userInfo: [String: String] = [:]
        ) {}
    }

    /// A constant in a statement about an attribute: a number, text or Boolean, written as a literal.
    public struct ModelConstant: Sendable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
        ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
    {
        public init(integerLiteral value: Int64) {}
        public init(floatLiteral value: Double) {}
        public init(stringLiteral value: String) {}
        public init(booleanLiteral value: Bool) {}
    }
}

import CoreData

extension MagicalRecord.ManagedObject {
    /// Observes an attribute: its present value comes first, and another whenever it differs from the last one delivered.
    ///
    /// ```swift
    /// for try await name in user.changes(of: \.displayName) { show(name) }
    /// ```
    /// Every cause counts: the value was set in the object's context, merged from another one, refreshed, undone or rolled
    /// back. A key path may lead through to-one relationships, as `\.team?.name`, and follows them when they change. Values that
    /// change faster than the loop takes them are skipped; the newest always arrives. A number that is not a number (NaN) differs
    /// from itself, and is delivered after every pass.
    ///
    /// The loop ends when the object's deletion is saved here or merged from elsewhere, when the context is reset or its stack is
    /// torn down, and when the loop is left or its task cancelled. A deletion that is not saved delivers nothing. The
    /// sequence retains the object and its context.
    ///
    /// Call this on the queue of the object's context. Any task may iterate; values are read on that queue. Costs one read
    /// of the property after each pass of changes that contain the object, and after each save of the context.
    ///
    /// Iteration throws ``MagicalRecordError/Code/unnamedKeyPath`` for a computed property,
    /// ``MagicalRecordError/Code/unknownKey`` for one that the model does not have,
    /// ``MagicalRecordError/Code/missingContext`` for an object without a context, and errors of reading the object.
    @_disfavoredOverload
    public func changes<Value: Equatable & Sendable>(
        of property: KeyPath<Self, Value>
    ) -> MagicalRecord.LiveValues<Value> { observed(property) { $0 } }

    /// Observes a relationship in the same way, by the IDs of its objects, since objects do not leave their queue.
    ///
    /// ```swift
    /// for try await team in user.changes(of: \.team) { … }          // NSManagedObjectID?
    /// for try await messages in user.changes(of: \.messages) { … }  // Set<NSManagedObjectID>
    /// ```
    /// Ordered relationships give arrays. Changes inside of the related objects do not count. A new object has a temporary ID;
    /// once it is saved, its permanent ID follows.
    public func changes<Relationship: MagicalRecord.RelationshipValue>(
        of property: KeyPath<Self, Relationship>
    ) -> MagicalRecord.LiveValues<Relationship.IDs> { observed(property, \.relatedIDs) }

    private func observed<Property, Value: Equatable & Sendable>(
        _ property: KeyPath<Self, Property>, _ mapping: @escaping @Sendable (Property) -> Value
    ) -> MagicalRecord.LiveValues<Value> {
        // The object is used on its context's queue only; key paths never change.
        let (object, property) = (Unchecked(self), Unchecked(property))
        let path = KeyPathName.of(property.value)
        let context = Result {
            guard let context = managedObjectContext else {
                throw MagicalRecordError(
                    .missingContext, "An object without a context cannot be observed.",
                    advice: "Insert it into a context first; deleted objects have none.", entity: entity.name)
            }
            return context
        }
        return MagicalRecord.LiveValues(in: context) {
            PropertySource(of: object.value, at: path) { mapping(object.value[keyPath: property.value]) }
        }
    }
}

extension MagicalRecord {
    /// The types in which relationships are declared: a class of objects, sets and arrays of them, and optionals of these.
    public protocol RelationshipValue {
        /// The type of the related objects' IDs.
        associatedtype IDs: Equatable & Sendable

        /// The IDs of the related objects.
        var relatedIDs: IDs { get }
    }
}

extension NSManagedObject: MagicalRecord.RelationshipValue {
    /// The IDs of the related objects.
    public var relatedIDs: NSManagedObjectID { objectID }
}

extension Optional: MagicalRecord.RelationshipValue where Wrapped: MagicalRecord.RelationshipValue {
    /// The IDs of the related objects.
    public var relatedIDs: Wrapped.IDs? { map(\.relatedIDs) }
}

extension Set: MagicalRecord.RelationshipValue where Element: NSManagedObject {
    /// The IDs of the related objects.
    public var relatedIDs: Set<NSManagedObjectID> { Set<NSManagedObjectID>(lazy.map(\.objectID)) }
}

extension Array: MagicalRecord.RelationshipValue where Element: NSManagedObject {
    /// The IDs of the related objects.
    public var relatedIDs: [NSManagedObjectID] { map(\.objectID) }
}

extension NSSet: MagicalRecord.RelationshipValue {
    /// The IDs of the related objects.
    public var relatedIDs: Set<NSManagedObjectID> {
        Set(lazy.compactMap { ($0 as? NSManagedObject)?.objectID })
    }
}

extension NSOrderedSet: MagicalRecord.RelationshipValue {
    /// The IDs of the related objects.
    public var relatedIDs: [NSManagedObjectID] { array.compactMap { ($0 as? NSManagedObject)?.objectID } }
}

import CoreDataRowStorage
import CoreDataRuntimeSupport

/// One object of the graph: the values of a row, tracked by a context.
///
/// An object belongs to one ``NSManagedObjectContext`` and may be touched on that context's queue only. It starts as a
/// *fault*, which knows its identity alone; the first access to a property loads the row. Saved values are read straight
/// from the memory a fetch put them in; a changed object works on a copy of its row, and the row it copied from stays
/// behind as the snapshot that conflicts are checked against.
///
/// Objects do not keep their context alive: once it is gone, ``managedObjectContext`` is nil and properties read as nil.
open class NSManagedObject: NSObject, NSFetchRequestResult {
    // Kept small: this is what every fetched object costs, 56 bytes with the header. See RowSlab for what a row looks like.
    // The queue keeps accesses apart, so none pays for checking that.

    /// Layout tag while values may be read straight from the row, else 0.
    @exclusivity(unchecked) @usableFromInline final var _readTag: UInt32 = 0
    @exclusivity(unchecked) @usableFromInline final var _state: ObjectState = []
    @exclusivity(unchecked) @usableFromInline final var _row: UnsafeMutableRawPointer?
    @exclusivity(unchecked) @usableFromInline final var _slab: RowSlab?
    /// ``_table`` and ``_extra``, which few objects have.
    @exclusivity(unchecked) final var _attachment = ObjectAttachment()
    /// Primary key, temporary key (negative), or the entity's address while there is no table.
    @exclusivity(unchecked) final var _key: Int64

    /// Makes an object of `entity`, with the attributes' default values.
    ///
    /// - Parameters:
    ///   - entity: What it is an object of.
    ///   - context: Where to insert the object: it gets a temporary ID and `awakeFromInsert()`. nil leaves it on its own
    ///     until ``NSManagedObjectContext/insert(_:)``.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        // Not borrowed, though that would save reference counting: overrides take their arguments as Swift does by default, and
        // would release what they were only lent.
        _key = NSManagedObject.detachedKey(entity)
        super.init()
        guard let context else { return }
        Unmanaged.passUnretained(context)._withUnsafeGuaranteedRef { context in
            Unmanaged.passUnretained(self)._withUnsafeGuaranteedRef { context.insert($0) }
        }
    }

    /// The key of an object that is in no table: its entity's address.
    @inline(__always)
    final class func detachedKey(_ entity: __shared NSEntityDescription) -> Int64 {
        Int64(Int(bitPattern: Unmanaged.passUnretained(entity).toOpaque()))
    }

    /// Makes an object without naming its class: the fault of a row, a new object, a recorder of key paths. Calls the class's
    /// own `init(entity:insertInto:)`, as at Apple. Called by ``make(_:)`` alone.
    @usableFromInline convenience init(_source source: __shared _ObjectSource) {
        switch source.kind {
        case .fault:
            // What makes it a fault is set by the table: here it would cost a reference to the object.
            self.init(entity: source.table.unsafelyUnwrapped.entity, insertInto: nil)
        case .entity:
            self.init(entity: source.entity.unsafelyUnwrapped, insertInto: source.context)
        case .recorder:
            self.init(entity: RecorderModel.entity, insertInto: nil)
            move(to: .recorder)
            _state.insert(.fault)
        }
    }

    deinit {
        let attachment = _attachment
        if let table = attachment.table {
            table._withUnsafeGuaranteedRef { $0.letGo(of: self, key: _key, isRegistered: _state.isRegistered) }
        }
        attachment.extra?.release()
    }

    /// Makes an object of this class's entity that is in no context.
    ///
    /// Use ``init(context:)`` for objects to be saved. An object of a class that no model names cannot be used; that it was
    /// made is logged, as at Apple.
    public convenience override init() {
        self.init(entity: Self.entity(), insertInto: nil)
    }

    // MARK: Entity

    /// The entity whose class this is, in the models loaded by this process.
    ///
    /// A class without an entity is logged; what comes back then has no name, belongs to no model, and stops the program when
    /// it is used.
    open class func entity() -> NSEntityDescription { loadedEntity() }

    /// A request for the objects of this class's entity. Generated classes declare a typed one beside it, which is preferred.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity()
        return request
    }

    // MARK: State

    /// The context the object belongs to; nil before insertion, after a reset, after the save that deleted it, or when the
    /// context is gone.
    open var managedObjectContext: NSManagedObjectContext? { context }

    /// The entity the object is of.
    open var entity: NSEntityDescription { layout.entity }

    /// The object's identity: temporary until the object is saved, when another ID takes its place.
    open var objectID: NSManagedObjectID {
        if Probe.isOn { Probe.uses(self, .reference) }
        return identifier
    }

    /// Inserted and not saved yet.
    open var isInserted: Bool { _state.isInserted }
    /// Changed since it was fetched or saved last.
    open var isUpdated: Bool { hasUnsavedUpdate }
    /// Marked for deletion by the next save. Stays true in `didSave()` and in the notifications of that save; also true when
    /// the row turned out to have been deleted by another context.
    open var isDeleted: Bool { _state.isDeleted || _state.isErased || _state.contains(.inaccessible) }
    /// Inserted, updated or deleted since the last save.
    open var hasChanges: Bool { hasUnsavedChanges }
    /// Whether some persistent property really differs from what is saved. Loads nothing.
    open var hasPersistentChangedValues: Bool { hasPersistentChanges }
    /// Whether the values are not loaded. A fault whose row turned out to be gone is none any more: it reads as deleted.
    open var isFault: Bool { _state.intersection([.fault, .fired]) == .fault }
    /// 0 for an object that is realised and stable.
    open var faultingState: Int { isFault ? 1 : 0 }

    /// Whether the contents of a relationship are not loaded. Loads nothing.
    open func hasFault(forRelationshipNamed key: String) -> Bool { isRelationshipFault(named: key) }

    /// The IDs a relationship leads to, without making the objects.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        destinationIDs(forRelationshipNamed: key)
    }

    /// Properties whose values differ from those fetched or saved last, with their new values; `NSNull` for nil.
    ///
    /// A property set to the value it had is left out. New objects give what differs from their values at insertion: the
    /// defaults, or what they were given before. Fires no relationship faults but those that were changed.
    open func changedValues() -> [String: Any] { unsavedValues() }

    /// Properties changed since changes were last processed, with the values they had before; `NSNull` for nil.
    ///
    /// While objects-did-change is posted these are the changes it reports. For an object that is to be deleted they include
    /// the relationships that its deletion nullified.
    open func changedValuesForCurrentEvent() -> [String: Any] { valuesBeforeEvent() }

    /// The values fetched or saved last, `NSNull` for nil. Empty for an object that was never saved.
    ///
    /// - Parameter keys: Property names; nil for all persistent attributes and to-one relationships.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(forKeys: keys) }

    // MARK: Hooks

    /// Called once, right after the object was first inserted into a context. Override to set initial values; call `super` first.
    open func awakeFromInsert() {}

    /// Called each time the object's values were loaded. Changes made here to the object's own attributes are not tracked.
    open func awakeFromFetch() {}

    /// Called after undo, redo, rollback, a refresh or a merge policy changed several values at once.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called when the object is about to be deleted, its relationships still intact.
    open func prepareForDeletion() {}

    /// Called in every pass of a save over the objects it will write. Values may be set; doing so without end stops the save.
    open func willSave() {}

    /// Called after the save that wrote the object, deletions included.
    open func didSave() {}

    /// Called before values are dropped.
    open func willTurnIntoFault() {}

    /// Called after values were dropped. Properties must not be touched.
    open func didTurnIntoFault() {}

    // MARK: Validation

    /// Checks every property before an insert is saved. Override to add rules of your own; call `super` first.
    ///
    /// - Throws: A validation error of the Cocoa domain; several are collected under `NSDetailedErrorsKey`.
    open func validateForInsert() throws { try validateProperties() }

    /// Checks every property before an update is saved.
    open func validateForUpdate() throws { try validateProperties() }

    /// Checks that no relationship with the *deny* rule still leads anywhere.
    open func validateForDelete() throws { try validateDenyRules() }

    /// Checks one value against the rules of the model, and may replace it. Override to add rules for a property; call `super`.
    ///
    /// Apple's signature takes an Objective-C pointer, which does not exist here.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        try validateAgainstModel(value, forKey: key)
    }

    // MARK: Key-value coding

    /// The value of a property, through the fault if need be. nil for nil, `NSNumber` for numbers, an `NSSet` or
    /// `NSOrderedSet` of objects for to-many relationships. A key that is no property goes to ``value(forUndefinedKey:)``.
    open func value(forKey key: String) -> Any? { modeledValue(forKey: key) }

    /// Sets a property; relationships keep their inverse. A value of the wrong class is a programming error.
    open func setValue(_ value: Any?, forKey key: String) { setModeledValue(value, forKey: key) }

    /// The stored value without access notifications.
    open func primitiveValue(forKey key: String) -> Any? { storedValue(forKey: key) }

    /// Stores a value without change tracking, inverses or notifications.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) { storeValue(value, forKey: key) }

    /// Loads the object's values if they are not in memory.
    open func willAccessValue(forKey key: String?) { realise() }
    /// Closes what ``willAccessValue(forKey:)`` opened. Does nothing; there to be overridden and called.
    open func didAccessValue(forKey key: String?) {}

    /// Announces a change made through primitive values.
    @_disfavoredOverload
    open func willChangeValue(forKey key: String) { announceChange(forKey: key) }
    /// Completes a change made through primitive values: the object counts as updated.
    @_disfavoredOverload
    open func didChangeValue(forKey key: String) { completeChange(forKey: key) }

    open func willChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>
    ) { announceChange(forKey: key) }
    open func didChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>
    ) { completeChange(forKey: key) }

    /// Reached for keys that are no property: a programming error unless overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        if let undefinedKeys = UndefinedKeys.current ?? context?.undefinedKeys {
            undefinedKeys.note(key, of: entity)
            return nil
        }
        fatalError(
            "[<\(Self.self)> valueForUndefinedKey:]: the entity \(entity.name ?? "?") is not key value coding-compliant for the key \"\(key)\". Add the property to the model, or override value(forUndefinedKey:)."
        )
    }

    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        fatalError(
            "[<\(Self.self)> setValue:forUndefinedKey:]: the entity \(entity.name ?? "?") is not key value coding-compliant for the key \"\(key)\". Add the property to the model, or override setValue(_:forUndefinedKey:)."
        )
    }

    /// Reached when nil is set where a scalar accessor cannot hold it.
    open func setNilValueForKey(_ key: String) {
        fatalError("[<\(Self.self)> setNilValueForKey]: could not set nil as the value for the key \(key).")
    }

    /// Follows a dotted path, through collections and their operators (`@count`, `@sum.price` …).
    ///
    /// A path that leads nowhere is a programming error, as at Apple.
    open func value(forKeyPath keyPath: String) -> Any? { valueFollowing(keyPath) }

    /// Sets the last key of a dotted path on what the path before it leads to.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) { setValue(value, following: keyPath) }

    /// The values of several properties; `NSNull` for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }

    /// Sets several properties; `NSNull` means nil.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// A live view of a to-many relationship: changing it changes the relationship.
    open func mutableSetValue(forKey key: String) -> NSMutableSet { relationshipSet(forKey: key) }

    /// A live view of the to-many relationship at the end of a dotted path of to-one relationships.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = owner(atEndOf: keyPath)
        return owner.mutableSetValue(forKey: key)
    }

    /// A live view of an ordered to-many relationship: changing it changes the relationship.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet { relationshipOrderedSet(forKey: key) }

    /// A live view of the ordered to-many relationship at the end of a dotted path of to-one relationships.
    open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = owner(atEndOf: keyPath)
        return owner.mutableOrderedSetValue(forKey: key)
    }

    // MARK: Identity

    // Objects are equal when they are the same object, as at Apple; hashing must be cheap, since notifications carry sets.
    public final override func isEqual(_ object: Any?) -> Bool {
        ObjectComparison.isSame(object, self) ?? ((object as AnyObject?) === self)
    }
    public final override var hash: Int { Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4 }

    open override var description: String { describe() }

    /// Which properties a computed one depends on. There to be overridden: without key-value observing nobody asks.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
    /// Whether setting a property by key tells observers by itself. False, as at Apple; nobody asks either.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }

    /// Whether setting properties the model does not know counts as a change. Always true: such properties are not tracked.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }
}

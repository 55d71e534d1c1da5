import CoreDataRowStorage
import CoreDataRuntimeSupport

/// An object of the object graph: the values of a row, tracked by a context.
///
/// An object belongs to one ``NSManagedObjectContext`` and may be accessed on that context's queue only. It starts as a
/// *fault*, which has an ID but no values; the first access to a property loads the row. Saved values are read directly from
/// the memory that a fetch filled; a changed object has a private copy of its row, and the original row is the snapshot for
/// conflict detection.
///
/// Objects do not retain their context: once it is deallocated, ``managedObjectContext`` is nil and properties read as nil.
open class NSManagedObject: NSObject, NSFetchRequestResult {
    // Kept small, because every fetched object costs this much: 56 bytes with the header. See RowSlab for the format of a row.
    // The queue serializes accesses, so exclusivity is not checked.

    /// The layout's tag while values may be read directly from the row, otherwise 0.
    @exclusivity(unchecked) @usableFromInline final var _readTag: UInt32 = 0
    @exclusivity(unchecked) @usableFromInline final var _state: ObjectState = []
    @exclusivity(unchecked) @usableFromInline final var _row: UnsafeMutableRawPointer?
    @exclusivity(unchecked) @usableFromInline final var _slab: RowSlab?
    /// The table, and the ``_extra`` that few objects have.
    @exclusivity(unchecked) final var _attachment = ObjectAttachment()
    /// The primary key, the temporary key (negative), or the entity's address while there is no table.
    @exclusivity(unchecked) final var _key: Int64

    /// Creates an object of `entity`, with the attributes' default values.
    ///
    /// - Parameters:
    ///   - entity: The entity of the object. Must not be abstract if the object is inserted.
    ///   - context: The context to insert the object into: it gets a temporary ID, and `awakeFromInsert()` is called. With nil
    ///     the object is free-standing until ``NSManagedObjectContext/insert(_:)``.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        // Not borrowed, though that would save reference counting: overrides take their arguments by Swift's default
        // convention, and would release borrowed ones.
        _key = NSManagedObject.detachedKey(entity)
        super.init()
        guard let context else { return }
        Unmanaged.passUnretained(context)._withUnsafeGuaranteedRef { context in
            Unmanaged.passUnretained(self)._withUnsafeGuaranteedRef { context.insert($0) }
        }
    }

    /// Returns the key of an object that is in no table: its entity's address.
    @inline(__always)
    final class func detachedKey(_ entity: __shared NSEntityDescription) -> Int64 {
        Int64(Int(bitPattern: Unmanaged.passUnretained(entity).toOpaque()))
    }

    /// Creates an object without naming its class: the fault of a row, a new object, a recorder of key paths. Calls the class's
    /// `init(entity:insertInto:)`, as Apple's framework does. Called by ``make(_:)`` only.
    @usableFromInline convenience init(_source source: __shared _ObjectSource) {
        switch source.kind {
        case .fault:
            // The table makes it a fault: here that would cost a retain of the object.
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

    /// Creates an object of this class's entity without a context.
    ///
    /// Use ``init(context:)`` for objects to be saved. An object of a class that no model names cannot be used; its creation is
    /// logged, as by Apple's framework.
    public convenience override init() {
        self.init(entity: Self.entity(), insertInto: nil)
    }

    // MARK: Entity

    /// Returns the entity with this class in the models loaded by this process.
    ///
    /// If there is none, logs that and returns a placeholder that has no name, belongs to no model, and stops the program when
    /// it is used.
    open class func entity() -> NSEntityDescription { loadedEntity() }

    /// Returns a request for the objects of this class's entity. Generated classes declare a typed one, which is preferred.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity()
        return request
    }

    // MARK: State

    /// The context the object belongs to; nil before insertion, after a reset, after the save that deleted it, or when the
    /// context is deallocated.
    open var managedObjectContext: NSManagedObjectContext? { context }

    /// The entity of the object.
    open var entity: NSEntityDescription { layout.entity }

    /// The object's ID: temporary until the object is saved, when a permanent ID replaces it.
    open var objectID: NSManagedObjectID {
        if Probe.isOn { Probe.uses(self, .reference) }
        return identifier
    }

    /// Whether the object was inserted since the last save.
    open var isInserted: Bool { _state.isInserted }
    /// Whether the object was changed since it was fetched or last saved.
    open var isUpdated: Bool { hasUnsavedUpdate }
    /// Whether the next save deletes the object. Stays true in `didSave()` and in the notifications of that save; also true
    /// when the row was found to be deleted by another context.
    open var isDeleted: Bool { _state.isDeleted || _state.isErased || _state.contains(.inaccessible) }
    /// Whether the object was inserted, updated or deleted since the last save.
    open var hasChanges: Bool { hasUnsavedChanges }
    /// Whether a persistent property differs from its saved value. Loads nothing.
    open var hasPersistentChangedValues: Bool { hasPersistentChanges }
    /// Whether the values are not loaded. A fault with a row found to be deleted no longer is a fault: it reads as deleted.
    open var isFault: Bool { _state.intersection([.fault, .fired]) == .fault }
    /// Zero for a realized object, 1 for a fault.
    open var faultingState: Int { isFault ? 1 : 0 }

    /// Returns true if the contents of a relationship are not loaded. Loads nothing.
    open func hasFault(forRelationshipNamed key: String) -> Bool { isRelationshipFault(named: key) }

    /// Returns the IDs of a relationship's destinations, without creating the objects.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        destinationIDs(forRelationshipNamed: key)
    }

    /// Returns the properties that differ from the values last fetched or saved, with their new values; `NSNull` for nil.
    ///
    /// Omits properties set to the values they had. For new objects the result has the differences from the values at
    /// insertion: the defaults, or those set before. Does not fire relationship faults other than changed ones.
    open func changedValues() -> [String: Any] { unsavedValues() }

    /// Returns the properties changed since the last change-processing pass, with their previous values; `NSNull` for nil.
    ///
    /// While the objects-did-change notification is posted, these are the changes it reports. For an object to be deleted they
    /// include the relationships nullified by its deletion.
    open func changedValuesForCurrentEvent() -> [String: Any] { valuesBeforeEvent() }

    /// Returns the values last fetched or saved, `NSNull` for nil; empty for an object that was never saved.
    ///
    /// - Parameter keys: The names of properties; nil for all persistent attributes and to-one relationships.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(forKeys: keys) }

    // MARK: Hooks

    /// Called once, directly after the object was first inserted into a context. Override to set initial values; call `super`
    /// first.
    open func awakeFromInsert() {}

    /// Called each time the object's values were loaded. Changes of the object's attributes made here are not tracked.
    open func awakeFromFetch() {}

    /// Called after undo, redo, rollback, a refresh or a merge policy has changed several values at once.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called when the object is about to be deleted; its relationships are still intact.
    open func prepareForDeletion() {}

    /// Called in every pass of a save over the objects it will write. May set values; the save fails if these changes do not
    /// end.
    open func willSave() {}

    /// Called after the save that wrote the object, deletions included.
    open func didSave() {}

    /// Called before values are released.
    open func willTurnIntoFault() {}

    /// Called after values were released. Properties must not be accessed.
    open func didTurnIntoFault() {}

    // MARK: Validation

    /// Checks every property before an insertion is saved. Override to add rules; call `super` first.
    ///
    /// - Throws: A validation error of the Cocoa domain; several are combined under `NSDetailedErrorsKey`.
    open func validateForInsert() throws { try validateProperties() }

    /// Checks every property before an update is saved.
    open func validateForUpdate() throws { try validateProperties() }

    /// Checks that no relationship with the *deny* rule still has destinations.
    open func validateForDelete() throws { try validateDenyRules() }

    /// Checks one value against the rules of the model, and may replace it. Override to add rules for a property; call `super`.
    ///
    /// Apple's signature has an Objective-C pointer, which does not exist here.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        try validateAgainstModel(value, forKey: key)
    }

    // MARK: Key-value coding

    /// Returns the value of a property, firing the fault if needed: nil for nil, `NSNumber` for numbers, an `NSSet` or
    /// `NSOrderedSet` of objects for to-many relationships. Calls ``value(forUndefinedKey:)`` for a key that is no property.
    open func value(forKey key: String) -> Any? { modeledValue(forKey: key) }

    /// Sets a property, and the inverse of a relationship. Traps if the value has the wrong class.
    open func setValue(_ value: Any?, forKey key: String) { setModeledValue(value, forKey: key) }

    /// Returns the stored value without access notifications.
    open func primitiveValue(forKey key: String) -> Any? { storedValue(forKey: key) }

    /// Stores a value without change tracking, inverses or notifications.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) { storeValue(value, forKey: key) }

    /// Loads the object's values if they are not in memory.
    open func willAccessValue(forKey key: String?) {
        // Values that may be read directly are loaded.
        if _readTag == 0 { noteAccess(key) }
    }
    /// Ends an access begun by ``willAccessValue(forKey:)``. Does nothing; may be overridden and called.
    open func didAccessValue(forKey key: String?) {}

    /// Announces a change made through primitive values.
    @_disfavoredOverload
    open func willChangeValue(forKey key: String) { announceChange(forKey: key) }
    /// Completes a change made through primitive values: the object counts as updated.
    @_disfavoredOverload
    open func didChangeValue(forKey key: String) { completeChange(forKey: key) }

    /// Announces a change of a to-many relationship made through primitive values.
    open func willChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>
    ) { announceChange(forKey: key) }
    /// Completes a change of a to-many relationship made through primitive values: the object counts as updated.
    open func didChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>
    ) { completeChange(forKey: key) }

    /// Called when a key that is no property is read. Traps unless overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        if let undefinedKeys = UndefinedKeys.current ?? context?.undefinedKeys {
            undefinedKeys.note(key, of: entity)
            return nil
        }
        fatalError(
            "[<\(Self.self)> valueForUndefinedKey:]: the entity \(entity.name ?? "?") is not key value coding-compliant for the key \"\(key)\". Add the property to the model, or override value(forUndefinedKey:)."
        )
    }

    /// Called when a key that is no property is set. Traps unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        fatalError(
            "[<\(Self.self)> setValue:forUndefinedKey:]: the entity \(entity.name ?? "?") is not key value coding-compliant for the key \"\(key)\". Add the property to the model, or override setValue(_:forUndefinedKey:)."
        )
    }

    /// Called when nil is set where a scalar accessor cannot represent it. Traps unless overridden.
    open func setNilValueForKey(_ key: String) {
        fatalError("[<\(Self.self)> setNilValueForKey]: could not set nil as the value for the key \(key).")
    }

    /// Returns the value at a dotted key path, through collections and their operators (`@count`, `@sum.price` …). Traps if the
    /// path cannot be followed.
    open func value(forKeyPath keyPath: String) -> Any? { valueFollowing(keyPath) }

    /// Sets the last key of a dotted key path on the object that the rest of the path refers to.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) { setValue(value, following: keyPath) }

    /// Returns the values of several properties; `NSNull` for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }

    /// Sets several properties; `NSNull` means nil.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// Returns a live mutable view of a to-many relationship: changing it changes the relationship.
    open func mutableSetValue(forKey key: String) -> NSMutableSet { relationshipSet(forKey: key) }

    /// Returns a live mutable view of the to-many relationship at the end of a dotted path of to-one relationships.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = owner(atEndOf: keyPath)
        return owner.mutableSetValue(forKey: key)
    }

    /// Returns a live mutable view of an ordered to-many relationship: changing it changes the relationship.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet { relationshipOrderedSet(forKey: key) }

    /// Returns a live mutable view of the ordered to-many relationship at the end of a dotted path of to-one relationships.
    open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = owner(atEndOf: keyPath)
        return owner.mutableOrderedSetValue(forKey: key)
    }

    // MARK: Identity

    // Objects are equal if they are identical, as in Apple's framework; hashing must be cheap, because notifications contain
    // sets.
    public final override func isEqual(_ object: Any?) -> Bool {
        ObjectComparison.isSame(object, self) ?? ((object as AnyObject?) === self)
    }
    public final override var hash: Int { Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4 }

    open override var description: String { describe() }

    /// Returns the properties that a computed one depends on. Override point for source compatibility; never called, because
    /// there is no key-value observing off Apple's platforms.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
    /// Returns false, as in Apple's framework. Override point for source compatibility; never called.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }

    /// True: setting a property that the model does not have is not tracked as a change.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }
}

// The functions that generated accessors call.

import CoreDataRuntimeSupport
import Synchronization

extension NSManagedObject {
    /// Returns the value of a property. Costs a few instructions for attributes of a realized object.
    @inlinable @inline(__always)
    public final func managedValue<V: ManagedPropertyValue>(_ property: borrowing ManagedProperty) -> V {
        let location = PropertyLocation(bits: property.location.load(ordering: .relaxed))
        if location.tag == _readTag, _readTag != 0 { return V._read(self, ManagedPropertyLocation(location)) }
        if _readTag == 0 {
            // Most often a fault with a row in memory.
            fire()
            if location.tag == _readTag, _readTag != 0 { return V._read(self, ManagedPropertyLocation(location)) }
        }
        return managedValueSlowly(property)
    }

    /// Loads the values of a fault.
    @usableFromInline @inline(never)
    final func fire() {
        if !_state.isRecorder { realise() }
    }

    /// Sets a property, and the inverse of a relationship. Costs a few instructions for attributes of an object already changed
    /// since the last change-processing pass.
    @inlinable @inline(__always)
    public final func setManagedValue<V: ManagedPropertyValue>(
        _ value: __owned V, for property: borrowing ManagedProperty
    ) {
        let location = PropertyLocation(bits: property.location.load(ordering: .relaxed))
        if location.tag == _readTag, _state.rawValue & ObjectState.writable.rawValue != 0 {
            V._write(value, to: self, ManagedPropertyLocation(location))
        } else {
            setManagedValueSlowly(value, for: property)
        }
    }

    @usableFromInline @inline(never)
    final func managedValueSlowly<V: ManagedPropertyValue>(_ property: borrowing ManagedProperty) -> V {
        let isRecorder = _state.isRecorder
        let isRealised = !isRecorder && realise()
        if isRealised {
            // The common case: the first access to a fault, through an accessor used before.
            let known = PropertyLocation(bits: property.location.load(ordering: .relaxed))
            if known.tag == _readTag, _readTag != 0 { return V._read(self, ManagedPropertyLocation(known)) }
            if _readTag == 0 {
                noteRead(property.name.description)
                if known.tag == layout.tag { return V._read(self, ManagedPropertyLocation(known)) }
            }
        }
        let name = property.name.description
        if isRecorder { return KeyPathRecorder.noting(name, of: self) }
        if isRealised, let location = locate(property, V._access) { return V._read(self, location) }
        return managedValueByName(name, isRealised: isRealised)
    }

    /// Returns the value of a property that its accessor cannot read in place, or of an object without a row.
    ///
    /// Not part of the caller, which then needs no generic metadata of optionals.
    @inline(never)
    private final func managedValueByName<V: ManagedPropertyValue>(_ name: String, isRealised: Bool) -> V {
        guard isRealised else {
            if let value = V._nilValue { return value }
            if readFailed { return unreadValue(name) }
            trapOnGone(name)
        }
        let value = unmatchedValue(name)
        if let converted = V._fromValue(value) { return converted }
        if value == nil, let absent = V._nilValue { return absent }
        if value == nil { trapOnMissing(name) }
        trapOnType(name, value, V.self)
    }

    @usableFromInline @inline(never)
    final func setManagedValueSlowly<V: ManagedPropertyValue>(_ value: V, for property: borrowing ManagedProperty) {
        guard realise() else { return }
        if V._access.kind == .cell {
            // The common case: the first change in this pass, through an accessor used before.
            let known = PropertyLocation(bits: property.location.load(ordering: .relaxed))
            if known.tag == layout.tag {
                beginChange()
                if _row != nil { V._write(value, to: self, ManagedPropertyLocation(known)) }
                return
            }
        }
        let name = property.name.description
        if let location = locate(property, V._access) {
            if V._access.kind == .cell { beginChange() }
            if _row != nil { V._write(value, to: self, location) }
            return
        }
        setModeledValue(value._value, forKey: name)
    }

    /// Finds the location of a property, and caches it in the accessor if it is the same for all objects of the hierarchy.
    private final func locate(
        _ property: borrowing ManagedProperty, _ access: ManagedPropertyAccess
    ) -> ManagedPropertyLocation? {
        guard let (location, isShared) = locate(property.name.description, access) else { return nil }
        if isShared { property.location.store(location.bits, ordering: .relaxed) }
        return ManagedPropertyLocation(location)
    }

    /// Finds the location of a property, and whether it is the same for all objects of the hierarchy.
    final func locate(
        _ name: String, _ access: ManagedPropertyAccess
    ) -> (location: PropertyLocation, isShared: Bool)? {
        let layout = layout
        let index: Int
        switch (layout.members[name], access.kind) {
        case (.cell(let cell), .cell) where layout.cells[cell].kind.family == access.family && access.family != .other:
            // The row may contain the name of an external file.
            if layout.cells[cell].traits.contains(.external) { return nil }
            index = cell
        case (.cell(let cell), .toOne) where layout.cells[cell].kind == .reference:
            index = layout.cells[cell].relationshipIndex
        case (.toMany(let relationship), .toMany): index = relationship
        default: return nil
        }
        // Subentities with more than 64 properties have longer presence bits: only layouts with equal bit counts share a
        // location.
        return (
            PropertyLocation(tag: layout.tag, index: index, cellsOffset: layout.cellsOffset),
            layout.bitWords == 1 || layout.root.bitWords == layout.bitWords
        )
    }

    /// Returns the value of a property with an accessor type that does not match its cell; Foundation's classes for
    /// collections.
    private final func unmatchedValue(_ name: String) -> Any? {
        guard case .toMany(let index)? = layout.members[name] else { return modeledValue(forKey: name) }
        let toMany = loadedToMany(at: index)
        return toMany.relationship.isOrdered ? orderedSet(of: toMany) : set(of: toMany)
    }

    // MARK: Values of any type

    /// Returns the value of a transformable or untyped attribute.
    public final func managedTransformable<T>(_ property: borrowing ManagedProperty) -> T {
        let name = property.name.description
        if _state.isRecorder { return recordedValue(name) }
        let value = modeledValue(forKey: name)
        if let value, let typed = value as? T { return typed }
        // Only a transformer can return a value of any type.
        if value == nil || mayHoldAnything(name), let absent = Optional<Any>.none as? T { return absent }
        trapOnType(name, value, T.self)
    }

    private final func mayHoldAnything(_ name: String) -> Bool {
        switch layout.members[name] {
        case .cell(let index): [.transformable, .boxed].contains(layout.cells[index].kind)
        case .toMany: false
        case .composite, .fetched, nil: true
        }
    }

    /// Records a key path with a property of any type: returns nil for optionals, and otherwise ends the evaluation.
    @usableFromInline @inline(never)
    final func recordedValue<T>(_ name: String) -> T {
        guard let absent = Optional<Any>.none as? T else { KeyPathRecorder.end(name, of: self, as: T.self) }
        KeyPathRecorder.note(name, self)
        KeyPathRecorder.noteValue(absent)
        return absent
    }

    @usableFromInline final var _isRecorder: Bool { _state.isRecorder }

    /// Sets a transformable or untyped attribute.
    public final func setManagedTransformable<T>(_ value: T, for property: borrowing ManagedProperty) {
        setModeledValue(OptionalContents.unwrapped(value), forKey: property.name.description)
    }

    /// Returns true if the entity has the property. Called for properties named `primitive…`, which otherwise access stored
    /// values.
    public final func hasManagedProperty(_ property: borrowing ManagedProperty) -> Bool {
        // A key path is recorded under the property's name.
        _state.isRecorder || layout.members[property.name.description] != nil
    }

    /// Returns the stored value of a `primitive…` property, without access notifications.
    public final func managedPrimitive<V: ManagedPropertyValue>(_ property: borrowing ManagedProperty) -> V {
        let value = primitiveValue(forKey: property.name.description)
        guard let converted = V._fromValue(value) ?? V._nilValue else { trapOnGone(property.name.description) }
        return converted
    }

    /// Sets a `primitive…` property without change tracking.
    public final func setManagedPrimitive<V: ManagedPropertyValue>(_ value: V, for property: borrowing ManagedProperty)
    {
        setPrimitiveValue(value._value, forKey: property.name.description)
    }

    // MARK: To-many accessors

    /// Returns the members of a to-many relationship; nil if they could not be read, in which case the error is recorded.
    private final func readMembers(at index: Int) -> ContiguousArray<NSManagedObject>? {
        let count = context?.readErrors.count
        let members = toManyMembers(at: index)
        return context?.readErrors.count == count ? members : nil
    }

    /// True if the object returns placeholders because its row could not be read.
    private final var readFailed: Bool { lacksRow && context?.readErrors.first != nil }

    /// Returns a placeholder of a type that cannot be nil.
    private final func unreadValue<V: ManagedPropertyValue>(_ name: String) -> V {
        guard V._access.kind == .toOne else { return V._placeholder(self, name) }
        fatalError(
            "The relationship \"\(name)\" of \(objectID) could not be read (\((context?.readErrors.first as NSError?)?.localizedDescription ?? "")), and its accessor cannot give nil. Declare the relationship optional, or read the object with existingObject(with:), which throws."
        )
    }

    private final func toManyIndex(_ property: borrowing ManagedProperty) -> Int {
        let name = property.name.description
        guard case .toMany(let index)? = layout.members[name] else {
            fatalError("\"\(name)\" is no to-many relationship of \(entity.name ?? "?").")
        }
        return index
    }

    /// Adds an object to a to-many relationship: the body of `addToBooks(_: Book)` in generated classes.
    public final func addManagedObject(_ object: NSManagedObject, to property: borrowing ManagedProperty) {
        addToMany(object, at: toManyIndex(property))
    }

    /// Removes an object from a to-many relationship: the body of `removeFromBooks(_: Book)`.
    public final func removeManagedObject(_ object: NSManagedObject, from property: borrowing ManagedProperty) {
        removeFromMany(object, at: toManyIndex(property))
    }

    /// Adds several objects: the body of `addToBooks(_: NSSet)`.
    public final func addManagedObjects(_ objects: NSSet, to property: borrowing ManagedProperty) {
        let index = toManyIndex(property)
        for case let object as NSManagedObject in objects { addToMany(object, at: index) }
    }

    /// Adds several objects at the end, in order: the body of `addToBooks(_: NSOrderedSet)`.
    public final func addManagedObjects(_ objects: NSOrderedSet, to property: borrowing ManagedProperty) {
        let index = toManyIndex(property)
        for case let object as NSManagedObject in objects.array { addToMany(object, at: index) }
    }

    /// Removes several objects: the body of `removeFromBooks(_: NSSet)`.
    public final func removeManagedObjects(_ objects: NSSet, from property: borrowing ManagedProperty) {
        let index = toManyIndex(property)
        for case let object as NSManagedObject in objects { removeFromMany(object, at: index) }
    }

    /// Removes several objects: the body of `removeFromBooks(_: NSOrderedSet)`.
    public final func removeManagedObjects(_ objects: NSOrderedSet, from property: borrowing ManagedProperty) {
        let index = toManyIndex(property)
        for case let object as NSManagedObject in objects.array { removeFromMany(object, at: index) }
    }

    /// Inserts an object at a position of an ordered relationship: the body of `insertIntoBooks(_:at:)`.
    public final func insertManagedObject(
        _ object: NSManagedObject, into property: borrowing ManagedProperty, at position: Int
    ) {
        addToMany(object, at: toManyIndex(property), position: position)
    }

    /// Inserts several objects, each at its position: the body of `insertIntoBooks(_: [Book], at: NSIndexSet)`.
    public final func insertManagedObjects(
        _ objects: [NSManagedObject], into property: borrowing ManagedProperty, at positions: NSIndexSet
    ) {
        let index = toManyIndex(property)
        for (object, position) in zip(objects, positions as IndexSet) {
            addToMany(object, at: index, position: position)
        }
    }

    /// Removes the object at a position: the body of `removeFromBooks(at: Int)`.
    public final func removeManagedObject(from property: borrowing ManagedProperty, at position: Int) {
        let index = toManyIndex(property)
        guard let members = readMembers(at: index) else { return }
        removeFromMany(members[position], at: index)
    }

    /// Removes the objects at several positions: the body of `removeFromBooks(at: NSIndexSet)`.
    public final func removeManagedObjects(from property: borrowing ManagedProperty, at positions: NSIndexSet) {
        let index = toManyIndex(property)
        guard let members = readMembers(at: index) else { return }
        for position in positions as IndexSet { removeFromMany(members[position], at: index) }
    }

    /// Replaces the object at a position: the body of `replaceBooks(at:with:)`.
    public final func replaceManagedObject(
        in property: borrowing ManagedProperty, at position: Int, with object: NSManagedObject
    ) {
        let index = toManyIndex(property)
        guard var members = readMembers(at: index) else { return }
        members[position] = object
        setToMany(members, at: index)
    }

    /// Replaces the objects at several positions: the body of `replaceBooks(at: NSIndexSet, with: [Book])`.
    public final func replaceManagedObjects(
        in property: borrowing ManagedProperty, at positions: NSIndexSet, with objects: [NSManagedObject]
    ) {
        let index = toManyIndex(property)
        guard var members = readMembers(at: index) else { return }
        for (object, position) in zip(objects, positions as IndexSet) { members[position] = object }
        setToMany(members, at: index)
    }
}

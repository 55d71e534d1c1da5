import CoreDataRowStorage

// Relationships and their inverses.

extension NSManagedObject {
    // MARK: To-one

    /// Returns the destination of a to-one relationship, as a fault if it is not in memory.
    @usableFromInline
    final func toOne(at index: Int) -> NSManagedObject? {
        if let extra = _extra, index < extra.relationships.count, let object = extra.relationships[index] {
            return unsafeDowncast(object, to: NSManagedObject.self)
        }
        guard realise(), let row = _row else { return nil }
        let layout = layout
        let cell = layout.relationships[index].cell
        guard EntityLayout.isPresent(row, cell), let table = _table, let context else { return nil }
        let reference = RowReference(bits: layout.bits(row, cell))
        guard let object = context.object(reference, near: table),
            context.isDestination(object, of: layout.relationships[index])
        else { return nil }
        materialise(object, at: index)
        if Probe.isOn { Probe.approaches(object, from: self, layout.relationships[index]) }
        return object
    }

    /// Returns true if a relationship is materialized.
    final func isMaterialised(_ index: Int) -> Bool {
        guard let extra = _extra, index < extra.relationships.count else { return false }
        return extra.relationships[index] != nil
    }

    final func materialise(_ object: AnyObject?, at index: Int) {
        let extra = extra
        if extra.relationships.isEmpty {
            extra.relationships = ContiguousArray(repeating: nil, count: layout.relationships.count)
        }
        extra.relationships[index] = object
    }

    /// Sets a to-one relationship and its inverse.
    @usableFromInline
    final func setToOne(_ value: NSManagedObject?, at index: Int) {
        guard realise() else { return }
        let old = toOne(at: index)
        let relationship = layout.relationships[index]
        if let value { checkMayRelate(to: value, relationship) }
        // Both sides change, or neither does.
        guard old === value || old?.canLeave(relationship) != false && value?.canJoin(relationship) != false else {
            return
        }
        beginChange()
        guard old !== value else {
            markCellChanged(relationship.cell)
            return
        }
        storeToOne(value, relationship)
        guard let inverse = relationship.description.inverseRelationship, !_state.contains(.awaking) else { return }
        old?.removeInverse(inverse.name, self)
        value?.addInverse(inverse.name, self)
    }

    /// Writes the cell, but not the inverse.
    final func storeToOne(_ value: NSManagedObject?, _ relationship: EntityLayout.Relationship) {
        guard let row = _row else { return }
        if let value {
            layout.set(row, relationship.cell, UInt64(bitPattern: value.reference.bits))
        } else {
            layout.clear(row, relationship.cell)
        }
        markCellChanged(relationship.cell)
        materialise(value, at: relationship.index)
    }

    // MARK: To-many

    /// Returns the contents of a to-many relationship, loaded or not.
    final func toMany(at index: Int) -> ToMany {
        if let extra = _extra, index < extra.relationships.count, let object = extra.relationships[index] {
            return unsafeDowncast(object, to: ToMany.self)
        }
        // An object that was never saved has no stored members.
        let toMany = ToMany(layout.relationships[index], isFault: !_state.isInserted && _table != nil)
        materialise(toMany, at: index)
        return toMany
    }

    /// Returns the contents of a to-many relationship, loaded. If it could not be read, it is still a fault without members,
    /// and the context has recorded the error.
    final func loadedToMany(at index: Int) -> ToMany {
        let toMany = toMany(at: index)
        guard toMany.isFault else { return toMany }
        do {
            try fill(toMany)
        } catch {
            context?.note(readError: error, of: self)
        }
        return toMany
    }

    /// Returns the contents of a to-many relationship, loaded.
    ///
    /// - Throws: Errors of the store. The next access tries again.
    final func loadToMany(at index: Int) throws -> ToMany {
        let toMany = toMany(at: index)
        if toMany.isFault { try fill(toMany) }
        return toMany
    }

    private final func fill(_ toMany: ToMany) throws {
        if let context, !_state.isOut {
            context.checkQueue(self)
            toMany.fill(try context.storedMembers(of: self, toMany.relationship))
        } else {
            toMany.fill([])
        }
    }

    @usableFromInline
    final func toManyMembers(at index: Int) -> ContiguousArray<NSManagedObject> {
        guard realise() else { return [] }
        return loadedToMany(at: index).members
    }

    /// Returns the set that an accessor created of a to-many relationship, if it is still valid.
    @usableFromInline
    final func vendedSet(at index: Int) -> AnyObject? {
        guard realise(), let extra = _extra, index < extra.relationships.count,
            let toMany = extra.relationships[index]
        else { return nil }
        return unsafeDowncast(toMany, to: ToMany.self).vendedSet
    }

    @usableFromInline
    final func keep(_ set: AnyObject, at index: Int) {
        guard let extra = _extra, index < extra.relationships.count, let toMany = extra.relationships[index] else {
            return
        }
        let contents = unsafeDowncast(toMany, to: ToMany.self)
        // An unreadable relationship has no set to be reused.
        if !contents.isFault { contents.vendedSet = set }
    }

    /// Returns the position of an object in a to-many relationship.
    final func toManyIndex(of object: NSManagedObject, at index: Int) -> Int? {
        guard realise() else { return nil }
        return loadedToMany(at: index).index(of: object)
    }

    /// Replaces the contents of a to-many relationship, keeping the order of `members` if it is ordered.
    @usableFromInline
    final func setToMany(_ members: ContiguousArray<NSManagedObject>, at index: Int) {
        guard realise() else { return }
        let toMany = loadedToMany(at: index)
        guard !toMany.isFault else { return }
        let relationship = toMany.relationship
        let wanted = Set(members.map(ObjectIdentifier.init))
        var joining = wanted
        for member in toMany.members { joining.remove(ObjectIdentifier(member)) }
        // Only new members are checked: a member with a row deleted by another context no longer has a context.
        for member in members where joining.contains(ObjectIdentifier(member)) {
            checkMayRelate(to: member, relationship)
            guard member.canJoin(relationship) else { return }
        }
        for member in toMany.members where !wanted.contains(ObjectIdentifier(member)) {
            guard member.canLeave(relationship) else { return }
        }
        beginChange()
        for member in toMany.members where !wanted.contains(ObjectIdentifier(member)) {
            remove(member, from: toMany)
        }
        for member in members where joining.remove(ObjectIdentifier(member)) != nil {
            insert(member, into: toMany, at: nil)
        }
        if relationship.isOrdered {
            var seen: Set<ObjectIdentifier> = []
            let order = ContiguousArray(members.lazy.filter { seen.insert(ObjectIdentifier($0)).inserted })
            if !order.elementsEqual(toMany.members, by: ===) { toMany.reorder(order) }
        }
    }

    /// Adds one object; does nothing if it is a member already.
    final func addToMany(_ object: NSManagedObject, at index: Int, position: Int? = nil) {
        guard realise() else { return }
        let relationship = layout.relationships[index]
        checkMayRelate(to: object, relationship)
        // If the inverse is a to-one relationship, membership is known without loading the members.
        if let inverse = relationship.description.inverseRelationship, !inverse.isToMany, position == nil,
            let back = object.layout.relationshipIndex(named: inverse.name), object.toOne(at: back) === self
        {
            beginChange()
            return
        }
        let isLoaded =
            position != nil || relationship.isOrdered
            || relationship.description.inverseRelationship?.isToMany != false
        let toMany = isLoaded ? loadedToMany(at: index) : toMany(at: index)
        guard !(toMany.isFault && isLoaded), object.canJoin(relationship) else { return }
        beginChange()
        if !toMany.isFault, let current = toMany.index(of: object) {
            if let position, position != current { move(object, to: position, in: toMany) }
            return
        }
        insert(object, into: toMany, at: position)
    }

    final func removeFromMany(_ object: NSManagedObject, at index: Int) {
        guard realise() else { return }
        let toMany = loadedToMany(at: index)
        guard toMany.contains(object), object.canLeave(toMany.relationship) else { return }
        beginChange()
        remove(object, from: toMany)
    }

    private func move(_ object: NSManagedObject, to position: Int, in toMany: ToMany) {
        var order = toMany.members
        order.removeAll { $0 === object }
        order.insert(object, at: min(position, order.count))
        toMany.reorder(order)
    }

    private func insert(_ object: NSManagedObject, into toMany: ToMany, at position: Int?) {
        toMany.insert(object, at: position)
        guard let inverse = toMany.relationship.description.inverseRelationship else { return }
        object.addInverse(inverse.name, self)
    }

    private func remove(_ object: NSManagedObject, from toMany: ToMany) {
        toMany.remove(object)
        guard let inverse = toMany.relationship.description.inverseRelationship else { return }
        object.removeInverse(inverse.name, self)
    }

    // MARK: The other side

    /// Adds `object`, which now refers to this object through the inverse of the relationship `name`, to that relationship.
    final func addInverse(_ name: String, _ object: NSManagedObject) {
        guard let index = layout.relationshipIndex(named: name), realise() else { return }
        let relationship = layout.relationships[index]
        if relationship.isToMany {
            let toMany = toMany(at: index)
            if !toMany.isFault, toMany.contains(object) { return }
            beginChange()
            toMany.insert(object)
        } else {
            let previous = toOne(at: index)
            guard previous !== object else { return }
            beginChange()
            storeToOne(object, relationship)
            // The previous destination no longer refers to this object.
            if let previous, let forward = relationship.description.inverseRelationship {
                previous.removeInverse(forward.name, self)
            }
        }
    }

    /// Removes `object`, which no longer refers to this object, from the relationship.
    final func removeInverse(_ name: String, _ object: NSManagedObject) {
        guard let index = layout.relationshipIndex(named: name), realise() else { return }
        let relationship = layout.relationships[index]
        if relationship.isToMany {
            let toMany = toMany(at: index)
            if !toMany.isFault, !toMany.contains(object) { return }
            beginChange()
            toMany.remove(object)
        } else {
            guard toOne(at: index) === object else { return }
            beginChange()
            storeToOne(nil, relationship)
        }
    }

    /// Returns true if this object can become a member of another's relationship: the inverse here changes, and possibly that
    /// of its former owner. False if these could not be read, in which case the error is recorded.
    fileprivate final func canJoin(_ relationship: EntityLayout.Relationship) -> Bool {
        guard let inverse = relationship.description.inverseRelationship else { return true }
        guard isReadable else { return false }
        guard !inverse.isToMany, let index = layout.relationshipIndex(named: inverse.name) else { return true }
        return toOne(at: index)?.isReadable != false
    }

    /// Returns true if this object can be removed from another's relationship: the inverse here changes. False if that could
    /// not be read, in which case the error is recorded.
    fileprivate final func canLeave(_ relationship: EntityLayout.Relationship) -> Bool {
        relationship.description.inverseRelationship == nil || isReadable
    }

    // MARK: Deletion

    /// Returns the current destinations of a relationship.
    final func destinations(of relationship: EntityLayout.Relationship) -> ContiguousArray<NSManagedObject> {
        if relationship.isToMany { return toManyMembers(at: relationship.index) }
        return toOne(at: relationship.index).map { [$0] } ?? []
    }

    /// Removes this object, which is being deleted, from the inverse of a relationship. The relationship stays readable here.
    final func withdraw(from relationship: EntityLayout.Relationship) {
        guard let inverse = relationship.description.inverseRelationship else { return }
        for destination in destinations(of: relationship) where !destination._state.isDeleted {
            destination.removeInverse(inverse.name, self)
        }
    }

    /// Adds this object, after its deletion was canceled, to the inverses of its relationships again.
    ///
    /// - Parameter onlyWhereSaved: Skips saved objects that did not relate to this object when last read: another context has
    ///   removed it from them.
    final func reconnect(onlyWhereSaved: Bool = false) {
        for relationship in layout.relationships {
            guard let inverse = relationship.description.inverseRelationship else { continue }
            // Relationships that were not loaded were not withdrawn from either.
            if relationship.isToMany, hasFault(forRelationshipNamed: relationship.name) { continue }
            for destination in destinations(of: relationship)
            where destination.context === context && !destination._state.isDeleted {
                if onlyWhereSaved, !destination.wasSaved(inverse.name, relatedTo: self) { continue }
                destination.addInverse(inverse.name, self)
            }
        }
    }

    /// Returns true if the relationship included `object` when this object was last fetched or saved. Always true for a new
    /// object.
    private final func wasSaved(_ name: String, relatedTo object: NSManagedObject) -> Bool {
        guard !_state.isInserted, let index = layout.relationshipIndex(named: name) else { return true }
        if layout.relationships[index].isToMany { return toMany(at: index).removed.contains { $0 === object } }
        return savedValues(forKeys: [name])[name] as? NSManagedObject === object
    }

    // MARK: Rules

    private func checkMayRelate(to value: NSManagedObject, _ relationship: EntityLayout.Relationship) {
        if let destination = relationship.description.destinationEntity, value.entity !== destination,
            !value.layout.isKind(of: EntityLayout.of(destination))
        {
            fatalError(
                "Unacceptable type of value for \(relationship.isToMany ? "to-many" : "to-one") relationship: property = \"\(relationship.name)\"; entity = \(entity.name ?? "?"); desired type = \(destination.name ?? "?"); given type = \(value.entity.name ?? "?"). Relate objects of the destination entity only."
            )
        }
        if Probe.isOn { Probe.uses(value, .reference) }
        guard context !== value.context else { return }
        preconditionFailure(
            "Illegal attempt to establish a relationship '\(relationship.name)' between objects in different contexts (source = \(objectID), destination = \(value.objectID)). Get the object into this context first, with object(with: objectID) or insert(_:)."
        )
    }
}

extension EntityLayout {
    func relationshipIndex(named name: String) -> Int? {
        switch members[name] {
        case .toMany(let index): index
        case .cell(let cell) where cells[cell].relationshipIndex >= 0: cells[cell].relationshipIndex
        default: nil
        }
    }
}

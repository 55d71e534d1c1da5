import CoreDataRowStorage
import CoreDataRuntimeSupport

// Properties by name: the slow path, for code without accessors.

extension NSManagedObject {
    final func modeledValue(forKey key: String) -> Any? {
        guard let member = layout.members[key] else {
            return unmodeledValue(forKey: key)
        }
        if _state.isRecorder { return nil }
        if case .cell(let index) = member, layout.cells[index].isTransient, let computed = computedValue(forKey: key) {
            return computed
        }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return value(of: member)
    }

    private func unmodeledValue(forKey key: String) -> Any? {
        switch key {
        case "objectID": identifier
        case "self", "SELF": self
        case "entity": entity
        case "managedObjectContext": managedObjectContext
        case "isDeleted", "deleted": isDeleted
        case "isInserted", "inserted": isInserted
        case "isUpdated", "updated": isUpdated
        case "isFault", "fault": isFault
        case "hasChanges": hasChanges
        case "hasPersistentChangedValues": hasPersistentChangedValues
        case "description": description
        default: computedValue(forKey: key) ?? value(forUndefinedKey: key)
        }
    }

    /// Returns the value of a property of a realized object.
    final func value(of member: EntityLayout.Member) -> Any? {
        switch member {
        case .cell(let index):
            let cell = layout.cells[index]
            if cell.kind == .reference { return toOne(at: cell.relationshipIndex) }
            return cellValue(cell)
        case .toMany(let index):
            guard realise() else { return nil }
            return collection(of: loadedToMany(at: index))
        case .composite(_, let cells):
            return composite(cells, value: cellValue)
        case .fetched:
            return member.fetchedProperty.flatMap(fetchedValue)
        }
    }

    final func cellValue(_ cell: EntityLayout.Cell) -> Any? {
        guard let row = _row, let slab = _slab else { return nil }
        if cell.kind == .boxed || cell.kind == .transformable, let value = _extra?.boxed[cell.index] { return value }
        guard EntityLayout.isPresent(row, cell.index) else { return nil }
        if let file = layout.file(row, cell.index) { return externalValueOrNil(file, cell) }
        let value = CellCoding.decode(layout.bits(row, cell.index), as: cell, in: slab)
        if cell.kind == .transformable {
            if value == nil { requireTransformer(of: cell) }
            extra.setBoxed(value, at: cell.index)
        }
        return value
    }

    /// Returns the collection that key-value coding uses for a to-many relationship: an `NSSet` or an `NSOrderedSet`.
    final func collection(of toMany: ToMany) -> Any {
        toMany.relationship.isOrdered ? orderedSet(of: toMany) : set(of: toMany)
    }

    final func orderedSet(of toMany: ToMany) -> NSOrderedSet {
        if let vended = toMany.vended as? NSOrderedSet { return vended }
        // The relationship could not be read: the result is not cached.
        if toMany.isFault { return NSOrderedSet() }
        let set = NSOrderedSet(array: Array(toMany.members))
        toMany.vended = set
        return set
    }

    final func set(of toMany: ToMany) -> NSSet {
        if let vended = toMany.vended as? NSSet { return vended }
        if toMany.isFault { return NSSet() }
        let set = NSSet(array: Array(toMany.members))
        toMany.vended = set
        return set
    }

    final func setModeledValue(_ value: Any?, forKey key: String) {
        guard let member = layout.members[key] else {
            // Key-value coding calls `setDate:` both for the key "date" and for "Date".
            if let name = layout.name(writtenAs: key) { return setValue(value, forKey: name) }
            setValue(value, forUndefinedKey: key)
            return
        }
        switch member {
        case .cell(let index) where layout.cells[index].kind == .reference:
            let cell = layout.cells[index]
            guard let object = acceptedObject(value, cell.name) else {
                return setToOne(nil, at: cell.relationshipIndex)
            }
            setToOne(object, at: cell.relationshipIndex)
        case .toMany(let index):
            setToMany(acceptedMembers(value, key), at: index)
        case .cell, .composite:
            willChangeValue(forKey: key)
            store(value, in: member, key)
            didChangeValue(forKey: key)
        case .fetched:
            preconditionFailure(
                "The fetched property \"\(key)\" of \(entity.name ?? "?") cannot be set. Change what it fetches.")
        }
    }

    private func acceptedObject(_ value: Any?, _ key: String) -> NSManagedObject? {
        guard let value, !(value is NSNull) else { return nil }
        if let object = value as? NSManagedObject { return object }
        guard let value = OptionalContents.unwrapped(value) else { return nil }
        failOnType(key, "a managed object", value)
    }

    private func acceptedMembers(_ value: Any?, _ key: String) -> ContiguousArray<NSManagedObject> {
        guard let value, !(value is NSNull) else { return [] }
        if let members = value as? Set<NSManagedObject> { return ContiguousArray(members) }
        guard let value = OptionalContents.unwrapped(value) else { return [] }
        let elements: [Any]
        switch value {
        case let ordered as NSOrderedSet: elements = ordered.array
        case let set as NSSet: elements = set.allObjects
        case let array as [Any]: elements = array
        default: failOnType(key, "a set of managed objects", value)
        }
        return ContiguousArray(
            elements.map {
                guard let object = $0 as? NSManagedObject else { failOnType(key, "a set of managed objects", $0) }
                return object
            })
    }

    // MARK: Raw storage

    final func storedValue(forKey key: String) -> Any? {
        guard let member = layout.members[key] else { return value(forUndefinedKey: key) }
        guard realise() else { return nil }
        return value(of: member)
    }

    final func storeValue(_ value: Any?, forKey key: String) {
        guard let member = layout.members[key] else { return setValue(value, forUndefinedKey: key) }
        guard realise() else { return }
        if !_state.contains(.ownsRow) { makeOwnRow() }
        noteUnannouncedValues()
        switch member {
        case .cell(let index) where layout.cells[index].kind == .reference:
            let relationship = layout.relationships[layout.cells[index].relationshipIndex]
            storeToOne(acceptedObject(value, key), relationship)
        case .cell(let index):
            store(value, in: layout.cells[index])
            // Written along with other changes, but does not mark the object as updated.
            markCellChanged(index)
        case .toMany(let index):
            let toMany = loadedToMany(at: index)
            guard !toMany.isFault else { return }
            let members = acceptedMembers(value, key)
            for member in toMany.members where !members.contains(where: { $0 === member }) { toMany.remove(member) }
            for member in members where !toMany.contains(member) { toMany.insert(member) }
        case .composite: store(value, in: member, key)
        case .fetched: extra.fetched[key] = value as? [NSManagedObject]
        }
    }

    /// Stores an attribute's value in the object's private row.
    private func store(_ value: Any?, in member: EntityLayout.Member, _ key: String) {
        switch member {
        case .cell(let index): store(value, in: layout.cells[index])
        case .composite(_, let cells):
            let elements = acceptedElements(value, cells, key)
            for index in cells {
                let cell = layout.cells[index]
                store(CompositeValue.element(at: cell.elementPath, of: elements), in: cell)
                markCellChanged(index)
            }
        default: break
        }
    }

    final func store(_ value: Any?, in cell: EntityLayout.Cell) {
        guard let row = _row else { return }
        let layout = layout
        var value = value
        if cell.kind == .transformable || cell.kind == .boxed {
            value = value.flatMap(OptionalContents.unwrapped)
            if let value, !(value is NSNull) {
                if cell.kind == .transformable { requireTransformer(of: cell) }
                extra.setBoxed(Self.boxedNumber(value) ?? value, at: cell.index)
            } else {
                _extra?.setBoxed(nil, at: cell.index)
            }
        }
        if cell.kind == .string, var text = value as? String {
            let range = text.withUTF8 { ownSlab(adding: $0.count).append($0.baseAddress, count: $0.count) }
            return layout.set(_row!, cell.index, range.bits)
        }
        switch CellCoding.encode(value, as: cell) {
        case .absent, .boxed: layout.clear(row, cell.index)
        case .bits(let bits): layout.set(row, cell.index, bits)
        case .bytes(let data):
            let range = data.withUnsafeBytes { ownSlab(adding: $0.count).append($0.baseAddress, count: $0.count) }
            layout.set(_row!, cell.index, range.bits)
        case .mismatch:
            // The `Any` contains an optional, which is nil or must be unwrapped.
            if let given = value, given is any OptionalValue {
                return store(OptionalContents.unwrapped(given), in: cell)
            }
            failOnType(cell.name, cell.attribute?.attributeValueClassName ?? "a value of the attribute's type", value!)
        }
    }

    /// Returns a number in the form read from the store, which can be cast to every type that represents it.
    private static func boxedNumber(_ value: Any) -> NSNumber? {
        guard value is any BinaryInteger || value is any BinaryFloatingPoint || value is Bool else { return nil }
        return value as? NSNumber
    }

    /// Stops the program if the transformer of an attribute is missing, because its value would be lost.
    final func requireTransformer(of cell: EntityLayout.Cell) {
        guard let failure = cell.coder?.failure(in: layout.name) else { return }
        preconditionFailure("\(failure.localizedDescription) \(failure.localizedRecoverySuggestion ?? "")")
    }

    final func failOnType(_ key: String, _ desired: String, _ value: Any) -> Never {
        fatalError(
            "Unacceptable type of value for attribute: property = \"\(key)\"; entity = \(entity.name ?? "?"); desired type = \(desired); given type = \(type(of: value)); value = \(value). Convert the value before setting it."
        )
    }
}

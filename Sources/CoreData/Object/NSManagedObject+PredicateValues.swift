import CoreDataRowStorage
import PredicateFormat

// Reading attributes for comparisons, mostly directly from the row.

extension NSManagedObject {
    /// Returns the value of a property as predicates compare it.
    ///
    /// Numbers, dates and strings of the model are read directly from the row, without `value(forKey:)` and without boxing;
    /// everything else is read by `value(forKey:)`.
    @_implements(KeyValueCoding,predicateValue(forKey:))
    public final func _predicateValue(forKey key: PredicateKey) -> PredicateValue {
        let layout = layout
        guard let index = key.place(for: layout.tag) ?? comparableCell(key, layout) else {
            return PredicateValue(value(forKey: key.name))
        }
        return comparableValue(at: index, key, layout)
    }

    /// Returns the value of `predicateValue(forKey:)`, but throws instead of trapping; see ``valueThrowing(forKey:)``.
    public func predicateValueThrowing(forKey key: PredicateKey) throws -> PredicateValue {
        let layout = layout
        guard let index = key.place(for: layout.tag) ?? comparableCell(key, layout) else {
            return PredicateValue(try valueThrowing(forKey: key.name))
        }
        return comparableValue(at: index, key, layout)
    }

    /// Returns the value of a property like ``value(forKey:)``, but throws instead of trapping.
    ///
    /// Predicates and expressions read keys through this function. A key that only other entities of the object's hierarchy
    /// have returns nil, as in a fetch, because their rows share a table.
    ///
    /// An external value with an unreadable file, for which `value(forKey:)` returns nil, throws `NSFileReadNoSuchFileError`,
    /// or `NSFileReadUnknownError` if the file exists.
    ///
    /// - Throws: `PredicateEvaluationError` with the code `undefinedKey` for a key that is no property of the entity, unless
    ///   the class overrides ``value(forKey:)`` or ``value(forUndefinedKey:)`` for it.
    public func valueThrowing(forKey key: String) throws -> Any? {
        if layout.members[key] != nil {
            let value = value(forKey: key)
            if value == nil { try requireExternalValue(key) }
            return value
        }
        let (value, undefined) = UndefinedKeys.collect { self.value(forKey: key) }
        guard let undefined else { return value }
        if undefined.key == key, entity.isKeyOfHierarchy(key) { return nil }
        if let collector = context?.undefinedKeys {
            // Fetches and migrations report the key, together with the request or the mapping.
            collector.note(undefined.key, of: undefined.entity)
            return nil
        }
        throw PredicateEvaluationError.undefinedKey(undefined.key, of: undefined.entity)
    }

    @inline(__always)
    private func comparableValue(at index: Int, _ key: PredicateKey, _ layout: EntityLayout) -> PredicateValue {
        if _state.isRecorder { return .null }
        willAccessValue(forKey: key.name)
        defer { didAccessValue(forKey: key.name) }
        guard let row = _row, let slab = _slab, EntityLayout.isPresent(row, index) else { return .null }
        let bits = layout.bits(row, index)
        switch layout.cells[index].kind {
        case .int16: return .number(.int(Int64(Int16(truncatingIfNeeded: bits))))
        case .int32: return .number(.int(Int64(Int32(truncatingIfNeeded: bits))))
        case .int64: return .number(.int(Int64(bitPattern: bits)))
        case .boolean: return .number(.int(bits != 0 ? 1 : 0))
        case .double, .float: return .number(.double(Double(bitPattern: bits)))
        case .date: return .date(Double(bitPattern: bits))
        case .string: return .string(String(decoding: slab.bytes(HeapRange(bits: bits)), as: UTF8.self))
        default: return PredicateValue(cellValue(layout.cells[index]))
        }
    }

    /// Returns the cell of an attribute that is read from the row alone, and caches it in the key.
    private func comparableCell(_ key: PredicateKey, _ layout: EntityLayout) -> Int? {
        // The class may compute a transient attribute.
        guard case .cell(let index)? = layout.members[key.name], !layout.cells[index].isTransient else { return nil }
        switch layout.cells[index].kind {
        case .int16, .int32, .int64, .boolean, .double, .float, .date, .string, .decimal, .uuid:
            key.remember(index, for: layout.tag)
            return index
        default: return nil
        }
    }
}

extension NSEntityDescription {
    /// Returns true if an entity of this one's hierarchy has a property of that name.
    func isKeyOfHierarchy(_ key: String) -> Bool {
        var root = self
        while let superentity = root.superentity { root = superentity }
        var pending = [root]
        while let entity = pending.popLast() {
            if entity.propertiesByName[key] != nil { return true }
            pending += entity.subentities
        }
        return false
    }
}

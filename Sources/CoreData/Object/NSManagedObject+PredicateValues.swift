import PredicateFormat

// What comparisons read most often: attributes, from where they lie in the row.

extension NSManagedObject {
    /// The value of a property as predicates compare it.
    ///
    /// Numbers, dates and strings of the model come straight from the row, without `value(forKey:)` and without an object
    /// round them; everything else comes from `value(forKey:)`.
    @_implements(KeyValueCoding,predicateValue(forKey:))
    public final func _predicateValue(forKey key: PredicateKey) -> PredicateValue {
        let layout = layout
        guard let index = key.place(for: layout.tag) ?? comparableCell(key, layout) else {
            return PredicateValue(value(forKey: key.name))
        }
        if _state.contains(.recorder) { return .null }
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

    /// The cell of an attribute that is read from the row alone; the key remembers it.
    private func comparableCell(_ key: PredicateKey, _ layout: EntityLayout) -> Int? {
        guard case .cell(let index)? = layout.members[key.name] else { return nil }
        switch layout.cells[index].kind {
        case .int16, .int32, .int64, .boolean, .double, .float, .date, .string, .decimal, .uuid:
            key.remember(index, for: layout.tag)
            return index
        default: return nil
        }
    }
}

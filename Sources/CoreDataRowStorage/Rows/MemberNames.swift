/// The properties of an entity by name, as ``EntityLayout/Member``s.
///
/// Encoded as integers, so that the dictionary's type is already known to the runtime: see ``ObjectTable``.
@usableFromInline
package struct MemberNames {
    /// Twice the index of a slot; twice that of a to-many relationship plus one; or, below zero, an index into the others.
    @usableFromInline var codes: [String: Int]
    @usableFromInline var others: [EntityLayout.Member] = []

    package init(minimumCapacity: Int) { codes = [String: Int](minimumCapacity: minimumCapacity) }

    package var names: some Collection<String> { codes.keys }

    package internal(set) subscript(name: String) -> EntityLayout.Member? {
        @inlinable @inline(__always)
        get {
            guard let code = codes[name] else { return nil }
            if code < 0 { return others[-1 - code] }
            return code & 1 == 0 ? .cell(code >> 1) : .toMany(code >> 1)
        }
        set {
            switch newValue {
            case .cell(let index)?: codes[name] = index << 1
            case .toMany(let index)?: codes[name] = index << 1 | 1
            case let other?:
                others.append(other)
                codes[name] = -others.count
            case nil: codes[name] = nil
            }
        }
    }
}

/// The table of an object, or its extra (which then holds the table), in one word. The lowest bit distinguishes them.
///
/// References are counted manually: an object retains its extra, and tables count their objects themselves.
struct ObjectAttachment {
    private let bits: UInt

    init() { bits = 0 }

    @inline(__always)
    init(_ table: EntityTable) { bits = UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque()) }

    init(_ table: Unmanaged<EntityTable>?) { bits = UInt(bitPattern: table?.toOpaque()) }

    init(_ extra: Unmanaged<ObjectExtra>) { bits = UInt(bitPattern: extra.toOpaque()) | 1 }

    @inline(__always)
    var table: Unmanaged<EntityTable>? {
        if let extra { return extra._withUnsafeGuaranteedRef { $0.table } }
        return UnsafeRawPointer(bitPattern: bits).map(Unmanaged.fromOpaque)
    }

    @inline(__always)
    var extra: Unmanaged<ObjectExtra>? {
        guard bits & 1 != 0 else { return nil }
        return .fromOpaque(UnsafeRawPointer(bitPattern: bits & ~1).unsafelyUnwrapped)
    }
}

extension NSManagedObject {
    /// The context's table of this entity; nil for objects never inserted.
    final var _table: EntityTable? {
        @inline(__always) get { _tableReference?.takeUnretainedValue() }
        set {
            let old = _tableReference
            newValue?.take()
            attach(newValue.map(Unmanaged.passUnretained))
            old?._withUnsafeGuaranteedRef { $0.letGo(of: self, key: _key, isRegistered: false) }
        }
    }

    /// The ``_table`` as an unmanaged reference, to avoid retain/release.
    @inline(__always)
    final var _tableReference: Unmanaged<EntityTable>? { _attachment.table }

    @inline(__always)
    private final func attach(_ table: Unmanaged<EntityTable>?) {
        if let extra = _attachment.extra {
            extra._withUnsafeGuaranteedRef { $0.table = table }
        } else {
            _attachment = ObjectAttachment(table)
        }
    }

    /// Moves the registered object to another table and key.
    @inline(__always)
    final func move(from old: EntityTable, to table: EntityTable, key: Int64) {
        old.letGo(of: self, key: _key, isRegistered: true)
        table.take()
        attach(.passUnretained(table))
        _key = key
        table.uniquing.insert(self, key: key)
    }

    /// The ``_extra`` as an unmanaged reference, to avoid retain/release.
    @inline(__always)
    final var _extraReference: Unmanaged<ObjectExtra>? { _attachment.extra }

    final var _extra: ObjectExtra? {
        @inline(__always) get { _extraReference?.takeUnretainedValue() }
        set {
            let old = _attachment
            let table = old.table
            if let newValue {
                newValue.table = table
                _attachment = ObjectAttachment(Unmanaged.passRetained(newValue))
            } else {
                _attachment = ObjectAttachment(table)
            }
            old.extra?.release()
        }
    }
}

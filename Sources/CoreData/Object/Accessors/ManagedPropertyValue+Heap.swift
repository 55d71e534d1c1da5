import CoreDataRowStorage
import CoreDataRuntimeSupport

// Strings and bytes, stored in the heap of the object's slab.

extension NSManagedObject {
    @inlinable @inline(__always)
    final func heapBytes(_ bits: UInt64) -> UnsafeRawBufferPointer { HeapRange(bits: bits).bytes }

    /// Copies bytes to the slab of a changed object and stores their range in the cell.
    @usableFromInline
    final func setHeapCell(_ bytes: UnsafeRawBufferPointer, _ location: ManagedPropertyLocation) {
        let fitting = Unmanaged.passUnretained(_slab.unsafelyUnwrapped)._withUnsafeGuaranteedRef { slab in
            RowArena.hasRoom(slab, for: bytes.count) ? slab.append(bytes.baseAddress, count: bytes.count) : nil
        }
        let range = fitting ?? ownSlab(adding: bytes.count).append(bytes.baseAddress, count: bytes.count)
        setCellBits(range.bits, location)
    }
}

extension String: ManagedPropertyValue {
    @inlinable public static var _access: ManagedPropertyAccess { .cell(.text) }
    @inlinable public static var _nilValue: String? { "" }

    @inlinable @inline(__always)
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> String {
        guard let bits = object.cellBits(location) else { return "" }
        return InlineString.string(object.heapBytes(bits))
    }

    @inlinable
    public static func _write(_ value: String, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        var value = value
        value.withUTF8 { object.setHeapCell(UnsafeRawBufferPointer($0), location) }
    }

    public static func _fromValue(_ value: Any?) -> String? { value as? String }
    public var _value: Any? { self }

    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> String {
        KeyPathRecorder.pick("", "Some Téxt, 12", " another\n")
    }
}

extension Data: ManagedPropertyValue {
    @inlinable public static var _access: ManagedPropertyAccess { .cell(.bytes) }
    @inlinable public static var _nilValue: Data? { nil }

    @inlinable
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Data {
        guard let bits = object.cellBits(location) else { object.trapOnNil(location) }
        return Data(object.heapBytes(bits))
    }

    @inlinable
    public static func _write(_ value: Data, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        value.withUnsafeBytes { object.setHeapCell($0, location) }
    }

    public static func _fromValue(_ value: Any?) -> Data? { value as? Data }
    public var _value: Any? { self }
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Data {
        KeyPathRecorder.pick(Data(), Data([1, 2, 3]), Data([0xFF]))
    }
}

extension UUID: ManagedPropertyValue {
    @inlinable public static var _access: ManagedPropertyAccess { .cell(.uuid) }
    @inlinable public static var _nilValue: UUID? { nil }

    @inlinable
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> UUID {
        guard let bits = object.cellBits(location) else { object.trapOnNil(location) }
        return UUID(uuid: object.heapBytes(bits).loadUnaligned(as: uuid_t.self))
    }

    @inlinable
    public static func _write(_ value: UUID, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        withUnsafeBytes(of: value.uuid) { object.setHeapCell($0, location) }
    }

    public static func _fromValue(_ value: Any?) -> UUID? { value as? UUID }
    public var _value: Any? { self }
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> UUID {
        KeyPathRecorder.pick(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), UUID(), UUID())
    }
}

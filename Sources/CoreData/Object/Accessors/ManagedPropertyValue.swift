import CoreDataRowStorage

/// The Swift types an `@NSManaged` property may have.
///
/// Reading and writing are in terms of the object's memory, so that the common types cost a few instructions. Conform no
/// types of your own: values of any other type go through a transformable attribute.
public protocol ManagedPropertyValue {
    /// Which cells ``_read(_:_:)`` understands; accessors of other attributes take the slow way through `Any`.
    static var _access: ManagedPropertyAccess { get }
    /// Reads from a realised object.
    static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Self
    /// Writes to an object whose change has been announced.
    static func _write(_ value: Self, to object: NSManagedObject, _ location: ManagedPropertyLocation)
    /// From the value key-value coding would give; nil when it has another type.
    static func _fromValue(_ value: Any?) -> Self?
    /// As key-value coding would take it.
    var _value: Any? { get }
    /// What an accessor gives while a key path is being recorded, see ``KeyPathRecorder``.
    static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Self
    /// What reading nil gives where the property is declared as never nil.
    static var _nilValue: Self? { get }
}

/// How a type is read; internal to accessors.
public struct ManagedPropertyAccess: Sendable {
    @usableFromInline let kind: Kind
    @usableFromInline init(_ kind: Kind) { self.kind = kind }

    @usableFromInline
    enum Kind: UInt8, Sendable {
        case cell, toOne, toMany, any
    }
    @usableFromInline var family: CellFamily = .other

    @usableFromInline
    static func cell(_ family: CellFamily) -> ManagedPropertyAccess {
        var access = ManagedPropertyAccess(.cell)
        access.family = family
        return access
    }
    @usableFromInline static let toOne = ManagedPropertyAccess(.toOne)
    @usableFromInline static let toMany = ManagedPropertyAccess(.toMany)
    @usableFromInline static let any = ManagedPropertyAccess(.any)
}

/// Where a property lies in an object; internal to accessors.
public struct ManagedPropertyLocation {
    @usableFromInline let index: Int
    @usableFromInline let cellsOffset: Int

    @inlinable @inline(__always)
    init(_ location: PropertyLocation) {
        index = location.index
        cellsOffset = location.cellsOffset
    }
}

extension NSManagedObject {
    /// The cell's bits, nil when the value is nil. The object must be realised.
    @inlinable @inline(__always)
    final func cellBits(_ location: ManagedPropertyLocation) -> UInt64? {
        let row = UnsafeRawPointer(_row.unsafelyUnwrapped)
        let word = row.load(fromByteOffset: 8 + (location.index >> 6) << 3, as: UInt64.self)
        guard word & (1 << UInt64(truncatingIfNeeded: location.index & 63)) != 0 else { return nil }
        return row.load(fromByteOffset: location.cellsOffset + location.index << 3, as: UInt64.self)
    }

    /// Stores a cell in a changed object's own row and notes that it changed.
    @inlinable @inline(__always)
    final func setCellBits(_ bits: UInt64?, _ location: ManagedPropertyLocation) {
        let row = _row.unsafelyUnwrapped
        let mask: UInt64 = 1 << UInt64(truncatingIfNeeded: location.index & 63)
        let wordOffset = 8 + (location.index >> 6) << 3
        let present = row.load(fromByteOffset: wordOffset, as: UInt64.self)
        row.storeBytes(of: bits == nil ? present & ~mask : present | mask, toByteOffset: wordOffset, as: UInt64.self)
        row.storeBytes(of: bits ?? 0, toByteOffset: location.cellsOffset + location.index << 3, as: UInt64.self)
        markChanged(location, mask)
    }

    @inlinable @inline(__always)
    final func markChanged(_ location: ManagedPropertyLocation, _ mask: UInt64) {
        let row = _row.unsafelyUnwrapped
        let offset = Int(row.load(fromByteOffset: 4, as: UInt32.self)) + (location.index >> 6) << 3
        row.storeBytes(
            of: row.load(fromByteOffset: offset, as: UInt64.self) | mask, toByteOffset: offset, as: UInt64.self)
    }
}

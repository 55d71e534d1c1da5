import CoreDataRowStorage

/// A Swift type that an `@NSManaged` property may have.
///
/// Values are read and written in the object's memory, so that the common types cost a few instructions. Do not conform other
/// types: values of any other type are transformable attributes.
public protocol ManagedPropertyValue {
    /// The kind of cell that ``_read(_:_:)`` can read; accessors of other attributes use the slow path through `Any`.
    static var _access: ManagedPropertyAccess { get }
    /// Returns the value of a realized object.
    static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Self
    /// Writes to an object after its change has been announced.
    static func _write(_ value: Self, to object: NSManagedObject, _ location: ManagedPropertyLocation)
    /// Converts a value returned by key-value coding; nil if it has another type.
    static func _fromValue(_ value: Any?) -> Self?
    /// The value in the form accepted by key-value coding.
    var _value: Any? { get }
    /// Returns the placeholder for recording a key path, see ``KeyPathRecorder``.
    static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Self
    /// The value that a property declared as non-optional returns for nil.
    static var _nilValue: Self? { get }
}

/// The way a type is read; internal to accessors.
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

/// The location of a property in an object; internal to accessors.
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
    /// Returns the cell's bits, or nil if the value is nil. The object must be realized.
    @inlinable @inline(__always)
    final func cellBits(_ location: ManagedPropertyLocation) -> UInt64? {
        let row = UnsafeRawPointer(_row.unsafelyUnwrapped)
        let word = row.load(fromByteOffset: 8 + (location.index >> 6) << 3, as: UInt64.self)
        guard word & (1 << UInt64(truncatingIfNeeded: location.index & 63)) != 0 else { return nil }
        return row.load(fromByteOffset: location.cellsOffset + location.index << 3, as: UInt64.self)
    }

    /// Stores a cell in a changed object's private row and marks it as changed.
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

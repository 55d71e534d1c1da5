import CoreDataRowStorage
// Numbers and dates, stored in their cells. Reading nil returns zero, as Apple's scalar accessors do.

extension ManagedPropertyValue {
    @inlinable
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Self { _nilValue! }
}

// The placeholders that accessors return while a key path is recorded, see ``KeyPathRecorder``.

extension _IntegerPropertyValue {
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Self {
        KeyPathRecorder.pick(0, 7_919, -31_013)
    }
}

extension _RealPropertyValue {
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Self {
        KeyPathRecorder.pick(0, 1_234.5, -77.75)
    }
}

extension Bool {
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Bool {
        KeyPathRecorder.pick(false, true, false)
    }
}

/// The integers of any width; internal to accessors.
public protocol _IntegerPropertyValue: ManagedPropertyValue, FixedWidthInteger {}

extension _IntegerPropertyValue {
    @inlinable public static var _access: ManagedPropertyAccess { .cell(.integer) }
    @inlinable public static var _nilValue: Self? { 0 }

    @inlinable @inline(__always)
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Self {
        Self(truncatingIfNeeded: object.cellBits(location) ?? 0)
    }

    @inlinable @inline(__always)
    public static func _write(_ value: Self, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        object.setCellBits(UInt64(bitPattern: Int64(truncatingIfNeeded: value)), location)
    }

    public static func _fromValue(_ value: Any?) -> Self? {
        (value as? NSNumber).map { Self(truncatingIfNeeded: $0.int64Value) }
    }

    public var _value: Any? { NSNumber(value: Int64(truncatingIfNeeded: self)) }
}

extension Int16: _IntegerPropertyValue {}
extension Int32: _IntegerPropertyValue {}
extension Int64: _IntegerPropertyValue {}
extension Int: _IntegerPropertyValue {}

extension Bool: ManagedPropertyValue {
    @inlinable public static var _access: ManagedPropertyAccess { .cell(.integer) }
    @inlinable public static var _nilValue: Bool? { false }

    @inlinable @inline(__always)
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Bool {
        object.cellBits(location) ?? 0 != 0
    }

    @inlinable @inline(__always)
    public static func _write(_ value: Bool, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        object.setCellBits(value ? 1 : 0, location)
    }

    public static func _fromValue(_ value: Any?) -> Bool? { (value as? NSNumber)?.boolValue }
    public var _value: Any? { NSNumber(value: self) }
}

/// The floating-point numbers; internal to accessors.
public protocol _RealPropertyValue: ManagedPropertyValue, BinaryFloatingPoint {}

extension _RealPropertyValue {
    @inlinable public static var _access: ManagedPropertyAccess { .cell(.real) }
    @inlinable public static var _nilValue: Self? { 0 }

    @inlinable @inline(__always)
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Self {
        Self(Double(bitPattern: object.cellBits(location) ?? 0))
    }

    @inlinable @inline(__always)
    public static func _write(_ value: Self, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        object.setCellBits(Double(value).bitPattern, location)
    }

    public static func _fromValue(_ value: Any?) -> Self? {
        if let date = value as? Date { return Self(date.timeIntervalSinceReferenceDate) }
        return (value as? NSNumber).map { Self($0.nearestDouble) }
    }

    public var _value: Any? { NSNumber(value: Double(self)) }
}

extension Double: _RealPropertyValue {}
extension Float: _RealPropertyValue {}

extension Date: ManagedPropertyValue {
    @inlinable public static var _access: ManagedPropertyAccess { .cell(.real) }
    @inlinable public static var _nilValue: Date? { nil }

    @inlinable @inline(__always)
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Date {
        guard let bits = object.cellBits(location) else { object.trapOnNil(location) }
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    }

    @inlinable @inline(__always)
    public static func _write(_ value: Date, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        object.setCellBits(value.timeIntervalSinceReferenceDate.bitPattern, location)
    }

    public static func _fromValue(_ value: Any?) -> Date? { value as? Date }
    public var _value: Any? { self }
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Date {
        Date(timeIntervalSinceReferenceDate: KeyPathRecorder.pick(0, 86_461.5, -1e9))
    }
}

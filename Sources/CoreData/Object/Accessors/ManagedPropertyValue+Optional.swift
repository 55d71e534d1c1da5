extension Optional: ManagedPropertyValue where Wrapped: ManagedPropertyValue {
    @inlinable public static var _access: ManagedPropertyAccess { Wrapped._access }
    @inlinable public static var _nilValue: Wrapped?? { .some(nil) }

    @inlinable @inline(__always)
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Wrapped? {
        switch Wrapped._access.kind {
        case .cell: return object.cellBits(location) == nil ? nil : Wrapped._read(object, location)
        case .toOne:
            guard let destination = object.toOne(at: location.index) else { return nil }
            guard let typed = Wrapped._fromValue(destination) else {
                object.trapOnClass(destination, location, Wrapped.self)
            }
            return typed
        case .toMany, .any: return Wrapped._read(object, location)
        }
    }

    @inlinable @inline(__always)
    public static func _write(_ value: Wrapped?, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        if let value {
            Wrapped._write(value, to: object, location)
        } else {
            switch Wrapped._access.kind {
            case .cell: object.setCellBits(nil, location)
            case .toOne: object.setToOne(nil, at: location.index)
            case .toMany, .any: object.setToMany([], at: location.index)
            }
        }
    }

    public static func _fromValue(_ value: Any?) -> Wrapped?? {
        guard let value, !(value is NSNull) else { return .some(nil) }
        return Wrapped._fromValue(value).map { .some($0) }
    }

    public var _value: Any? { flatMap { $0._value } }

    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Wrapped? {
        // Relationships never return nil, because the rest of the key path must be recorded.
        if KeyPathRecorder.givesNil, Wrapped._access.kind != .toOne { return nil }
        // A key path also need not end at a class that cannot be instantiated.
        if let type = Wrapped.self as? NSObject.Type { return type.possiblePlaceholder as? Wrapped }
        return Wrapped._placeholder(recorder, name)
    }
}

// Managed objects, collections of them, and Foundation's classes.

/// Classes read through key-value coding, and managed objects as to-one relationships.
extension NSObject: ManagedPropertyValue {
    public static var _access: ManagedPropertyAccess { self is NSManagedObject.Type ? .toOne : .any }
    public static var _nilValue: Self? { nil }

    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Self {
        guard let destination = object.toOne(at: location.index) else {
            object.trapOnNilRelationship(location, Self.self)
        }
        guard let typed = destination as? Self else { object.trapOnClass(destination, location, Self.self) }
        return typed
    }

    public static func _write(_ value: NSObject, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        object.setToOne((value as! NSManagedObject), at: location.index)
    }

    public static func _fromValue(_ value: Any?) -> Self? { value as? Self }

    public var _value: Any? { self }

    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Self {
        KeyPathRecorder.placeholder(for: self, at: name)
    }

    /// The value of ``_placeholder(_:_:)``, or nil if there is none.
    static var possiblePlaceholder: Self? { KeyPathRecorder.possiblePlaceholder(for: self) }
}

extension Set: ManagedPropertyValue where Element: NSManagedObject {
    public static var _access: ManagedPropertyAccess { .toMany }
    public static var _nilValue: Set<Element>? { [] }

    @inlinable
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Set<Element> {
        if let known = object.vendedSet(at: location.index), type(of: known) == VendedSet<Element>.self {
            return unsafeDowncast(known, to: VendedSet<Element>.self).set
        }
        let members = object.toManyMembers(at: location.index)
        object.checkMembers(members, are: Element.self, location)
        var set = Set<Element>(minimumCapacity: members.count)
        // Retains each member once, for the set; `insert(_:)` would retain once more, for the member it returns.
        members.withUnsafeBufferPointer { members in
            for position in members.indices {
                let member = Unmanaged.passUnretained(unsafeDowncast(members[position], to: Element.self))
                set.update(with: member.takeUnretainedValue())
            }
        }
        object.keep(VendedSet(set), at: location.index)
        return set
    }

    public static func _write(_ value: Set<Element>, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        object.setToMany(ContiguousArray(value.lazy.map { $0 as NSManagedObject }), at: location.index)
    }

    public static func _fromValue(_ value: Any?) -> Set<Element>? { value as? Set<Element> }
    public var _value: Any? { self }
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Set<Element> {
        [KeyPathRecorder.placeholder(for: Element.self, at: name)]
    }
}

/// The set that a to-many accessor returned last. Kept until the relationship changes, because creating a set takes time for
/// every member.
@usableFromInline
final class VendedSet<Element: NSManagedObject> {
    @usableFromInline let set: Set<Element>

    @inlinable
    init(_ set: Set<Element>) { self.set = set }
}

extension Array: ManagedPropertyValue where Element: NSManagedObject {
    public static var _access: ManagedPropertyAccess { .any }
    public static var _nilValue: [Element]? { [] }

    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> [Element] {
        let members = object.toManyMembers(at: location.index)
        object.checkMembers(members, are: Element.self, location)
        return members.map { unsafeDowncast($0, to: Element.self) }
    }

    public static func _write(_ value: [Element], to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        object.setToMany(ContiguousArray(value.lazy.map { $0 as NSManagedObject }), at: location.index)
    }

    public static func _fromValue(_ value: Any?) -> [Element]? { value as? [Element] }
    public var _value: Any? { self }
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> [Element] {
        [KeyPathRecorder.placeholder(for: Element.self, at: name)]
    }
}

extension URL: ManagedPropertyValue {
    public static var _access: ManagedPropertyAccess { .any }
    public static var _nilValue: URL? { nil }
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> URL {
        object.trapOnNil(location)
    }
    public static func _write(_ value: URL, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        object.trapOnNil(location)
    }
    public static func _fromValue(_ value: Any?) -> URL? { value as? URL }
    public var _value: Any? { self }
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> URL {
        URL(string: KeyPathRecorder.pick("x:", "https://example.org/a?b#c", "file:///a/b.c"))!
    }
}

extension Decimal: ManagedPropertyValue {
    public static var _access: ManagedPropertyAccess { .any }
    public static var _nilValue: Decimal? { 0 }
    public static func _read(_ object: NSManagedObject, _ location: ManagedPropertyLocation) -> Decimal {
        object.trapOnNil(location)
    }
    public static func _write(_ value: Decimal, to object: NSManagedObject, _ location: ManagedPropertyLocation) {
        object.trapOnNil(location)
    }
    public static func _placeholder(_ recorder: NSManagedObject, _ name: String) -> Decimal {
        KeyPathRecorder.pick(0, 1_234.5, -77.75)
    }
    public static func _fromValue(_ value: Any?) -> Decimal? { (value as? NSDecimalNumber)?.decimalValue }
    public var _value: Any? { NSDecimalNumber(decimal: self) }
}

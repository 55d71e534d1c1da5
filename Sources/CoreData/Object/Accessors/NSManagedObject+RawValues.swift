import CoreDataRuntimeSupport

// Enumerations and other types with raw values, for generated accessors.

extension NSManagedObject {
    /// Returns an enumeration, or another type with raw values, that is stored as its raw value.
    ///
    /// A stored value that is no raw value of the type is logged once. It reads as the attribute's default value in the model, else
    /// as the first case of a type that is `CaseIterable`, else it stops the program.
    @inlinable
    public final func managedRawValue<T: RawRepresentable>(_ property: borrowing ManagedProperty) -> T
    where T.RawValue: ManagedPropertyValue {
        if _isRecorder { return recordedValue(property.name.description) }
        let raw: T.RawValue? = managedValue(property)
        if let raw = raw ?? T.RawValue._nilValue, let value = T(rawValue: raw) { return value }
        return defaultRawValue(property.name.description, insteadOf: raw)
            ?? firstCase(property.name.description, insteadOf: raw)
    }

    /// Returns an enumeration that is stored as its raw value.
    ///
    /// A stored value that is no raw value of the type is logged once. It reads as the attribute's default value in the model, else
    /// as `first`. It stays in the store until the property is set.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - first: The first case of the enumeration.
    @inlinable
    public final func managedRawValue<T: RawRepresentable>(
        _ property: borrowing ManagedProperty, or first: @autoclosure () -> T
    ) -> T where T.RawValue: ManagedPropertyValue {
        if _isRecorder { return recordedValue(property.name.description) }
        let raw: T.RawValue? = managedValue(property)
        if let raw = raw ?? T.RawValue._nilValue, let value = T(rawValue: raw) { return value }
        return defaultRawValue(property.name.description, insteadOf: raw) ?? first()
    }

    /// Returns an optional type with raw values. A stored value that is no raw value of the type is logged once, and reads as nil.
    @inlinable
    public final func managedRawValue<T: RawRepresentable>(_ property: borrowing ManagedProperty) -> T?
    where T.RawValue: ManagedPropertyValue {
        if _isRecorder { return recordedValue(property.name.description) }
        guard let raw: T.RawValue = managedValue(property) else { return nil }
        if let value = T(rawValue: raw) { return value }
        reportRawValue(property.name.description, raw, T.self)
        return nil
    }

    /// Sets a property of a type with raw values.
    @inlinable
    public final func setManagedRawValue<T: RawRepresentable>(_ value: T, for property: borrowing ManagedProperty)
    where T.RawValue: ManagedPropertyValue {
        setManagedValue(value.rawValue, for: property)
    }

    /// Sets a property of an optional type with raw values.
    @inlinable
    public final func setManagedRawValue<T: RawRepresentable>(_ value: T?, for property: borrowing ManagedProperty)
    where T.RawValue: ManagedPropertyValue {
        setManagedValue(value?.rawValue, for: property)
    }

    /// Returns the attribute's default value, after reporting the value that is stored.
    @usableFromInline @inline(never)
    final func defaultRawValue<T: RawRepresentable>(_ name: String, insteadOf raw: T.RawValue?) -> T?
    where T.RawValue: ManagedPropertyValue {
        if let raw { reportRawValue(name, raw, T.self) }
        guard let value = entity.attributesByName[name]?.defaultValue else { return nil }
        return T.RawValue._fromValue(value).flatMap(T.init(rawValue:))
    }

    /// Returns the first case of a type that lists its cases.
    @usableFromInline @inline(never)
    final func firstCase<T: RawRepresentable>(_ name: String, insteadOf raw: T.RawValue?) -> T {
        func first(_ type: (some CaseIterable).Type) -> Any? { type.allCases.first }
        guard let type = T.self as? any CaseIterable.Type, let value = first(type) as? T else {
            trapOnRawValue(name, raw as Any, T.self)
        }
        return value
    }

    @usableFromInline @inline(never)
    final func reportRawValue(_ name: String, _ raw: Any, _ type: Any.Type) {
        UnknownRawValues.report(raw, name, of: entity, type)
    }
}

/// Reports stored values that are no raw value of their property's type, each once.
private enum UnknownRawValues {
    private static let reported = Locked<Set<String>>([])
    /// The number of reports kept in memory.
    private static let most = 1000

    static func report(_ raw: Any, _ name: String, of entity: NSEntityDescription, _ type: Any.Type) {
        let text =
            "The stored value \(raw) of the property \"\(name)\" of \(entity.name ?? "?") is no \(type). It stays in the store until the property is set."
        let isNew = reported.withLock {
            if $0.count >= most { $0.removeAll() }
            return $0.insert(text).inserted
        }
        if isNew { NSLog("CoreData: error: %@", text) }
    }
}

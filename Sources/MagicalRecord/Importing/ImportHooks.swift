import CoreData

/// What a class may have to say in the import of its objects. Everything may be left out.
///
/// ```swift
/// extension User: MagicalRecordDataImportProtocol {
///     func shouldImport(_ data: Any) -> Bool { (data as? [String: Any])?["deleted"] == nil }
///     func importValue(_ value: Any?, forAttribute name: String) -> Bool {
///         guard name == "email" else { return false }
///         email = (value as? String)?.lowercased()
///         return true
///     }
/// }
/// ```
/// On Apple's platforms methods by the original's dynamic names (`import<Attribute>:`, `shouldImport<Relationship>:`,
/// `import<Relationship>:`, visible to Objective-C) are called as well. They cannot be found where there is no
/// Objective-C runtime.
///
/// All are called on the context's queue.
public protocol MagicalRecordDataImportProtocol: NSManagedObject {
    /// Whether the record is to be imported into this object. When not, a new object disappears again.
    func shouldImport(_ data: Any) -> Bool
    /// Called before values are set.
    func willImport(_ data: Any)
    /// Called after values and relationships are set.
    func didImport(_ data: Any)
    /// Sets an attribute itself and returns true, or leaves it to the import. The value is converted; `nil` for a null.
    func importValue(_ value: Any?, forAttribute name: String) -> Bool
    /// Whether a relationship is to be imported. `data` is what the record has for it.
    func shouldImportRelationship(_ name: String, data: Any) -> Bool
    /// Sets a relationship itself, from the whole record, and returns true; or leaves it to the import.
    func importRelationship(_ name: String, record: Any) -> Bool
}

extension MagicalRecordDataImportProtocol {
    public func shouldImport(_ data: Any) -> Bool { true }
    public func willImport(_ data: Any) {}
    public func didImport(_ data: Any) {}
    public func importValue(_ value: Any?, forAttribute name: String) -> Bool { false }
    public func shouldImportRelationship(_ name: String, data: Any) -> Bool { true }
    public func importRelationship(_ name: String, record: Any) -> Bool { false }
}

/// The hooks of one object: those of the protocol, and on Apple's platforms those by dynamic name.
struct ImportHooks {
    /// What the import knows of the object's class.
    let traits: ImportTraits
    private let object: NSManagedObject
    private let hooks: (any MagicalRecordDataImportProtocol)?

    init(_ object: NSManagedObject, _ traits: ImportTraits) {
        self.object = object
        self.traits = traits
        hooks = traits.hasHooks ? object as? any MagicalRecordDataImportProtocol : nil
    }

    func shouldImport(_ record: Any) -> Bool {
        if let hooks { return hooks.shouldImport(record) }
        #if canImport(ObjectiveC)
        return object.callImportHook("shouldImport:", record) ?? true
        #else
        return true
        #endif
    }

    func willImport(_ record: Any) {
        if let hooks { return hooks.willImport(record) }
        #if canImport(ObjectiveC)
        object.notifyImportHook("willImport:", record)
        #endif
    }

    func didImport(_ record: Any) {
        if let hooks { return hooks.didImport(record) }
        #if canImport(ObjectiveC)
        object.notifyImportHook("didImport:", record)
        #endif
    }

    /// Whether the object has set the attribute itself.
    func handlesValue(_ value: ImportedValue, _ name: String) -> Bool {
        if let hooks, hooks.importValue(value.boxed, forAttribute: name) { return true }
        #if canImport(ObjectiveC)
        return object.callImportHook("import\(name.capitalizedFirst):", value.boxed) ?? false
        #else
        return false
        #endif
    }

    func shouldImportRelationship(_ name: String, _ data: Any) -> Bool {
        if let hooks, !hooks.shouldImportRelationship(name, data: data) { return false }
        #if canImport(ObjectiveC)
        return object.callImportHook("shouldImport\(name.capitalizedFirst):", data) ?? true
        #else
        return true
        #endif
    }

    /// Whether the object has set the relationship itself.
    func handlesRelationship(_ name: String, _ record: Any) -> Bool {
        if let hooks, hooks.importRelationship(name, record: record) { return true }
        #if canImport(ObjectiveC)
        return object.callImportHook("import\(name.capitalizedFirst):", record) ?? false
        #else
        return false
        #endif
    }
}

extension String {
    /// The text with its first letter in upper case.
    var capitalizedFirst: String {
        guard let first else { return "" }
        return first.uppercased() + dropFirst()
    }
}

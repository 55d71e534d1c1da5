import CoreData

/// Hooks by which a managed object class takes part in the import of its objects. All are optional.
///
/// ```swift
/// extension User: MagicalRecordDataImportProtocol {
///     func importValue(_ value: Any?, forAttribute name: String) -> Bool {
///         guard name == "email" else { return false }
///         email = (value as? String)?.lowercased()
///         return true
///     }
/// }
/// ```
/// All hooks are called on the context's queue. On Apple's platforms, Objective-C methods with the original's dynamic names
/// (`import<Attribute>:`, `shouldImport<Relationship>:`, `import<Relationship>:`) are called as well.
public protocol MagicalRecordDataImportProtocol: NSManagedObject {
    /// Returns whether the record is imported into this object. With false, the object's values stay as they are; a new object
    /// of a top-level record is deleted again.
    func shouldImport(_ data: Any) -> Bool
    /// Called before values are set.
    func willImport(_ data: Any)
    /// Called after values and relationships are set.
    func didImport(_ data: Any)
    /// Sets an attribute and returns true, or returns false to leave it to the import. The value has been converted to the
    /// attribute's type; nil stands for null.
    func importValue(_ value: Any?, forAttribute name: String) -> Bool
    /// Returns whether a relationship is imported. `data` is the record's value for it.
    func shouldImportRelationship(_ name: String, data: Any) -> Bool
    /// Sets a relationship from the whole record and returns true, or returns false to leave it to the import.
    func importRelationship(_ name: String, record: Any) -> Bool
}

extension MagicalRecordDataImportProtocol {
    /// Returns true.
    public func shouldImport(_ data: Any) -> Bool { true }
    /// Does nothing.
    public func willImport(_ data: Any) {}
    /// Does nothing.
    public func didImport(_ data: Any) {}
    /// Returns false: the import sets the attribute.
    public func importValue(_ value: Any?, forAttribute name: String) -> Bool { false }
    /// Returns true.
    public func shouldImportRelationship(_ name: String, data: Any) -> Bool { true }
    /// Returns false: the import sets the relationship.
    public func importRelationship(_ name: String, record: Any) -> Bool { false }
}

/// The hooks of one object: those of the protocol, and on Apple's platforms those by dynamic name.
struct ImportHooks {
    /// The cached facts about the object's class.
    let traits: ImportTraits
    private let object: NSManagedObject
    private let hooks: (any MagicalRecordDataImportProtocol)?

    init(_ object: NSManagedObject, _ traits: ImportTraits) {
        self.object = object
        self.traits = traits
        hooks = traits.hasHooks ? object as? any MagicalRecordDataImportProtocol : nil
    }

    func shouldImport(_ record: Any) -> Bool { hooks?.shouldImport(record) ?? call("shouldImport:", record) ?? true }

    func willImport(_ record: Any) { hooks?.willImport(record) ?? notify("willImport:", record) }

    func didImport(_ record: Any) { hooks?.didImport(record) ?? notify("didImport:", record) }

    /// Calls the attribute's hooks; returns true if one has set the attribute.
    func handlesValue(_ value: ImportedValue, _ name: String) -> Bool {
        if let hooks, hooks.importValue(value.boxed, forAttribute: name) { return true }
        return call("import\(name.capitalizedFirst):", value.boxed) ?? false
    }

    func shouldImportRelationship(_ name: String, _ data: Any) -> Bool {
        if let hooks, !hooks.shouldImportRelationship(name, data: data) { return false }
        return call("shouldImport\(name.capitalizedFirst):", data) ?? true
    }

    /// Calls the relationship's hooks; returns true if one has set the relationship.
    func handlesRelationship(_ name: String, _ record: Any) -> Bool {
        if let hooks, hooks.importRelationship(name, record: record) { return true }
        return call("import\(name.capitalizedFirst):", record) ?? false
    }

    /// Calls a hook by its dynamic name; returns nil if there is none. Evaluates its arguments on Apple's platforms only.
    private func call(_ name: @autoclosure () -> String, _ argument: @autoclosure () -> Any?) -> Bool? {
        #if canImport(ObjectiveC)
        return object.callImportHook(name(), argument())
        #else
        return nil
        #endif
    }

    private func notify(_ name: String, _ record: Any) {
        #if canImport(ObjectiveC)
        object.notifyImportHook(name, record)
        #endif
    }
}

/// The facts about a class that an import determines once.
struct ImportTraits {
    /// Whether the class implements ``MagicalRecordDataImportProtocol``.
    let hasHooks: Bool
    #if !canImport(ObjectiveC)
    /// Whether values may be read and set without key-value coding.
    let takesAccessors: Bool
    #endif

    init(_ type: NSManagedObject.Type) {
        hasHooks = type is any MagicalRecordDataImportProtocol.Type
        #if !canImport(ObjectiveC)
        takesAccessors = AttributeAccessor.suits(type)
        #endif
    }
}

extension String {
    /// The text with its first letter in upper case.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

import CoreData

// Imports read and set attributes by key-value coding, or by the attributes' accessors where these do the same.

extension ImportPlan.Attribute {
    /// Returns whether an object has the value already.
    func holds(_ value: ImportedValue, in object: NSManagedObject, _ traits: ImportTraits) -> Bool {
        #if !canImport(ObjectiveC)
        if traits.takesAccessors, let stored = value.stored, let answer = accessor?.holds(stored, in: object) {
            return answer
        }
        #endif
        return value.isEqual(to: object.value(forKey: name))
    }

    func set(_ value: ImportedValue, of object: NSManagedObject, _ traits: ImportTraits) {
        #if !canImport(ObjectiveC)
        if traits.takesAccessors, let stored = value.stored, accessor?.set(stored, of: object) == true { return }
        #endif
        object.setValue(value.boxed, forKey: name)
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

#if !canImport(ObjectiveC)
extension ImportedValue {
    /// The value in the form that accessors take; nil for kinds without one.
    fileprivate var stored: AttributeAccessor.Value? {
        switch self {
        case .null: .absent
        case .text(let text): .text(text)
        case .integer(let integer): .integer(integer)
        case .boolean(let truth): .boolean(truth)
        case .double(let number): .real(number)
        case .float(let number): .single(number)
        case .date(let date): .real(date.timeIntervalSinceReferenceDate)
        case .other: nil
        }
    }
}
#endif

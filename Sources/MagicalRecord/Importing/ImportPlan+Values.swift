import CoreData

// How imports read and set attributes: by key-value coding, or by accessors of the attributes where those do the same.

extension ImportPlan.Attribute {
    /// Whether an object has the value.
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

/// What an import asks of a class once.
struct ImportTraits {
    /// Whether it has hooks.
    let hasHooks: Bool
    #if !canImport(ObjectiveC)
    /// Whether values may be set past key-value coding.
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
    /// As accessors take it; nil for other kinds of values.
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

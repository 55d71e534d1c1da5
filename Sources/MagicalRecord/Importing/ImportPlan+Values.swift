import CoreData

// Imports read and set attributes by key-value coding, or by the attributes' accessors where these do the same, and those of
// properties with `@Stored` as these do.
extension ImportPlan.Attribute {
    /// Sets the attribute unless the object has the value already, so that it stays clean; returns true if it was set.
    func update(_ value: ImportedValue, of object: NSManagedObject, _ traits: ImportTraits) -> Bool {
        if let storing { return storing.update(value, of: object) }
        if holds(value, in: object, traits) { return false }
        set(value, of: object, traits)
        return true
    }

    private func holds(_ value: ImportedValue, in object: NSManagedObject, _ traits: ImportTraits) -> Bool {
        #if !canImport(ObjectiveC)
        if traits.takesAccessors, let stored = value.stored, let answer = accessor?.holds(stored, in: object) {
            return answer
        }
        #endif
        return value.isEqual(to: object.value(forKey: name))
    }

    func set(_ value: ImportedValue, of object: NSManagedObject, _ traits: ImportTraits) {
        if let storing {
            _ = storing.update(value, of: object)
            return
        }
        #if !canImport(ObjectiveC)
        if traits.takesAccessors, let stored = value.stored, accessor?.set(stored, of: object) == true { return }
        #endif
        object.setValue(value.boxed, forKey: name)
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

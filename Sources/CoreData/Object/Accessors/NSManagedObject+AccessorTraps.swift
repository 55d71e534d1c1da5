// Traps of accessors that cannot return a value of their declared type.
//
// They call `fatalError(_:file:line:)`, which prints its message in release builds too: the build plugin compares declarations
// only with the models of their target.

extension NSManagedObject {
    /// Stops the program at nil, or at a value with a type other than its accessor's.
    @inline(never)
    final func trapOnType(_ name: String, _ value: Any?, _ declared: Any.Type) -> Never {
        guard let value else { trapOnNil(name) }
        fatalError(
            "The property \"\(name)\" of \(entity.name ?? "?") holds a value of type \(type(of: value)), which its accessor, declared as \(declared), cannot give. Declare the property with the attribute's type, optional if the value may be missing."
        )
    }

    /// Stops the program at a value with a missing external file, for an accessor with a non-optional type.
    final func trapOnMissing(_ name: String) {
        do {
            try requireExternalValue(name)
        } catch {
            let failure = error as NSError
            fatalError(
                "\(failure.localizedFailureReason ?? "\(failure)") Declare the property optional, which gives nil for it."
            )
        }
    }

    /// Stops the program at an object of a class other than the one a relationship's accessor is declared with.
    @usableFromInline @inline(never)
    final func trapOnClass(
        _ destination: NSManagedObject, _ location: ManagedPropertyLocation, _ declared: Any.Type
    ) -> Never {
        let advice =
            destination.entity.missingClassReason
            ?? "Declare the property with the class of the destination entity, or a superclass of it."
        fatalError(
            "The relationship \"\(layout.relationships[location.index].name)\" of \(entity.name ?? "?") leads to an object of \(destination.entity.name ?? "?") with the class \(type(of: destination)), which its accessor, declared as \(declared), cannot give. \(advice)"
        )
    }

    /// Stops the program if a member of a to-many relationship does not have the class that its accessor is declared with.
    ///
    /// Costs a pointer comparison per member if most have one class.
    @usableFromInline @inline(never)
    final func checkMembers<Element: NSManagedObject>(
        _ members: ContiguousArray<NSManagedObject>, are type: Element.Type, _ location: ManagedPropertyLocation
    ) {
        if type == NSManagedObject.self { return }
        var known = ObjectIdentifier(type)
        members.withUnsafeBufferPointer { members in
            for position in members.indices {
                let found = Unmanaged.passUnretained(members[position])._withUnsafeGuaranteedRef {
                    ObjectIdentifier(Swift.type(of: $0))
                }
                if found == known { continue }
                guard members[position] is Element else { trapOnClass(members[position], location, type) }
                known = found
            }
        }
    }

    @usableFromInline @inline(never)
    final func trapOnRawValue(_ name: String, _ raw: Any, _ declared: Any.Type) -> Never {
        fatalError(
            "The stored value \(raw) of the property \"\(name)\" of \(entity.name ?? "?") is no \(declared). Declare the property optional, which gives nil for it, or add a case."
        )
    }

    @usableFromInline
    final func trapOnNil(_ location: ManagedPropertyLocation) -> Never {
        trapOnNil(layout.cells[location.index].name)
    }

    @inline(never)
    private final func trapOnNil(_ name: String) -> Never {
        fatalError(
            "The property \"\(name)\" of \(entity.name ?? "?") is nil in the object \(objectID), but its accessor is declared as never nil. Declare the property optional, or give the attribute a default value and make it required in the model."
        )
    }

    final func trapOnNilRelationship(_ location: ManagedPropertyLocation, _ type: Any.Type) -> Never {
        let name = layout.relationships[location.index].name
        fatalError(
            "The relationship \"\(name)\" of \(entity.name ?? "?") is nil in the object \(objectID), but its accessor is declared as \(type), never nil. Declare the property optional, or set the relationship before it is read."
        )
    }

    final func trapOnGone(_ name: String) -> Never {
        fatalError(
            "The property \"\(name)\" was read from \(objectID), whose row is gone or whose context has forgotten it, and its accessor cannot give nil. Check isDeleted and managedObjectContext, or declare the property optional."
        )
    }
}

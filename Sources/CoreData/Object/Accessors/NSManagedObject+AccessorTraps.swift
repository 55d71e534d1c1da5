// What accessors do that cannot give a value of the type they are declared with.
//
// By `fatalError(_:file:line:)`, whose message is printed in release builds as well: the build plugin compares declarations
// with the models of their own target only.

extension NSManagedObject {
    /// Stops the program at a value of another type than its accessor's, or at nil.
    @inline(never)
    final func trapOnType(_ name: String, _ value: Any?, _ declared: Any.Type) -> Never {
        guard let value else { trapOnNil(name) }
        fatalError(
            "The property \"\(name)\" of \(entity.name ?? "?") holds a value of type \(type(of: value)), which its accessor, declared as \(declared), cannot give. Declare the property with the attribute's type, optional if the value may be missing."
        )
    }

    /// Stops the program at a value whose external file is missing; an accessor of a type that has no nil cannot say so.
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

    /// Stops the program at an object of another class than a relationship's accessor is declared with.
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

    /// Stops the program if a member of a to-many relationship is not of the class its accessor is declared with.
    ///
    /// Compares a pointer per member, where most are of one class.
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

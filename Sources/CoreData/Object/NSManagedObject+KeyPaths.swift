import PredicateFormat

extension NSManagedObject: KeyPathNamed {
    /// Returns the names of the properties on a Swift key path, as `author.name`.
    @_implements(KeyPathNamed,propertyName(of:))
    public static func _propertyName(of keyPath: AnyKeyPath) -> String? { KeyPathRecorder.name(of: keyPath) }
}

// Key-value coding that Foundation provides on Apple's platforms only.

extension NSManagedObject: KeyValueCoding {
    final func valueFollowing(_ keyPath: String) -> Any? {
        do {
            return try CompiledKeyPath(keyPath).value(of: self)
        } catch {
            fatalError("[<\(Self.self)> valueForKeyPath:]: the key path \"\(keyPath)\" cannot be followed: \(error)")
        }
    }

    final func setValue(_ value: Any?, following keyPath: String) {
        guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let (key, rest) = (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
        if let composite = layout.members[key]?.composite { return setElement(value, at: rest, of: composite) }
        switch self.value(forKey: key) {
        case nil: break
        case let owner as NSManagedObject: owner.setValue(value, forKeyPath: rest)
        case let owners as NSSet:
            for case let owner as NSManagedObject in owners { owner.setValue(value, forKeyPath: rest) }
        case let owners as NSOrderedSet:
            for case let owner as NSManagedObject in owners.array { owner.setValue(value, forKeyPath: rest) }
        case let owners as [NSManagedObject]: for owner in owners { owner.setValue(value, forKeyPath: rest) }
        default: setValue(value, forUndefinedKey: keyPath)
        }
    }

    final func relationshipSet(forKey key: String) -> NSMutableSet {
        RelationshipSet(of: self, index: requireToMany(key))
    }

    final func relationshipOrderedSet(forKey key: String) -> NSMutableOrderedSet {
        orderedView(at: requireToMany(key))
    }

    /// Returns the object that has the last key of a path, and that key.
    final func owner(atEndOf keyPath: String) -> (NSManagedObject, String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
        let path = String(keyPath[..<dot])
        guard let owner = value(forKeyPath: path) as? NSManagedObject else {
            preconditionFailure(
                "The key path \"\(keyPath)\" of \(objectID) has no mutable collection: \"\(path)\" leads to no managed object. Check it for nil first."
            )
        }
        return (owner, String(keyPath[keyPath.index(after: dot)...]))
    }

    private func requireToMany(_ key: String) -> Int {
        guard case .toMany(let index)? = layout.members[layout.name(writtenAs: key) ?? key] else {
            preconditionFailure("\"\(key)\" is no to-many relationship of \(entity.name ?? "?").")
        }
        return index
    }
}

// Declared in a protocol extension, so that programs may declare another subscript instead.
extension _ManagedObjectFactory where Self: NSManagedObject {
    /// Accesses the value of a property by name, as `value(forKey:)` and `setValue(_:forKey:)`.
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        nonmutating set { setValue(newValue, forKey: key) }
    }
}

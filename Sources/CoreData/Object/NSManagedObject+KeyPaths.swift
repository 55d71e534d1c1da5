import PredicateFormat

extension NSManagedObject: KeyPathNamed {
    /// The names of the properties a Swift key path leads through, as `author.name`.
    public static func propertyName(of keyPath: AnyKeyPath) -> String? { KeyPathRecorder.name(of: keyPath) }
}

// Key-value coding that Foundation has on Apple's platforms only.

extension NSManagedObject: KeyValueCoding {
    /// Follows a dotted path, through collections and their operators (`@count`, `@sum.price` …).
    ///
    /// A path that leads nowhere is a programming error, as at Apple.
    public func value(forKeyPath keyPath: String) -> Any? {
        do {
            return try CompiledKeyPath(keyPath).value(of: self)
        } catch {
            fatalError("[<\(Self.self)> valueForKeyPath:]: the key path \"\(keyPath)\" cannot be followed: \(error)")
        }
    }

    /// Sets the last key of a dotted path on what the path before it leads to.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let key = String(keyPath[keyPath.index(after: dot)...])
        switch self.value(forKeyPath: String(keyPath[..<dot])) {
        case let owner as NSManagedObject: owner.setValue(value, forKey: key)
        case let owners as Set<NSManagedObject>: for owner in owners { owner.setValue(value, forKey: key) }
        case let owners as NSOrderedSet:
            for case let owner as NSManagedObject in owners.array { owner.setValue(value, forKey: key) }
        default: break
        }
    }

    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// The values of several properties; `NSNull` for nil.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }

    /// Sets several properties; `NSNull` means nil.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// A live view of a to-many relationship: changing it changes the relationship.
    public func mutableSetValue(forKey key: String) -> NSMutableSet {
        RelationshipSet(of: self, index: requireToMany(key))
    }

    /// A live view of an ordered to-many relationship: changing it changes the relationship.
    public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        orderedView(at: requireToMany(key))
    }

    private func requireToMany(_ key: String) -> Int {
        guard case .toMany(let index)? = layout.members[key] else {
            preconditionFailure("\"\(key)\" is no to-many relationship of \(entity.name ?? "?").")
        }
        return index
    }
}

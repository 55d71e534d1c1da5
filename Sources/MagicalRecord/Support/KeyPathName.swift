import CoreData

/// Determines the name of the modeled property, or chain of properties, of a Swift key path.
enum KeyPathName {
    /// The name, or the error. Operators cannot throw, so the error is kept until the condition is used.
    typealias Outcome = Result<String, MagicalRecordError>

    /// Returns `author.name` for `\.author?.name`, and an empty name, which means the object itself, for `\.self`.
    static func of<Root: NSManagedObject, Value>(_ keyPath: KeyPath<Root, Value>) -> Outcome {
        // Checked first, since generic code creates a key path literal on every call, at more cost than all the rest.
        if Value.self == Root.self, keyPath as AnyKeyPath == \Root.self as AnyKeyPath { return .success("") }
        if Value.self == NSManagedObjectID.self, keyPath as AnyKeyPath == \Root.objectID as AnyKeyPath {
            return .success("objectID")
        }
        #if canImport(ObjectiveC)
        let name = keyPath._kvcKeyPathString ?? StoredKeyRecording.name(of: keyPath)
        #else
        let name = KeyPathNaming.name(of: keyPath) ?? KeyPathRecorder.name(of: keyPath)
        #endif
        guard let name else {
            return .failure(
                MagicalRecordError(
                    .unnamedKeyPath, "The key path \(keyPath) does not name a modelled property.",
                    advice: Self.advice,
                    entity: EntityLookup.name(of: Root.self)))
        }
        return .success(name)
    }

    private static var advice: String {
        var advice =
            "Only @NSManaged and @Stored properties and relationships through them can stand in a condition; "
            + "for computed properties filter the result, or write a format string."
        #if canImport(ObjectiveC)
        advice += " A @Stored property of a related object is named in a closure: { $0.team.state == .open }."
        #endif
        return advice
    }
}

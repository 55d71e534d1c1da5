import CoreData

/// The name of the modelled property, or chain of properties, a Swift key path stands for.
enum KeyPathName {
    /// The name, or why there is none. Operators cannot throw, so the error waits until the condition is used.
    typealias Outcome = Result<String, MagicalRecordError>

    /// `\.author?.name` gives `author.name`; `\.self` gives an empty name, which stands for the object itself.
    static func of<Root: NSManagedObject, Value>(_ keyPath: KeyPath<Root, Value>) -> Outcome {
        // In generic code a key path literal is made again by each call, which costs more than all the rest.
        if Value.self == Root.self, keyPath as AnyKeyPath == \Root.self as AnyKeyPath { return .success("") }
        if Value.self == NSManagedObjectID.self, keyPath as AnyKeyPath == \Root.objectID as AnyKeyPath {
            return .success("objectID")
        }
        guard let name = modelledName(keyPath) else {
            return .failure(
                MagicalRecordError(
                    .unnamedKeyPath, "The key path \(keyPath) does not name a modelled property.",
                    advice: "Only @NSManaged properties and relationships through them can stand in a condition; "
                        + "for computed properties filter the result, or write a format string.",
                    entity: EntityLookup.name(of: Root.self)))
        }
        return .success(name)
    }

    private static func modelledName<Root: NSManagedObject, Value>(_ keyPath: KeyPath<Root, Value>) -> String? {
        #if canImport(ObjectiveC)
        return keyPath._kvcKeyPathString
        #else
        return KeyPathNaming.name(of: keyPath) ?? KeyPathRecorder.name(of: keyPath)
        #endif
    }
}

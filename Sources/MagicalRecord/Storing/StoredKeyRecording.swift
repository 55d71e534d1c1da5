import CoreData

// Names of key paths to stored properties: the key path is evaluated, and the property that it reads notes its key.

#if canImport(ObjectiveC)
/// One evaluation of a key path, on an object without a context.
final class StoredKeyRecording {
    private let object: NSManagedObject
    private var keys: [String] = []
    private var type: Any.Type?
    /// The value that the property returned last; nil if it cannot be compared.
    private var value: AnyHashable?

    private init(_ object: NSManagedObject) { self.object = object }

    private static let current = ThreadValue<StoredKeyRecording>()
    private static let names = Locked<[AnyKeyPath: String]>([:])

    /// Returns true, after noting the key, if a key path is being evaluated on the object.
    static func notes<Value>(_ key: String, of object: NSManagedObject, returning value: Value) -> Bool {
        guard let recording = current.current, object === recording.object else { return false }
        recording.keys.append(key)
        recording.type = Value.self
        recording.value = value as? AnyHashable
        return true
    }

    /// Returns the key of the stored property that a key path leads to, or nil if it leads elsewhere.
    static func name<Root: NSManagedObject, Value>(of keyPath: KeyPath<Root, Value>) -> String? {
        if let name = names.withLock({ $0[keyPath] }) { return name }
        guard isOneProperty(keyPath), let entity = entity(of: Root.self) else { return nil }
        let (object, properties) = StoredProperties.object(of: Root.self, entity)
        // Other computed properties are not evaluated: without values they may stop the program.
        guard properties.contains(where: { $0.valueType == Value.self }) else { return nil }
        let recording = StoredKeyRecording(object)
        let found = current.with(recording) { object[keyPath: keyPath] }
        // A computed property that reads a stored one may return another value.
        guard recording.keys.count == 1, recording.type == Value.self, recording.value == found as? AnyHashable
        else { return nil }
        names.withLock { $0[keyPath] = recording.keys[0] }
        return recording.keys[0]
    }

    /// Returns true if the key path does not lead through a relationship, which has no object here.
    private static func isOneProperty(_ keyPath: AnyKeyPath) -> Bool {
        guard #available(macOS 13.3, iOS 16.4, tvOS 16.4, watchOS 9.4, *) else { return true }
        let text = keyPath.debugDescription
        return text.components(separatedBy: "<computed").count <= 2 && !text.contains("?") && !text.contains("!")
    }

    private static func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        if let context = MagicalRecord.defaultStack?.mainContext,
            let entity = try? EntityLookup.entity(for: type, in: context)
        {
            return entity
        }
        // Apple's framework returns nil for a class that no model names.
        return type.entity() as NSEntityDescription?
    }
}
#else
enum StoredKeyRecording {
    /// Returns true, after noting the key, if a key path is being evaluated on the object.
    static func notes<Value>(_ key: String, of object: NSManagedObject, returning value: Value) -> Bool {
        guard KeyPathRecorder.isRecorder(object) else { return false }
        KeyPathRecorder.note(key, of: object, returning: value)
        return true
    }
}
#endif

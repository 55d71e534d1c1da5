/// Finds out which property names a Swift key path stands for, by following it on an object that notes what it is asked.
///
/// Off Apple a key path carries no names. Accessors of a *recording* object report their name and give a placeholder; a
/// relationship gives another recording object, so that `\.author?.name` comes out as `author.name`. Each key path is followed
/// once and remembered.
package final class KeyPathRecorder: @unchecked Sendable {
    private static let shared = KeyPathRecorder()

    private let lock = Lock()
    private var names: [AnyKeyPath: String] = [:]
    private var recording: [String]?

    /// The dotted path of property names, or nil when the key path does not start at a managed object class or reads anything
    /// but modelled properties.
    package static func name(of keyPath: AnyKeyPath) -> String? {
        shared.lock.withLock { shared.name(of: keyPath) }
    }

    private func name(of keyPath: AnyKeyPath) -> String? {
        if let known = names[keyPath] { return known }
        guard let root = type(of: keyPath).rootType as? NSManagedObject.Type else { return nil }
        recording = []
        _ = Self.recorder(of: root)[keyPath: keyPath]
        let path = recording ?? []
        recording = nil
        guard !path.isEmpty else { return nil }
        let name = path.joined(separator: ".")
        names[keyPath] = name
        return name
    }

    /// Called by the accessors of a recording object, while the lock is held further up.
    static func note(_ name: String, _ object: NSManagedObject) {
        shared.recording?.append(name)
    }

    static func placeholder<T: NSObject>(for type: T.Type, at name: String, below recorder: NSManagedObject) -> T {
        if let managed = type as? NSManagedObject.Type { return Self.recorder(of: managed) as! T }
        preconditionFailure(
            "A key path through \"\(name)\", declared as \(type), cannot be named. Use the property's name as a string."
        )
    }

    private static func recorder(of type: NSManagedObject.Type) -> NSManagedObject { type.init(_source: .recorder) }
}

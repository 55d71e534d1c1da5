/// Finds out which property names a Swift key path stands for, by following it on an object that notes what it is asked.
///
/// Off Apple a key path carries no names. Accessors of a *recording* object report their name and give a placeholder; a
/// relationship gives another recording object, so that `\.author?.name` comes out as `author.name`. Each key path is followed
/// once and remembered by ``KeyPathNaming``.
package final class KeyPathRecorder: @unchecked Sendable {
    private static let shared = KeyPathRecorder()

    // Following a key path may run code of the program, which may ask for names itself.
    private let lock = NSRecursiveLock()
    private var recording: Recording?

    private struct Recording {
        var names: [String] = []
        /// The only object the next name may come from.
        var next: NSManagedObject?
        var isSimple = true
    }

    /// The dotted path of property names, or nil when the key path does not start at a managed object class or reads anything
    /// but modelled properties, one after the other.
    package static func name(of keyPath: AnyKeyPath) -> String? {
        shared.lock.lock()
        defer { shared.lock.unlock() }
        return shared.name(of: keyPath)
    }

    private func name(of keyPath: AnyKeyPath) -> String? {
        guard let type = type(of: keyPath).rootType as? NSManagedObject.Type else { return nil }
        let outer = recording
        defer { recording = outer }
        let root = Self.recorder(of: type)
        recording = Recording(next: root)
        _ = root[keyPath: keyPath]
        guard let recording, recording.isSimple, !recording.names.isEmpty else { return nil }
        return recording.names.joined(separator: ".")
    }

    /// Called by the accessors of a recording object, while the lock is held further up.
    static func note(_ name: String, _ object: NSManagedObject) {
        guard shared.recording != nil else { return }
        // A computed property that reads several others is no path.
        if shared.recording?.next !== object { shared.recording?.isSimple = false }
        shared.recording?.names.append(name)
        shared.recording?.next = nil
    }

    static func placeholder<T: NSObject>(for type: T.Type, at name: String, below recorder: NSManagedObject) -> T {
        if let managed = type as? NSManagedObject.Type {
            let object = Self.recorder(of: managed)
            shared.recording?.next = object
            return object as! T
        }
        preconditionFailure(
            "A key path through \"\(name)\", declared as \(type), cannot be named. Use the property's name as a string."
        )
    }

    private static func recorder(of type: NSManagedObject.Type) -> NSManagedObject { type.init(_source: .recorder) }
}

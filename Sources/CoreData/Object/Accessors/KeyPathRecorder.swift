/// Finds out which property names a Swift key path stands for, by following it on an object that notes what it is asked.
///
/// Off Apple a key path carries no names. Accessors of a *recording* object report their name and give a placeholder; a
/// relationship gives another recording object, so that `\.author?.name` comes out as `author.name`.
///
/// A computed property that reads modelled ones must not pass for one of them. So a key path has a name only if each of its
/// components read exactly one property, and it ends in that property's very value; it is followed several times with
/// different placeholders, among them nil, so that one that changes what it reads is found out. (A computed property that
/// hands a modelled one on unchanged is as good as that one, and gets its name.)
///
/// Each key path is followed once in a program and remembered by ``KeyPathNaming``.
package final class KeyPathRecorder: @unchecked Sendable {
    private static let shared = KeyPathRecorder()

    // Following a key path may run code of the program, which may ask for names itself.
    private let lock = NSRecursiveLock()
    private var recording: Recording?

    private struct Recording {
        let variant: Variant
        /// Whether the key path has a `!`, behind which nothing may be nil.
        let unwraps: Bool
        var names: [String] = []
        /// The only object the next name may come from.
        var next: NSManagedObject?
        var isSimple = true
        /// What the last accessor gave, and the types a key path that ends in it may have.
        var value: Any?
        var types: Set<ObjectIdentifier> = []
    }

    /// Which of several placeholders accessors give.
    package enum Variant: CaseIterable {
        case plain, other, another, absent
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
        let unwraps = keyPath.debugDescription.contains("!")
        var names: [String] = []
        // The plain placeholders come first, since code that expects sensible values may run.
        for variant in Variant.allCases where !(variant == .absent && unwraps) {
            guard let found = follow(keyPath, from: type, variant, unwraps), names.isEmpty || names == found else {
                return nil
            }
            names = found
        }
        return names.joined(separator: ".")
    }

    private func follow(_ keyPath: AnyKeyPath, from type: NSManagedObject.Type, _ variant: Variant, _ unwraps: Bool)
        -> [String]?
    {
        let outer = recording
        defer { recording = outer }
        let root = Self.recorder(of: type)
        recording = Recording(variant: variant, unwraps: unwraps, next: root)
        let value = root[keyPath: keyPath]
        guard let recording, recording.isSimple, !recording.names.isEmpty,
            recording.names.count == Self.computedComponents(of: keyPath),
            recording.types.contains(ObjectIdentifier(Swift.type(of: keyPath).valueType)),
            Self.isSame(value, recording.value)
        else { return nil }
        return recording.names
    }

    /// How many properties with accessors a key path leads through: they show as `<computed …>`.
    private static func computedComponents(of keyPath: AnyKeyPath) -> Int {
        keyPath.debugDescription.split(separator: ".").count { $0.hasPrefix("<computed") }
    }

    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        switch (unwrapped(left), unwrapped(right)) {
        case (nil, nil): true
        case (let left as AnyHashable, let right as AnyHashable): left == right
        default: false
        }
    }

    /// What is inside all optionals.
    private static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let optional = value as? any OptionalValue else { return value }
        return unwrapped(optional.anyWrapped)
    }

    // MARK: What accessors of a recording object do

    /// Notes that an object was asked for a property, and gives a placeholder.
    static func noting<Value: ManagedPropertyValue>(_ name: String, of object: NSManagedObject) -> Value {
        note(name, object)
        let value = Value._placeholder(object, name)
        noteValue(value)
        return value
    }

    /// Notes that an object was asked for a property.
    static func note(_ name: String, _ object: NSManagedObject) {
        guard shared.recording != nil else { return }
        // A computed property that reads several others is no path.
        if shared.recording?.next !== object { shared.recording?.isSimple = false }
        shared.recording?.names.append(name)
        shared.recording?.next = nil
    }

    /// Notes what an accessor gives.
    static func noteValue<Value>(_ value: Value) {
        shared.recording?.value = value
        // Behind optional chaining the key path's type is optional; behind `!` it is what is inside.
        var types: Set = [ObjectIdentifier(Value.self)]
        let optional = Value.self as? any OptionalValue.Type
        let isChained = (shared.recording?.names.count ?? 0) > 1
        if isChained, optional == nil { types.insert(ObjectIdentifier(Value?.self)) }
        if let optional, shared.recording?.unwraps == true { types.insert(ObjectIdentifier(optional.wrappedType)) }
        shared.recording?.types = types
    }

    /// One of several placeholders, by the present variant.
    package static func pick<Value>(_ plain: Value, _ other: Value, _ another: Value) -> Value {
        switch shared.recording?.variant {
        case .other, .absent: other
        case .another: another
        case .plain, nil: plain
        }
    }

    /// Whether an optional attribute is to have no value.
    static var givesNil: Bool { shared.recording?.variant == .absent }

    static func placeholder<T: NSObject>(for type: T.Type, at name: String, below recorder: NSManagedObject) -> T {
        if let managed = type as? NSManagedObject.Type {
            let object = Self.recorder(of: managed)
            shared.recording?.next = object
            return object as! T
        }
        if T.self != NSObject.self, let value = foundationObjects().lazy.compactMap({ $0 as? T }).first { return value }
        preconditionFailure(
            "A key path through \"\(name)\", declared as \(type), cannot be named. Use the property's name as a string."
        )
    }

    /// Objects nobody else has, of the classes in which properties are commonly declared.
    private static func foundationObjects() -> [NSObject] {
        [
            NSNumber(value: pick(0.25, 1234.5, -77.75)), NSSet(object: NSObject()), NSOrderedSet(object: NSObject()),
            NSDecimalNumber(value: pick(0.25, 1234.5, -77.75)), NSString(string: pick("", "Other", "another")),
            NSDate(timeIntervalSinceReferenceDate: pick(0, 1e6, -1e6)),
            NSData(data: pick(Data(), Data([1]), Data([2]))),
            NSArray(object: NSObject()), NSURL(fileURLWithPath: "/placeholder"),
        ]
    }

    private static func recorder(of type: NSManagedObject.Type) -> NSManagedObject { type.init(_source: .recorder) }
}

/// An optional of any type.
private protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var anyWrapped: Any? { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    var anyWrapped: Any? { map { $0 } }
}

import CoreDataRuntimeSupport
import Dispatch

/// Finds the property names of a Swift key path by evaluating it on an object that records the properties read.
///
/// Off Apple's platforms a key path carries no names. Accessors of a *recording* object record their name and return a
/// placeholder; a relationship returns another recording object, so that `\.author?.name` is recorded as `author.name`.
///
/// A computed property that reads modeled ones must not be taken for one of them. So a key path has a name only if each of its
/// components reads exactly one property, and its result is the value of the last one. It is evaluated several times with
/// different placeholders, nil among them, to detect components that change the value they read. (A computed property that
/// returns a modeled one unchanged is equivalent to it, and gets its name.)
///
/// A property of a type without placeholder (raw values, transformables) ends the evaluation: the rest of its getter does not
/// run. So a key path is evaluated on a separate thread, which is then blocked forever.
///
/// Each key path is evaluated once in a program and cached by ``KeyPathNaming``.
package enum KeyPathRecorder {
    /// The set of placeholders that accessors return.
    package enum Variant: CaseIterable {
        case plain, other, another, absent
    }

    /// Returns the dotted path of property names, or nil if the key path does not start at a managed object class or reads
    /// anything but modeled properties, one after the other. Costs a thread.
    package static func name(of keyPath: AnyKeyPath) -> String? {
        guard let type = type(of: keyPath).rootType as? NSManagedObject.Type else { return nil }
        return KeyPathJob { job in name(of: Unchecked(keyPath).value, from: type, job) }.run()
    }

    private static func name(of keyPath: AnyKeyPath, from type: NSManagedObject.Type, _ job: KeyPathJob) -> String? {
        let unwraps = keyPath.debugDescription.contains("!")
        var names: [String] = []
        // The plain placeholders come first, because code that expects sensible values may run.
        for variant in Variant.allCases where !(variant == .absent && unwraps) {
            let root = recorder(of: type)
            let recording = Recording(keyPath, variant, unwraps: unwraps, root: root, job)
            guard let found = recording.follow(keyPath, from: root), names.isEmpty || names == found else { return nil }
            names = found
        }
        return names.joined(separator: ".")
    }

    // MARK: Accessors of a recording object

    /// Records that a property of an object was read, and returns a placeholder.
    static func noting<Value: ManagedPropertyValue>(_ name: String, of object: NSManagedObject) -> Value {
        note(name, object)
        let value = Value._placeholder(object, name)
        noteValue(value)
        return value
    }

    /// Records that a property of an object was read.
    static func note(_ name: String, _ object: NSManagedObject) { Recording.current?.note(name, object) }

    /// Records the value that an accessor returns.
    static func noteValue<Value>(_ value: Value) { Recording.current?.noteValue(value) }

    /// Returns true if reading a property of the object records a key path.
    package static func isRecorder(_ object: NSManagedObject) -> Bool { object._state.isRecorder }

    /// Records that a property was read, and the `value` that its getter returns. Ends the evaluation at a value that cannot be compared.
    package static func note<Value>(_ name: String, of object: NSManagedObject, returning value: Value) {
        note(name, object)
        guard OptionalContents.unwrapped(value).map({ $0 is AnyHashable }) ?? true else {
            endNoted(name, as: Value.self)
        }
        noteValue(value)
    }

    /// Ends the evaluation at a property of a type without placeholder, because there is nothing to return to its getter.
    static func end<Value>(_ name: String, of object: NSManagedObject, as type: Value.Type) -> Never {
        note(name, object)
        endNoted(name, as: type)
    }

    private static func endNoted<Value>(_ name: String, as type: Value.Type) -> Never {
        guard let recording = Recording.current else {
            preconditionFailure(
                "The key path through \"\(name)\", declared as \(type), cannot be named. Use the property's name as a string."
            )
        }
        recording.end(as: type)
    }

    /// Returns one of several placeholders, depending on the current variant.
    package static func pick<Value>(_ plain: Value, _ other: Value, _ another: Value) -> Value {
        switch Recording.current?.variant {
        case .other, .absent: other
        case .another: another
        case .plain, nil: plain
        }
    }

    /// True if optional attributes return nil.
    static var givesNil: Bool { Recording.current?.variant == .absent }

    /// Returns a placeholder object for a property, or ends the evaluation if there is none.
    static func placeholder<T: NSObject>(for type: T.Type, at name: String) -> T {
        guard let object = possiblePlaceholder(for: type) else { endNoted(name, as: type) }
        return object
    }

    /// Returns a placeholder object for a property; nil if none of its class can be created.
    static func possiblePlaceholder<T: NSObject>(for type: T.Type) -> T? {
        if let managed = type as? NSManagedObject.Type {
            let object = Self.recorder(of: managed)
            Recording.current?.next = object
            return object as? T
        }
        return T.self == NSObject.self ? nil : foundationObjects().lazy.compactMap { $0 as? T }.first
    }

    /// Returns new objects of the classes that properties are commonly declared with.
    private static func foundationObjects() -> [NSObject] {
        [
            NSNumber(value: pick(0.25, 1234.5, -77.75)), NSSet(object: NSObject()), NSOrderedSet(object: NSObject()),
            NSDecimalNumber(value: pick(0.25, 1234.5, -77.75)), NSString(string: pick("", "Other", "another")),
            NSDate(timeIntervalSinceReferenceDate: pick(0, 1e6, -1e6)),
            NSData(data: pick(Data(), Data([1]), Data([2]))),
            NSArray(object: NSObject()), NSURL(fileURLWithPath: "/placeholder"),
        ]
    }

    private static func recorder(of type: NSManagedObject.Type) -> NSManagedObject { type.make(.recorder) }
}

/// One evaluation of a key path, on the current thread.
private final class Recording {
    let variant: KeyPathRecorder.Variant
    /// True if the key path contains a `!`, after which no placeholder may be nil.
    private let unwraps: Bool
    private let valueType: ObjectIdentifier
    private let computedComponents: Int
    private let job: KeyPathJob
    private var names: [String] = []
    /// The only object that the next property may be read from.
    var next: NSManagedObject?
    private var isSimple = true
    /// The value that the last accessor returned, and the possible types of a key path that ends with it.
    private var value: Any?
    private var types: Set<ObjectIdentifier> = []

    init(
        _ keyPath: AnyKeyPath, _ variant: KeyPathRecorder.Variant, unwraps: Bool, root: NSManagedObject,
        _ job: KeyPathJob
    ) {
        self.variant = variant
        self.unwraps = unwraps
        valueType = ObjectIdentifier(Swift.type(of: keyPath).valueType)
        // Properties with accessors are printed as `<computed …>`.
        computedComponents = keyPath.debugDescription.split(separator: ".").count { $0.hasPrefix("<computed") }
        next = root
        self.job = job
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The evaluation that runs on the current thread.
    static var current: Recording? {
        pthread_getspecific(key).map { Unmanaged<Recording>.fromOpaque($0).takeUnretainedValue() }
    }

    func follow(_ keyPath: AnyKeyPath, from root: NSManagedObject) -> [String]? {
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, nil) }
        let found = root[keyPath: keyPath]
        return withExtendedLifetime(self) { isPath && Self.isSame(found, value) ? names : nil }
    }

    private var isPath: Bool {
        isSimple && !names.isEmpty && names.count == computedComponents && types.contains(valueType)
    }

    func note(_ name: String, _ object: NSManagedObject) {
        // A computed property that reads several others is not a path.
        if next !== object { isSimple = false }
        names.append(name)
        next = nil
    }

    func noteValue<Value>(_ value: Value) {
        self.value = value
        noteType(Value.self)
    }

    private func noteType<Value>(_ type: Value.Type) {
        // With optional chaining the key path's type is optional; with `!` it is the wrapped type.
        types = [ObjectIdentifier(type)]
        let optional = type as? any OptionalValue.Type
        if names.count > 1, optional == nil { types.insert(ObjectIdentifier(Value?.self)) }
        if let optional, unwraps { types.insert(ObjectIdentifier(optional.wrappedType)) }
    }

    func end<Value>(as type: Value.Type) -> Never {
        noteType(type)
        job.end(with: isPath ? names.joined(separator: ".") : nil)
    }

    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        switch (left.flatMap(OptionalContents.unwrapped), right.flatMap(OptionalContents.unwrapped)) {
        case (nil, nil): true
        case (let left as AnyHashable, let right as AnyHashable): left == right
        default: false
        }
    }
}

/// The thread that evaluates a key path and may have to stop in the middle.
private final class KeyPathJob: @unchecked Sendable {
    private let body: (KeyPathJob) -> String?
    private let done = DispatchSemaphore(value: 0)
    private var name: String?

    init(_ body: @escaping (KeyPathJob) -> String?) { self.body = body }

    func run() -> String? {
        let thread = Thread { [self] in
            name = body(self)
            done.signal()
        }
        thread.stackSize = 1 << 20
        thread.name = "NSManagedObject key path"
        thread.start()
        done.wait()
        return name
    }

    /// Ends the job with its result. Called on the job's thread, which it blocks forever.
    func end(with name: String?) -> Never {
        self.name = name
        done.signal()
        while true { sleep(.max) }
    }
}

import CoreDataRuntimeSupport
import Dispatch

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
///
/// Properties whose values cannot be made up (raw values, transformables) end a key path where they are asked: what follows in
/// their getters does not run. So a key path is followed on a thread of its own, which then waits for ever.
///
/// Each key path is followed once in a program and remembered by ``KeyPathNaming``.
package enum KeyPathRecorder {
    /// Which of several placeholders accessors give.
    package enum Variant: CaseIterable {
        case plain, other, another, absent
    }

    /// The dotted path of property names, or nil when the key path does not start at a managed object class or reads anything
    /// but modelled properties, one after the other. Costs a thread.
    package static func name(of keyPath: AnyKeyPath) -> String? {
        guard let type = type(of: keyPath).rootType as? NSManagedObject.Type else { return nil }
        return KeyPathJob { job in name(of: Unchecked(keyPath).value, from: type, job) }.run()
    }

    private static func name(of keyPath: AnyKeyPath, from type: NSManagedObject.Type, _ job: KeyPathJob) -> String? {
        let unwraps = keyPath.debugDescription.contains("!")
        var names: [String] = []
        // The plain placeholders come first, since code that expects sensible values may run.
        for variant in Variant.allCases where !(variant == .absent && unwraps) {
            let root = recorder(of: type)
            let recording = Recording(keyPath, variant, unwraps: unwraps, root: root, job)
            guard let found = recording.follow(keyPath, from: root), names.isEmpty || names == found else { return nil }
            names = found
        }
        return names.joined(separator: ".")
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
    static func note(_ name: String, _ object: NSManagedObject) { Recording.current?.note(name, object) }

    /// Notes what an accessor gives.
    static func noteValue<Value>(_ value: Value) { Recording.current?.noteValue(value) }

    /// Ends a key path at a property for whose type there is no placeholder: nothing can be returned to its getter.
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

    /// One of several placeholders, by the present variant.
    package static func pick<Value>(_ plain: Value, _ other: Value, _ another: Value) -> Value {
        switch Recording.current?.variant {
        case .other, .absent: other
        case .another: another
        case .plain, nil: plain
        }
    }

    /// Whether an optional attribute is to have no value.
    static var givesNil: Bool { Recording.current?.variant == .absent }

    /// An object to give for a property, or the end of the key path.
    static func placeholder<T: NSObject>(for type: T.Type, at name: String) -> T {
        guard let object = possiblePlaceholder(for: type) else { endNoted(name, as: type) }
        return object
    }

    /// An object to give for a property; nil when none of its class can be made.
    static func possiblePlaceholder<T: NSObject>(for type: T.Type) -> T? {
        if let managed = type as? NSManagedObject.Type {
            let object = Self.recorder(of: managed)
            Recording.current?.next = object
            return object as? T
        }
        return T.self == NSObject.self ? nil : foundationObjects().lazy.compactMap { $0 as? T }.first
    }

    /// Objects that exist nowhere else, of the classes in which properties are commonly declared.
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

/// One pass along a key path, on the thread that makes it.
private final class Recording {
    let variant: KeyPathRecorder.Variant
    /// Whether the key path has a `!`, behind which nothing may be nil.
    private let unwraps: Bool
    private let valueType: ObjectIdentifier
    private let computedComponents: Int
    private let job: KeyPathJob
    private var names: [String] = []
    /// The only object the next name may come from.
    var next: NSManagedObject?
    private var isSimple = true
    /// What the last accessor gave, and the types a key path that ends in it may have.
    private var value: Any?
    private var types: Set<ObjectIdentifier> = []

    init(
        _ keyPath: AnyKeyPath, _ variant: KeyPathRecorder.Variant, unwraps: Bool, root: NSManagedObject,
        _ job: KeyPathJob
    ) {
        self.variant = variant
        self.unwraps = unwraps
        valueType = ObjectIdentifier(Swift.type(of: keyPath).valueType)
        // Properties with accessors show as `<computed …>`.
        computedComponents = keyPath.debugDescription.split(separator: ".").count { $0.hasPrefix("<computed") }
        next = root
        self.job = job
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The pass the current thread is making.
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
        // A computed property that reads several others is no path.
        if next !== object { isSimple = false }
        names.append(name)
        next = nil
    }

    func noteValue<Value>(_ value: Value) {
        self.value = value
        noteType(Value.self)
    }

    private func noteType<Value>(_ type: Value.Type) {
        // Behind optional chaining the key path's type is optional; behind `!` it is what is inside.
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

/// The thread that follows a key path, which may have to stop in the middle.
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

    /// Called on the job's thread.
    func end(with name: String?) -> Never {
        self.name = name
        done.signal()
        while true { sleep(.max) }
    }
}

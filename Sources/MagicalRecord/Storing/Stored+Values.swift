import CoreData

// By primitive values: key-value coding calls the property itself where Objective-C or `ComputedKeys` knows it.

extension Stored {
    func value(of object: NSManagedObject) -> Value {
        if StoredKeyRecording.notes(key, of: object, returning: initial) { return initial }
        guard let stored = object.primitive(key) else { return initial }
        do {
            return try coding.value(from: stored, of: StoredPlace(object: object, key: key)) as! Value
        } catch {
            UnreadableStored.report(stored, key, of: object, error)
            return initial
        }
    }

    func set(_ value: Value, of object: NSManagedObject) {
        let place = StoredPlace(object: object, key: key)
        let new: Any?
        do {
            new = try coding.stored(value, of: place)
        } catch {
            fatalError(
                "The value of type \(Value.self) cannot be stored in \(place): \(error)")
        }
        _ = object.setStored(new, coding, of: place)
    }
}

extension NSManagedObject {
    /// Returns the stored value of an attribute, after loading the object.
    func primitive(_ key: String) -> Any? {
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return primitiveValue(forKey: key)
    }

    /// Sets a property's attribute, unless its present value stands for the same; returns true if it was set.
    func setStored(_ new: Any?, _ coding: any StoredCoding.Type, of place: StoredPlace) -> Bool {
        let present = primitive(place.key)
        let isEqual = new.map { ImportedValue.other($0).isEqual(to: present) } ?? (present == nil)
        if isEqual || coding.isEqual(new, to: present, of: place) { return false }
        willChangeValue(forKey: place.key)
        setPrimitiveValue(new, forKey: place.key)
        didChangeValue(forKey: place.key)
        return true
    }
}

/// The attribute that a value is stored in.
struct StoredPlace: CustomStringConvertible {
    let entity: NSEntityDescription
    let key: String

    init(object: NSManagedObject, key: String) { self.init(entity: object.entity, key: key) }

    init(entity: NSEntityDescription, key: String) { (self.entity, self.key) = (entity, key) }

    var attribute: NSAttributeDescription? { entity.attributesByName[key] }

    var description: String { "the attribute \"\(key)\" of \(entity.name ?? "?")" }
}

/// The reason why a value cannot be read or stored.
struct StoredFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Reports stored values that cannot be read, each once.
enum UnreadableStored {
    private static let reported = Locked<Set<String>>([])
    /// The number of reports kept in memory.
    private static let most = 1000

    static func report(_ stored: Any, _ key: String, of object: NSManagedObject, _ error: any Error) {
        let text =
            switch stored {
            case let data as Data: beginning(data)
            case let text as String: beginning(text.utf8)
            default: beginning("\(stored)".utf8)
            }
        let place = StoredPlace(object: object, key: key)
        let value = "\(place): \(text)"
        let isNew = reported.withLock {
            if $0.count >= most { $0.removeAll() }
            return $0.insert(value).inserted
        }
        guard isNew else { return }
        Log.error(
            "The value \(text) of \(place) cannot be read: \(error) The property reads as nil or its initial value."
        )
    }

    /// Returns a text, or the beginning of a long one and the number of its bytes.
    private static func beginning(_ bytes: some Collection<UInt8>) -> String {
        let start = String(decoding: bytes.prefix(200), as: UTF8.self)
        return bytes.count > 200 ? "\(start)… (\(bytes.count) bytes)" : start
    }
}

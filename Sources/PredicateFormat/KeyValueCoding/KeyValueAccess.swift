import CoreDataRuntimeSupport
import Foundation

/// Reads one key of any value.
enum KeyValueAccess {
    /// Returns the value of `key` in `object`: an entry of a dictionary, a property of an object, or the values of that key in
    /// the elements of a collection.
    ///
    /// - Throws: ``PredicateEvaluationError`` if the object has no such key. A missing key of a dictionary yields nil.
    static func value(of object: Any, forKey key: String) throws -> Any? {
        if type(of: object) == [String: Any].self, let dictionary = object as? [String: Any] { return dictionary[key] }
        if let object = object as? any KeyValueCoding { return try object.valueThrowing(forKey: key) }
        if let dictionary = object as? any KeyedByString { return dictionary.lookUp(key) }
        if let collection = object as? any PredicateCollection { return try values(of: collection, forKey: key) }
        if key == "self" || key == "SELF" { return object }
        switch PredicateValue(object) {
        case .null: return nil
        case .string(let string): if let value = self.value(of: string, key) { return value }
        case .date(let date): if let value = self.value(ofDate: date, key) { return value }
        case .number(let number): if let value = self.value(of: number, key) { return value }
        case .other(let other):
            if let url = other as? URL, let value = self.value(of: url, key) { return value }
            if let uuid = other as? UUID, key == "UUIDString" || key == "uuidString" { return uuid.uuidString }
            if let data = other as? Data, key == "length" { return data.count }
        }
        return try reflectedValue(of: object, forKey: key)
    }

    /// Maps a key over a collection: arrays keep missing values as `NSNull`, sets drop them and merge duplicates.
    private static func values(of collection: any PredicateCollection, forKey key: String) throws -> Any {
        let isSet = collection.isPredicateSet
        var values: [Any] = []
        for element in collection.predicateElements {
            let value = try self.value(of: element, forKey: key)
            if let value, !PredicateValue(value).isNull {
                values.append(value)
            } else if !isSet {
                values.append(NSNull())
            }
        }
        return isSet ? set(values) : values
    }

    /// Returns a set of values, as Swift's `Set` if all are hashable.
    static func set(_ values: [Any]) -> Any {
        let distinct = withoutDuplicates(values)
        let hashable = distinct.compactMap(hashable)
        let set = Set(hashable)
        // Swift takes canonically equivalent strings for equal.
        return set.count == distinct.count ? set as Any : DistinctValues(predicateElements: distinct)
    }

    /// Returns a value as an element of a set; nil if it is not hashable.
    static func hashable(_ value: Any) -> AnyHashable? {
        switch PredicateValue(value) {
        // Number objects hash and compare unreliably off Apple's platforms; see ValueKey.
        case .number(.int(let number)): return AnyHashable(Int(number))
        case .number(.unsigned(let number)): return AnyHashable(number)
        case .number(.double(let number)): return AnyHashable(number)
        case .number(.decimal(let number)): return AnyHashable(number)
        case .string(let string): return AnyHashable(string)
        case .other(let other) where other is any PredicateCollection || other is any KeyedByString: return nil
        default: return (value as? any Hashable).map { AnyHashable($0) }
        }
    }

    /// Returns the values in order without duplicates.
    static func withoutDuplicates(_ values: [Any]) -> [Any] {
        var result: [Any] = []
        var seen = Set<ValueKey>()
        for value in values {
            if let key = ValueKey(PredicateValue(value)) {
                if seen.insert(key).inserted { result.append(value) }
            } else if !result.contains(where: { ValueComparison.equal($0, value) }) {
                result.append(value)
            }
        }
        return result
    }

    // MARK: Values

    private static func value(of string: String, _ key: String) -> Any? {
        switch key {
        case "length": string.utf16.count
        case "uppercaseString", "uppercased": string.uppercased()
        case "lowercaseString", "lowercased": string.lowercased()
        case "capitalizedString": string.capitalized
        case "description": string
        case "integerValue", "intValue": (string as NSString).integerValue
        case "doubleValue", "floatValue": (string as NSString).doubleValue
        case "boolValue": (string as NSString).boolValue
        default: nil
        }
    }

    private static func value(of number: PredicateNumber, _ key: String) -> Any? {
        switch key {
        case "integerValue", "intValue", "longLongValue": number.integer.map { Int($0) }
        case "doubleValue", "floatValue": number.double
        case "boolValue": number.double != 0
        case "stringValue", "description": FormatPrinter.text(of: number)
        default: nil
        }
    }

    private static func value(ofDate date: TimeInterval, _ key: String) -> Any? {
        let date = Date(timeIntervalSinceReferenceDate: date)
        return switch key {
        case "timeIntervalSinceReferenceDate": date.timeIntervalSinceReferenceDate
        case "timeIntervalSince1970": date.timeIntervalSince1970
        case "timeIntervalSinceNow": date.timeIntervalSinceNow
        default: nil
        }
    }

    private static func value(of url: URL, _ key: String) -> Any? {
        switch key {
        case "absoluteString": url.absoluteString
        case "path": url.path
        case "host": url.host
        case "scheme": url.scheme
        case "lastPathComponent": url.lastPathComponent
        case "pathExtension": url.pathExtension
        case "query": url.query
        case "fragment": url.fragment
        default: nil
        }
    }

    // MARK: Reflection

    /// Returns a stored property of a structure or class, including inherited ones, or the `rawValue` of an enumeration.
    private static func reflectedValue(of object: Any, forKey key: String) throws -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            for child in current.children where child.label == key {
                return OptionalContents.unwrapped(child.value)
            }
            mirror = current.superclassMirror
        }
        if key == "rawValue", let raw = object as? any RawRepresentable { return raw.rawValue }
        throw PredicateEvaluationError.undefinedKey(key, object)
    }
}

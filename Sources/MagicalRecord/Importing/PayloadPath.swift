import CoreData

/// A key path into a record, by the rules of key-value coding: through dictionaries and objects, element by element through
/// arrays, with the collection operators. A missing or null value on the way ends the lookup without an error; null at the end
/// is a value (`NSNull`). A dictionary key that contains a dot is found if it equals the whole path.
struct PayloadPath: Sendable {
    let text: String
    private let keys: [String]

    init(_ text: String) {
        self.text = text
        keys = text.split(separator: ".", omittingEmptySubsequences: true).map(String.init)
    }

    /// Whether the path is a single key.
    var isPlainKey: Bool { keys.count < 2 && !text.hasPrefix("@") }

    /// Returns the value, or nil if there is none.
    func value(in payload: Payload) -> Any? {
        if let dictionary = payload.dictionary {
            if let value = dictionary[text] { return value }
            if isPlainKey { return nil }
        }
        return Self.walk(payload.record, keys[...])
    }

    private static func walk(_ value: Any, _ keys: ArraySlice<String>) -> Any? {
        guard let key = keys.first else { return value }
        if ImportedValue.isNull(value) { return nil }
        if key.hasPrefix("@") { return apply(String(key.dropFirst()), to: value, keys.dropFirst()) }
        if let list = value as? [Any] {
            let found = list.compactMap { walk($0, keys) }
            return found
        }
        return component(key, of: value).flatMap { walk($0, keys.dropFirst()) }
    }

    /// Returns the value for one key. Texts and numbers have no properties that a record could refer to.
    private static func component(_ key: String, of value: Any) -> Any? {
        if let dictionary = value as? [String: Any] { return dictionary[key] }
        if let dictionary = value as? NSDictionary { return dictionary[key] }
        if value is String || value is NSNumber { return nil }
        #if canImport(ObjectiveC)
        guard let object = value as? NSObject, object.responds(to: NSSelectorFromString(key)) else { return nil }
        return object.value(forKey: key)
        #else
        return (value as? any KeyValueCoding)?.value(forKey: key)
        #endif
    }

    private static func apply(_ operation: String, to value: Any, _ rest: ArraySlice<String>) -> Any? {
        guard let list = value as? [Any] else { return nil }
        if operation == "count" { return list.count }
        let values = list.compactMap { walk($0, rest) }.filter { !($0 is NSNull) }
        let numbers = values.compactMap { $0 as? NSNumber }.map(\.doubleValue)
        switch operation {
        case "sum": return numbers.reduce(0, +)
        case "avg": return numbers.isEmpty ? 0 : numbers.reduce(0, +) / Double(numbers.count)
        case "min": return numbers.min() ?? values.compactMap { $0 as? String }.min()
        case "max": return numbers.max() ?? values.compactMap { $0 as? String }.max()
        case "unionOfObjects": return values
        case "distinctUnionOfObjects":
            var seen: Set<AnyHashable> = []
            return values.filter { value in (value as? AnyHashable).map { seen.insert($0).inserted } ?? true }
        default: return nil
        }
    }
}

/// A record, with the dictionary unboxed once for all keys.
struct Payload {
    let record: Any
    let dictionary: [String: Any]?

    init(_ record: Any) {
        self.record = record
        dictionary = record as? [String: Any]
    }
}

/// The key paths of one property's value, tried in turn.
struct PayloadPaths: Sendable {
    private let paths: [PayloadPath]
    /// The key, if there is a single path and it is a plain key.
    private let onlyKey: String?

    init(_ texts: [String]) {
        paths = texts.map(PayloadPath.init)
        onlyKey = paths.count == 1 && paths[0].isPlainKey ? texts[0] : nil
    }

    /// The path that is tried first.
    var first: String { paths[0].text }

    /// Returns these paths followed by another one, unless it is among them.
    func adding(_ text: String) -> PayloadPaths {
        paths.contains { $0.text == text } ? self : PayloadPaths(paths.map(\.text) + [text])
    }

    /// Returns the value of the first path that has one.
    func value(in payload: Payload) -> Any? {
        if let onlyKey, let dictionary = payload.dictionary { return dictionary[onlyKey] }
        for path in paths {
            if let value = path.value(in: payload) { return value }
        }
        return nil
    }

    /// Returns whether a path has a value other than null.
    func hasValue(in payload: Payload) -> Bool { value(in: payload).map { !ImportedValue.isNull($0) } ?? false }

    /// Returns the first path that has a value.
    func path(in payload: Payload) -> String? { paths.first { $0.value(in: payload) != nil }?.text }
}

extension Error {
    /// Returns the error with a component prepended to its path in the record, if it is an error of MagicalRecord.
    func within(_ component: String?) -> any Error {
        guard var error = self as? MagicalRecordError, let component else { return self }
        let rest = error.path.map { $0.hasPrefix("[") ? $0 : ".\($0)" } ?? ""
        // Records may be nested 200 levels deep.
        error.path = component + (rest.count > 200 ? "…\(rest.suffix(100))" : rest)
        return error
    }

    /// Returns the error with the index of its record, if it is an error of MagicalRecord without one.
    func inRecord(_ index: Int) -> any Error {
        guard var error = self as? MagicalRecordError, error.record == nil else { return self }
        error.record = index
        return error
    }
}

extension NSPropertyDescription {
    /// The key paths of the property's value in a record, in the order of trial: `mappedKeyName` or else the property's name,
    /// then the numbered ones up to the first missing number.
    var importPaths: PayloadPaths {
        let numbered = (1..<ImportKey.keyPathLimit).lazy.map { self.importText("\(ImportKey.keyPath).\($0)") }
        return PayloadPaths([importText(ImportKey.keyPath) ?? name] + numbered.prefix { $0 != nil }.compactMap(\.self))
    }

    /// The key paths of a key attribute in related records: those of its value, then its name, as in MagicalRecord 2.4.
    var importLookUpPaths: PayloadPaths { importPaths.adding(name) }
}

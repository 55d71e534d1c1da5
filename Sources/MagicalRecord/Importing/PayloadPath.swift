import CoreData

/// A key path into a record to be imported.
///
/// It works as key-value coding does: through dictionaries and objects, element by element through arrays, with the
/// collection operators. A value that is missing or null on the way ends the search without an error; null at the
/// end is a value (`NSNull`). A dictionary key that contains a dot is found when the path as a whole is such a key.
struct PayloadPath: Sendable {
    let text: String
    private let keys: [String]

    init(_ text: String) {
        self.text = text
        keys = text.split(separator: ".", omittingEmptySubsequences: true).map(String.init)
    }

    /// Whether the path is no more than one key.
    var isPlainKey: Bool { keys.count < 2 && !text.hasPrefix("@") }

    /// The value, or `nil` when there is none.
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
        guard let next = component(key, of: value) else { return nil }
        return walk(next, keys.dropFirst())
    }

    /// One step. Texts and numbers have no properties a record could mean.
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

/// A record, with the dictionary it may be taken out of its box once for all keys.
struct Payload {
    let record: Any
    let dictionary: [String: Any]?

    init(_ record: Any) {
        self.record = record
        dictionary = record as? [String: Any]
    }
}

/// Where a record may have the value of one property: key paths that are tried in turn.
struct PayloadPaths: Sendable {
    private let paths: [PayloadPath]
    /// The key, when there is but one path and it is a plain key.
    private let onlyKey: String?

    init(_ texts: [String]) {
        paths = texts.map(PayloadPath.init)
        onlyKey = paths.count == 1 && paths[0].isPlainKey ? texts[0] : nil
    }

    /// The path that is tried first.
    var first: String { paths[0].text }

    /// These paths, and then another one.
    func adding(_ text: String) -> PayloadPaths {
        let texts = paths.map(\.text)
        return texts.contains(text) ? self : PayloadPaths(texts + [text])
    }

    /// The first value found.
    func value(in payload: Payload) -> Any? {
        if let onlyKey, let dictionary = payload.dictionary { return dictionary[onlyKey] }
        for path in paths {
            if let value = path.value(in: payload) { return value }
        }
        return nil
    }

    /// Whether a value is found that is not null.
    func hasValue(in payload: Payload) -> Bool { value(in: payload).map { !ImportedValue.isNull($0) } ?? false }

    /// The path that finds a value.
    func path(in payload: Payload) -> String? { paths.first { $0.value(in: payload) != nil }?.text }
}

extension NSPropertyDescription {
    /// The key paths under which a record may have the value, in the order in which they are tried: the one of
    /// `mappedKeyName`, or else the property's name, then the numbered ones up to the first that is missing.
    var importPaths: PayloadPaths {
        var paths = [importText(kMagicalRecordImportAttributeKeyMapKey) ?? name]
        for number in 1..<kMagicalRecordImportMaximumAttributeFailoverDepth {
            guard let next = importText("\(kMagicalRecordImportAttributeKeyMapKey).\(number)") else { break }
            paths.append(next)
        }
        return PayloadPaths(paths)
    }

    /// The key paths under which a record may have what its object is looked up by, behind a relationship: those of the
    /// value, and last the property's own name. (MagicalRecord 2.4 searches for keys in this way.)
    var importLookUpPaths: PayloadPaths { importPaths.adding(name) }
}

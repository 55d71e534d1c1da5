import Foundation

/// Property lists whose root is a dictionary, as the values Foundation makes of them.
package enum PropertyListDictionary {
    /// Reads a property list; nil if it is damaged, or holds something else. Binary ones are read without Foundation's
    /// reader, whose first use costs as much as opening a database.
    ///
    /// - Parameter key: the key of a dictionary of data that is wanted by itself.
    /// - Returns: the values, and that dictionary if it is there and is one.
    package static func read(
        _ data: Data, withDataFor key: String = ""
    ) -> (values: [String: Any], data: [String: Data]?)? {
        if data.starts(with: "bplist".utf8) {
            var reader = BinaryPropertyListReader(bytes: data.bytes)
            if let root = try? reader.read(), let entries = root.dictionary, let values = values(entries) {
                return (values, entries[key]?.dictionary.flatMap(allData))
            }
        }
        return ((try? PropertyListSerialization.propertyList(from: data, format: nil)) as? [String: Any]).map {
            ($0, $0[key] as? [String: Data])
        }
    }

    private static func allData(_ entries: [String: PropertyListNode]) -> [String: Data]? {
        var result = [String: Data](minimumCapacity: entries.count)
        for (key, node) in entries {
            guard let data = node.data else { return nil }
            result[key] = data
        }
        return result
    }

    /// The values, with room for a few more.
    private static func values(_ entries: [String: PropertyListNode]) -> [String: Any]? {
        var result = [String: Any](minimumCapacity: entries.count + 2)
        for (key, node) in entries {
            guard let value = value(node) else { return nil }
            result[key] = value
        }
        return result
    }

    /// nil for what only Foundation's reader knows how to present.
    private static func value(_ node: PropertyListNode) -> Any? {
        switch node {
        case .bool(let value): return value
        case .integer(let value): return value == .max ? nil : NSNumber(value: value)
        case .real(let value): return NSNumber(value: value)
        case .date(let value): return Date(timeIntervalSinceReferenceDate: value)
        case .data(let value): return value
        case .string(let value): return value
        case .uid: return nil
        case .array(let items):
            var values: [Any] = []
            for item in items {
                guard let value = value(item) else { return nil }
                values.append(value)
            }
            return values
        case .dictionary(let entries): return values(entries).map(boxed)
        }
    }

    /// The dictionary as a value of any type.
    ///
    /// Not to be specialized: code for one type of keys has the runtime search the whole program for what this is told.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func boxed<Key: Hashable, Value>(_ dictionary: [Key: Value]) -> Any { dictionary }
}

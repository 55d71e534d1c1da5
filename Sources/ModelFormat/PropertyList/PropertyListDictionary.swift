import Foundation

/// Property lists whose root is a dictionary, as the values Foundation makes of them.
package enum PropertyListDictionary {
    /// Reads a property list; nil if it is damaged, or holds something else. Binary ones are read without Foundation's
    /// reader, whose first use costs as much as opening a database.
    package static func read(_ data: Data) -> [String: Any]? {
        if data.starts(with: "bplist".utf8) {
            var reader = BinaryPropertyListReader(bytes: [UInt8](data))
            if let root = try? reader.read(), let entries = root.dictionary, let values = values(entries) {
                return values
            }
        }
        return (try? PropertyListSerialization.propertyList(from: data, format: nil)) as? [String: Any]
    }

    private static func values(_ entries: [String: PropertyListNode]) -> [String: Any]? {
        var result: [String: Any] = [:]
        result.reserveCapacity(entries.count)
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
        case .dictionary(let entries): return values(entries)
        }
    }
}

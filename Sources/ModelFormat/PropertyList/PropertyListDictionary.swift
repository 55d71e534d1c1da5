import Foundation

/// Reads property lists with a dictionary as their root, as Foundation values.
package enum PropertyListDictionary {
    /// Reads a property list; returns nil if it is damaged or its root is not a dictionary. Binary lists are read without
    /// Foundation's reader, since its first use costs as much as opening a database.
    package static func read(_ data: Data) -> [String: Any]? {
        if let unread = UnreadDictionary(data) { return unread.values }
        guard isForFoundation(data) else { return nil }
        return (try? PropertyListSerialization.propertyList(from: data, format: nil)) as? [String: Any]
    }

    /// Returns whether Foundation's reader can safely read a list: off Apple's platforms a set in a binary list, which is
    /// invalid, crashes it.
    private static func isForFoundation(_ data: Data) -> Bool {
        guard data.starts(with: "bplist".utf8) else { return true }
        guard let list = try? PropertyListTable(data.bytes), (try? list.checkNesting(list.top)) != nil else {
            return false
        }
        return !list.holdsSet
    }

    /// Returns whether a value and all its contents can be converted here.
    static func isPlain(_ number: Int, in list: PropertyListTable) -> Bool {
        if list.isDictionary(number) {
            let keys = list.keys(number)
            return (0..<keys.count).allSatisfy { isPlain(list.number($0, ofValuesFor: keys), in: list) }
        }
        if let items = list.items(number) {
            return (0..<items.count).allSatisfy { isPlain(list.number($0, of: items), in: list) }
        }
        if list.isTextOrData(number) { return true }
        return switch list.scalar(number) {
        case .bool?, .real?, .date?: true
        case .integer(let value)?: value != .max
        default: false
        }
    }

    /// Returns the values, with capacity for a few more.
    static func values(_ number: Int, in list: PropertyListTable) -> [String: Any]? {
        guard list.isDictionary(number) else { return nil }
        let keys = list.keys(number)
        var result = [String: Any](minimumCapacity: keys.count + 2)
        for index in 0..<keys.count {
            guard let name = list.string(list.number(index, of: keys)),
                let value = value(list.number(index, ofValuesFor: keys), in: list)
            else { return nil }
            result[name] = value
        }
        return result
    }

    /// Returns a converted value; nil if only Foundation's reader can convert it.
    private static func value(_ number: Int, in list: PropertyListTable) -> Any? {
        if let text = list.string(number) { return text }
        if let data = list.data(number) { return data }
        if list.isDictionary(number) { return values(number, in: list).map(boxed) }
        if let items = list.items(number) {
            var values: [Any] = []
            for index in 0..<items.count {
                guard let value = value(list.number(index, of: items), in: list) else { return nil }
                values.append(value)
            }
            return values
        }
        switch list.scalar(number) {
        case .bool(let value)?: return value
        case .integer(let value)?: return value == .max ? nil : NSNumber(value: value)
        case .real(let value)?: return NSNumber(value: value)
        case .date(let value)?: return Date(timeIntervalSinceReferenceDate: value)
        default: return nil
        }
    }

    /// Returns the dictionary as a value of any type.
    ///
    /// Never specialized: code for a concrete key type would make the runtime look up conformances in the whole program, which
    /// the unspecialized function receives as arguments.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func boxed<Key: Hashable, Value>(_ dictionary: [Key: Value]) -> Any { dictionary }
}

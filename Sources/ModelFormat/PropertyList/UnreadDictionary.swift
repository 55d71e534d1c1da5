import Foundation

/// A validated property list with a dictionary as its root, converted to values on demand.
///
/// Not thread-safe.
package final class UnreadDictionary {
    private let list: PropertyListTable

    /// Opens a list; nil if it is damaged, is not a dictionary, or contains values that only Foundation's reader can convert.
    package convenience init?(_ data: Data) { self.init(data.bytes) }

    /// Opens a list from its bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: "bplist".utf8), let list = try? PropertyListTable(bytes),
            (try? list.checkNesting(list.top)) != nil, list.isDictionary(list.top),
            PropertyListDictionary.isPlain(list.top, in: list)
        else { return nil }
        self.list = list
    }

    /// All values, as converted by Foundation.
    package var values: [String: Any] { PropertyListDictionary.values(list.top, in: list) ?? [:] }

    /// Reads version hashes from the values; returns nil if there are none, or if the value has another type.
    package func hashes(forKey key: String) -> EntityHashes? {
        list.value(key, in: list.top).flatMap { EntityHashes($0, in: list) }
    }
}

import Foundation

/// A property list whose root is a dictionary: looked through, and made into values when they are wanted.
///
/// For one thread at a time.
package final class UnreadDictionary {
    private let list: PropertyListTable

    /// nil for a list that is damaged, is no dictionary, or holds what only Foundation's reader knows how to present.
    package convenience init?(_ data: Data) { self.init(data.bytes) }

    /// The same, for the list's bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: "bplist".utf8), let list = try? PropertyListTable(bytes),
            (try? list.checkNesting(list.top)) != nil, list.isDictionary(list.top),
            PropertyListDictionary.isPlain(list.top, in: list)
        else { return nil }
        self.list = list
    }

    /// All values, as Foundation makes them of the list.
    package var values: [String: Any] { PropertyListDictionary.values(list.top, in: list) ?? [:] }

    /// Version hashes among the values; nil if there are none, or something else.
    package func hashes(forKey key: String) -> EntityHashes? {
        list.value(key, in: list.top).flatMap { EntityHashes($0, in: list) }
    }
}

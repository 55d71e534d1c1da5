#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation

/// The content of an object's URI: `x-coredata://UUID/Entity/pN`.
package struct ObjectAddress: Sendable, Hashable {
    package var storeUUID: String
    package var entity: String
    package var key: Int64

    package init(storeUUID: String, entity: String, key: Int64) {
        self.storeUUID = storeUUID
        self.entity = entity
        self.key = key
    }

    private static let scheme = "x-coredata://"
    private static let plain: CharacterSet = {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "/;")
        return allowed
    }()

    /// Returns whether a text begins as URIs of objects do.
    package static func isLike(_ text: String) -> Bool {
        text.utf8.prefix(scheme.utf8.count).lazy.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }.elementsEqual(scheme.utf8)
    }

    /// Reads the text of a URI; returns nil for any other text, and for the URI of an object that was not saved.
    package init?(_ text: String) {
        guard Self.isLike(text) else { return nil }
        let parts = text.utf8.dropFirst(Self.scheme.utf8.count).split(
            separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[2].first == UInt8(ascii: "p"),
            let key = Int64(Substring(parts[2].dropFirst())), RowReference.isKey(key)
        else { return nil }
        let name = String(Substring(parts[1]))
        let decoded = name.utf8.contains(UInt8(ascii: "%")) ? name.removingPercentEncoding : name
        guard let entity = decoded, !entity.isEmpty else { return nil }
        self.init(storeUUID: String(Substring(parts[0])), entity: entity, key: key)
    }

    package var text: String { Self.prefix(storeUUID: storeUUID, entity: entity) + String(key) }

    package var uri: URL { Self.uri(text) }

    /// Returns the part of the URIs of an entity's objects that comes before the key.
    static func prefix(storeUUID: String, entity: String) -> String {
        func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? text }
        return "\(scheme)\(escaped(storeUUID))/\(escaped(entity))/p"
    }

    /// Returns the prefix as URLs contain it; nil if it needs escapes in JSON or CSV.
    static func plainPrefix(_ prefix: String) -> String? {
        let text = String(uri(prefix + "1").absoluteString.dropLast())
        return text.utf8.allSatisfy { 0x21...0x7e ~= $0 && ![0x22, 0x2c, 0x5c].contains($0) } ? text : nil
    }

    static func uri(_ text: String) -> URL {
        // The store's identifier may be any text, but it is escaped.
        URL(string: text) ?? URL(fileURLWithPath: text)
    }
}

/// A row in predicates.
final class RowConstant: NSObject, RowIdentified, @unchecked Sendable {
    let rowIdentity: RowIdentity?
    private let text: String

    init(_ address: ObjectAddress, _ layout: EntityLayout) {
        rowIdentity = RowIdentity(storeUUID: address.storeUUID, layout: layout, key: address.key)
        text = address.text
    }

    override var description: String { text }
}
#endif

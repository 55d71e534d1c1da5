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
    package static func isLike(_ text: String) -> Bool { text.prefix(scheme.count).lowercased() == scheme }

    /// Reads the text of a URI; returns nil for any other text, and for the URI of an object that was not saved.
    package init?(_ text: String) {
        guard Self.isLike(text) else { return nil }
        let parts = text.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[2].first == "p", let key = Int64(parts[2].dropFirst()),
            RowReference.isKey(key), let entity = String(parts[1]).removingPercentEncoding, !entity.isEmpty
        else { return nil }
        self.init(storeUUID: String(parts[0]), entity: entity, key: key)
    }

    package var text: String { Self.prefix(storeUUID: storeUUID, entity: entity) + String(key) }

    package var uri: URL { Self.uri(text) }

    /// Returns the part of the URIs of an entity's objects that comes before the key.
    static func prefix(storeUUID: String, entity: String) -> String {
        func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? text }
        return "\(scheme)\(escaped(storeUUID))/\(escaped(entity))/p"
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

import Foundation
import Hummingbird

/// JSON text: a contact, or a page of contacts.
public struct JSONText: ResponseGenerator, Sendable {
    /// The text, in UTF-8.
    public let data: Data

    init(_ document: [String: Any]) throws {
        data = try JSONSerialization.data(withJSONObject: document, options: [.sortedKeys, .withoutEscapingSlashes])
    }

    /// Returns a response with the text as its body.
    public func response(from request: Request, context: some RequestContext) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }
}

/// The numbers of contacts that an import has created, changed, and left as they were.
public struct ImportCount: ResponseCodable, Hashable, Sendable {
    /// The number of new contacts.
    public var inserted: Int
    /// The number of changed contacts.
    public var updated: Int
    /// The number of contacts that were like their records before.
    public var unchanged: Int
}

/// Changes of contacts, and the token to ask for the next ones.
public struct ChangeList: ResponseCodable, Sendable {
    /// The token after the last change, for the parameter `after`.
    public var token: String
    /// The changes, in the order in which they were saved.
    public var changes: [Change]
    /// True if there are further changes after the token.
    public var hasMore = false
}

/// A change of a contact.
public struct Change: Codable, Hashable, Sendable {
    /// The kind of a change.
    public enum Kind: String, Codable, Sendable { case insert, update, delete }

    /// The kind of the change.
    public var kind: Kind
    /// The `user_id` of the contact.
    public var id: Int32
}

import Foundation

/// Turns the values of one transformable attribute into bytes and back. May be used on any thread.
package protocol ValueCoding: AnyObject, Sendable {
    /// The bytes of a value; nil where it has none, or where the transformer cannot be found.
    func bytes(for value: Any) -> Data?
    /// The value bytes stand for; nil where there is none, or where the transformer cannot be found.
    func value(from bytes: Data) -> Any?
    /// The transformer's name, if it cannot be found.
    var missingName: String? { get }
    /// The error for a transformer that cannot be found; nil where it can.
    ///
    /// - Parameter entity: the entity to name; nil for the one that declares the attribute.
    func failure(in entity: String?) -> NSError?
}

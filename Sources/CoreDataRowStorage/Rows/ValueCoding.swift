import Foundation

/// Turns the values of one transformable attribute into bytes and back. May be used on any thread.
package protocol ValueCoding: AnyObject, Sendable {
    /// The bytes of a value; nil where it has none, or where the transformer cannot be found.
    func bytes(for value: Any) -> Data?
    /// The value bytes stand for; nil where there is none, or where the transformer cannot be found.
    func value(from bytes: Data) -> Any?
    /// Returns the error for a value that could not be read back from a store; nil where it could.
    ///
    /// - Parameters:
    ///   - bytes: the result of ``bytes(for:)`` for the value.
    ///   - entity: the entity to name; nil for the one that declares the attribute.
    func refusal(of value: Any, bytes: Data?, in entity: String?) -> NSError?
    /// The transformer's name, if it cannot be found.
    var missingName: String? { get }
    /// The error for a transformer that cannot be found; nil where it can.
    ///
    /// - Parameter entity: the entity to name; nil for the one that declares the attribute.
    func failure(in entity: String?) -> NSError?
}

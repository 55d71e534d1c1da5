import Foundation

/// Converts the values of one transformable attribute to bytes and back. May be used on any thread.
package protocol ValueCoding: AnyObject, Sendable {
    /// Returns the bytes of a value; nil if it has none, or if the transformer cannot be found.
    func bytes(for value: Any) -> Data?
    /// Returns the value of the bytes; nil if there is none, or if the transformer cannot be found.
    func value(from bytes: Data) -> Any?
    /// Returns the error for a value that could not be read back from a store; nil if it could.
    ///
    /// - Parameters:
    ///   - bytes: the result of ``bytes(for:)`` for the value.
    ///   - entity: the entity to name; nil for the one that declares the attribute.
    func refusal(of value: Any, bytes: Data?, in entity: String?) -> NSError?
    /// The transformer's name, if it cannot be found.
    var missingName: String? { get }
    /// Returns the error for a transformer that cannot be found; nil if it can.
    ///
    /// - Parameter entity: the entity to name; nil for the one that declares the attribute.
    func failure(in entity: String?) -> NSError?
}

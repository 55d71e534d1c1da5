import Foundation

/// Unwrapping of optionals inside an `Any`.
///
/// Off Apple's platforms `Optional<String>.none as Any` is a value; Apple's bridge converts it to nil.
@usableFromInline
package enum OptionalContents {
    /// Returns the value inside all nested optionals; nil if one of them is empty.
    ///
    /// For the most common types, this costs a comparison of types.
    @inlinable
    package static func unwrapped(_ value: Any) -> Any? {
        let type = type(of: value)
        if type == String.self || type == Int.self || type == Double.self || type == Date.self || type == Bool.self
            || type == UUID.self || type is AnyClass
        {
            return value
        }
        return unwrappedRarer(value)
    }

    @usableFromInline
    static func unwrappedRarer(_ value: Any) -> Any? {
        var value = value
        while let optional = value as? any OptionalValue {
            guard let wrapped = optional.anyWrapped else { return nil }
            value = wrapped
        }
        return value
    }
}

/// An optional of any type.
package protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var anyWrapped: Any? { get }
}

extension Optional: OptionalValue {
    package static var wrappedType: Any.Type { Wrapped.self }
    package var anyWrapped: Any? { map { $0 } }
}

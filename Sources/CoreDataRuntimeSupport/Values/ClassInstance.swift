import Foundation

/// Looks into values of unknown type that are objects, without the search for ways to bridge them that a cast begins with.
@usableFromInline
package enum ClassInstance {
    /// The object in `value`; nil for a value of another kind.
    @inlinable @inline(__always)
    package static func of(_ value: Any) -> AnyObject? {
        guard type(of: value) is AnyClass else { return nil }
        guard ExistentialContents.isSupported else { return value as AnyObject }
        // An object is its own payload in the container.
        return withUnsafeBytes(of: value) { $0.load(as: Unmanaged<AnyObject>.self).takeUnretainedValue() }
    }

    /// The number object in `value`, be it that a cast makes one.
    @inlinable @inline(__always)
    package static func number(_ value: Any) -> NSNumber? {
        if let object = of(value) { return object as? NSNumber }
        return value as? NSNumber
    }
}

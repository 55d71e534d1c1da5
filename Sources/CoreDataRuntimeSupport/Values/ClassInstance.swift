import Foundation

/// Extracts objects from values of unknown type, without the search for bridging conversions that a cast begins with.
@usableFromInline
package enum ClassInstance {
    /// Returns the object in `value`; nil for a value that is not an object.
    @inlinable @inline(__always)
    package static func of(_ value: Any) -> AnyObject? {
        guard type(of: value) is AnyClass else { return nil }
        guard ExistentialContents.isSupported else { return value as AnyObject }
        // An object is the payload of the container.
        return withUnsafeBytes(of: value) { $0.load(as: Unmanaged<AnyObject>.self).takeUnretainedValue() }
    }

    /// Returns the number object in `value`, converting by a cast if necessary.
    @inlinable @inline(__always)
    package static func number(_ value: Any) -> NSNumber? {
        if let object = of(value) { return object as? NSNumber }
        return value as? NSNumber
    }
}

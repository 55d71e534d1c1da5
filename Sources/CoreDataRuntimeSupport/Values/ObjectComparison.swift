import Foundation

/// Fast comparison of an object with the argument of `isEqual(_:)`, which sets call for every inserted member.
///
/// Sets pass their members as the class that defines equality, `NSObject`.
@usableFromInline
package enum ObjectComparison {
    /// Returns true if `value` is the object itself, by its type; nil if the value must be examined.
    @inlinable @inline(__always)
    package static func isSame(_ value: Any?, _ object: AnyObject) -> Bool? {
        let passed = withUnsafePointer(to: value) { pointer -> UnsafeRawPointer? in
            let contents = ExistentialContents(pointer)
            return contents.type == NSObject.self ? contents.load(as: UnsafeRawPointer.self) : nil
        }
        if let passed { return passed == UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) }
        guard let value else { return false }
        return type(of: value) == type(of: object) ? ClassInstance.of(value) === object : nil
    }

    /// Returns the object in `value` if it is of exactly that class and passed as sets do; nil if the value must be examined.
    @inlinable @inline(__always)
    package static func member<Object: NSObject>(_ value: Any?, as type: Object.Type) -> Object? {
        withUnsafePointer(to: value) { pointer in
            let contents = ExistentialContents(pointer)
            guard contents.type == NSObject.self else { return nil }
            let object = contents.load(as: Unmanaged<NSObject>.self).takeUnretainedValue()
            return Swift.type(of: object) == type ? unsafeDowncast(object, to: type) : nil
        }
    }
}

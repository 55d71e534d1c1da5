import Foundation

/// Comparing an object with what `isEqual(_:)` is given, which sets do for every member that is added.
///
/// Sets pass their members as the class that made equality its own, which is `NSObject`.
@usableFromInline
package enum ObjectComparison {
    /// Whether `value` is the object itself, where its type tells at once; nil where it must be looked into.
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

    /// The object in `value`, if it is of exactly that class and is passed as sets do; nil where it must be looked into.
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

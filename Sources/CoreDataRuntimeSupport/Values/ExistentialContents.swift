import CCoreDataRuntime

/// Reads an `Any?` in place, without copying it.
///
/// Comparisons spend most of their time on copying values out of `Any` and on dynamic casts, so the parts of an existential
/// are read in place: three words of payload, then the type (nil for nil). Small values and references are stored in the
/// payload. That layout is part of Swift's stable ABI and the same on other platforms.
@usableFromInline
package struct ExistentialContents {
    @usableFromInline
    package typealias AnyType = any Any.Type

    @usableFromInline let address: UnsafeRawPointer

    /// Creates a view of the value at `pointer`, which must stay valid as long as the view is used.
    @inlinable @inline(__always)
    package init(_ pointer: UnsafePointer<Any?>) {
        address = UnsafeRawPointer(pointer)
    }

    /// Whether the layout is the known one. Otherwise no type is recognized, and the slower, general ways are used.
    @inlinable @inline(__always)
    package static var isSupported: Bool { MemoryAssumption.holds(CCoreDataRuntimeContentsOfAny, isAsDescribed) }

    @inlinable @inline(__always)
    static var typeOffset: Int { 3 * MemoryLayout<UInt>.size }

    /// The type as which the value was stored: for an object, possibly a superclass. Nil if there is no value, or if the
    /// layout is unknown.
    @inlinable @inline(__always)
    package var type: AnyType? {
        Self.isSupported ? address.load(fromByteOffset: Self.typeOffset, as: AnyType?.self) : nil
    }

    /// Loads the value as the type that ``type`` returned. Valid only for types of at most three words, and for classes.
    @inlinable @inline(__always)
    package func load<T>(as type: T.Type) -> T {
        address.assumingMemoryBound(to: T.self).pointee
    }

    // MARK: The check

    @usableFromInline
    static func isAsDescribed() -> Bool {
        MemoryAssumption.allowsShortcuts && MemoryLayout<Any>.size == typeOffset + MemoryLayout<UInt>.size
            && MemoryLayout<Any?>.size == MemoryLayout<Any>.size && holds(5) && holds("text") && holds(2.5)
            && holds(true)
            && holds((0x5A as UInt8)) && holdsReference() && holdsNothing()
    }

    private static func holds<T: Equatable>(_ value: T) -> Bool {
        let any: Any? = value
        return withUnsafePointer(to: any) { pointer in
            let address = UnsafeRawPointer(pointer)
            return address.load(fromByteOffset: typeOffset, as: AnyType?.self) == T.self
                && address.assumingMemoryBound(to: T.self).pointee == value
        }
    }

    private static func holdsReference() -> Bool {
        class Probe {}
        final class Below: Probe {}
        // A container stores an object with the static class it was converted from.
        let below = Below()
        let any: Any? = below as Probe
        return withUnsafePointer(to: any) { pointer in
            UnsafeRawPointer(pointer).load(fromByteOffset: typeOffset, as: AnyType?.self) is Probe.Type
                && UnsafeRawPointer(pointer).load(as: AnyObject.self) === below
        }
    }

    private static func holdsNothing() -> Bool {
        withUnsafePointer(to: Any?.none) { pointer in
            UnsafeRawPointer(pointer).load(fromByteOffset: typeOffset, as: UInt.self) == 0
        }
    }
}

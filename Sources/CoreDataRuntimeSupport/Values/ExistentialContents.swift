/// Looks into an `Any?` where it lies, without copying it.
///
/// Comparisons spend most of their time on copying values out of `Any` and on dynamic casts, so here the parts of an
/// existential are read in place: three words of payload, then the type (nil for nil). Small values and references are
/// their own payload. That layout is fixed where Swift's ABI is stable and the same everywhere else; it is checked once
/// at run time, and if it should differ, nothing is recognised and the ordinary, slower ways are taken.
@usableFromInline
package struct ExistentialContents {
    @usableFromInline
    package typealias AnyType = any Any.Type

    @usableFromInline let address: UnsafeRawPointer

    /// The contents of the value at `pointer`, which must stay there as long as they are used.
    @inlinable @inline(__always)
    package init(_ pointer: UnsafePointer<Any?>) {
        address = UnsafeRawPointer(pointer)
    }

    /// Whether the layout is as described.
    @usableFromInline static let isReadable: Bool =
        holds(5) && holds("text") && holds(2.5) && holds(true) && holdsReference()

    @usableFromInline static let typeOffset = 3 * MemoryLayout<UInt>.size

    /// The type the value was stored as: for objects perhaps a superclass of theirs. nil when there is no value, or no
    /// way to know.
    @inlinable @inline(__always)
    package var type: AnyType? {
        Self.isReadable ? address.load(fromByteOffset: Self.typeOffset, as: AnyType?.self) : nil
    }

    /// The value, as the type that ``type`` gave. Only for types of at most three words, and for classes.
    @inlinable @inline(__always)
    package func load<T>(as type: T.Type) -> T {
        address.assumingMemoryBound(to: T.self).pointee
    }

    private static func holds<T: Equatable>(_ value: T) -> Bool {
        let any: Any? = value
        return withUnsafePointer(to: any) { pointer in
            let address = UnsafeRawPointer(pointer)
            return MemoryLayout<Any?>.size == typeOffset + MemoryLayout<UInt>.size
                && address.load(fromByteOffset: typeOffset, as: AnyType?.self) == T.self
                && address.assumingMemoryBound(to: T.self).pointee == value
        }
    }

    private static func holdsReference() -> Bool {
        final class Probe {}
        let (probe, none) = (Probe(), Any?.none)
        let any: Any? = probe
        return withUnsafePointer(to: any) { pointer in
            UnsafeRawPointer(pointer).load(fromByteOffset: typeOffset, as: AnyType?.self) == Probe.self
                && UnsafeRawPointer(pointer).load(as: AnyObject.self) === probe
        }
            && withUnsafePointer(to: none) { pointer in
                UnsafeRawPointer(pointer).load(fromByteOffset: typeOffset, as: AnyType?.self) == nil
            }
    }
}

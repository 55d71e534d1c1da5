import Synchronization

/// A property as its accessor knows it: the name, and where it was found last time.
///
/// Generated accessors keep one of these per property, statically initialised. Looking the property up by name happens
/// once per entity hierarchy; afterwards an access compares one tag and reads the cell. Safe to share between threads.
public struct ManagedProperty: ~Copyable, Sendable {
    @usableFromInline let name: StaticString
    /// ``PropertyLocation/bits``; 0 while unknown.
    @usableFromInline let location: Atomic<UInt64>

    /// - Parameter name: The property's name in the model.
    @inlinable
    public init(_ name: StaticString) {
        self.name = name
        location = Atomic(0)
    }
}

/// Where a property lies, and for which layouts that holds, in one word.
@usableFromInline
struct PropertyLocation {
    @usableFromInline let bits: UInt64

    @inlinable @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    init(tag: UInt32, index: Int, cellsOffset: Int) {
        bits = UInt64(tag) | UInt64(index) << 32 | UInt64(cellsOffset) << 48
    }

    /// ``EntityLayout/tag`` of the layouts this is true for.
    @inlinable var tag: UInt32 { UInt32(truncatingIfNeeded: bits) }
    /// Index of the cell, or of the relationship.
    @inlinable var index: Int { Int(truncatingIfNeeded: bits >> 32 & 0xFFFF) }
    /// Offset of the first cell in the row.
    @inlinable var cellsOffset: Int { Int(truncatingIfNeeded: bits >> 48) }
}

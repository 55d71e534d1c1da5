import Synchronization

/// A property for its accessor: the name, and its cached location.
///
/// Generated accessors have one static instance per property. The property is looked up by name once per entity hierarchy;
/// afterwards an access compares one tag and reads the cell. Safe to share between threads.
public struct ManagedProperty: ~Copyable, Sendable {
    @usableFromInline let name: StaticString
    /// The ``PropertyLocation/bits``; 0 while unknown.
    @usableFromInline let location: Atomic<UInt64>

    /// Creates a property with an unknown location.
    ///
    /// - Parameter name: The property's name in the model.
    @inlinable
    public init(_ name: StaticString) {
        self.name = name
        location = Atomic(0)
    }
}

/// The location of a property, and the layouts it is valid for, in one word.
@usableFromInline
struct PropertyLocation {
    @usableFromInline let bits: UInt64

    @inlinable @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    init(tag: UInt32, index: Int, cellsOffset: Int) {
        bits = UInt64(tag) | UInt64(index) << 32 | UInt64(cellsOffset) << 48
    }

    /// The ``EntityLayout/tag`` of the layouts that the location is valid for.
    @inlinable var tag: UInt32 { UInt32(truncatingIfNeeded: bits) }
    /// The index of the cell, or of the relationship.
    @inlinable var index: Int { Int(truncatingIfNeeded: bits >> 32 & 0xFFFF) }
    /// The offset of the first cell in the row.
    @inlinable var cellsOffset: Int { Int(truncatingIfNeeded: bits >> 48) }
}

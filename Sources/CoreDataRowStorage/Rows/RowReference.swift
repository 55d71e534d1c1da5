/// The row that a to-one relationship points to, packed into one slot.
///
/// Saved rows: the row's entity number in the top 16 bits, its primary key below. Unsaved rows: their negative temporary key.
///
/// Primary keys begin at 1, as in Apple's files. 0 stands for no row: a foreign key of 0 is nil, and a file that contains a
/// row with that key is damaged.
@usableFromInline
package struct RowReference: Hashable, Sendable {
    @usableFromInline package let bits: Int64

    @inlinable @inline(__always)
    package init(bits: UInt64) { self.bits = Int64(bitPattern: bits) }

    @inlinable @inline(__always)
    package init(entityNumber: Int, key: Int64) {
        bits = key < 0 ? key : Int64(entityNumber) << 48 | key
    }

    /// The largest possible primary key: keys share a word with the entity number.
    @inlinable package static var largestKey: Int64 { 1 << 48 - 1 }

    /// Returns true if a number from a file is a valid primary key.
    @inlinable @inline(__always)
    package static func isKey(_ number: Int64) -> Bool { number > 0 && number <= largestKey }

    @inlinable package var isTemporary: Bool { bits < 0 }
    /// The primary key, or the temporary key (negative).
    @inlinable package var key: Int64 { bits < 0 ? bits : bits & 0xFFFF_FFFF_FFFF }
    /// The entity number; 0 for unsaved rows, where only the object knows it.
    @inlinable package var entityNumber: Int { bits < 0 ? 0 : Int(bits >> 48) }
}

/// Which row a to-one relationship points to, packed into one cell.
///
/// Saved rows: the number of the row's own entity in the top 16 bits, its primary key below. Rows not saved yet:
/// their negative temporary key as it is.
///
/// Primary keys begin at 1, as in Apple's files. 0 stands for no row: a foreign key of 0 leads nowhere, and a file in which a row
/// has that key is damaged.
@usableFromInline
package struct RowReference: Hashable, Sendable {
    @usableFromInline package let bits: Int64

    @inlinable @inline(__always)
    package init(bits: UInt64) { self.bits = Int64(bitPattern: bits) }

    @inlinable @inline(__always)
    package init(entityNumber: Int, key: Int64) {
        bits = key < 0 ? key : Int64(entityNumber) << 48 | key
    }

    /// The greatest primary key there can be: keys share a word with the number of their entity.
    @inlinable package static var largestKey: Int64 { 1 << 48 - 1 }

    /// Whether a number from a file can be a primary key.
    @inlinable @inline(__always)
    package static func isKey(_ number: Int64) -> Bool { number > 0 && number <= largestKey }

    @inlinable package var isTemporary: Bool { bits < 0 }
    /// The primary key, or the temporary key (negative).
    @inlinable package var key: Int64 { bits < 0 ? bits : bits & 0xFFFF_FFFF_FFFF }
    /// 0 for rows not saved yet: their object knows.
    @inlinable package var entityNumber: Int { bits < 0 ? 0 : Int(bits >> 48) }
}

/// The objects that a fetch returned, for listeners that report whether the program used them.
///
/// The type of objects is the graph's, above this layer: here, only their lifetime matters.
package final class FetchedObjects: @unchecked Sendable {
    /// The address of their uniquing table, which belongs to one context and entity.
    package let table: UInt
    package let count: Int
    private weak var first: AnyObject?
    private weak var last: AnyObject?

    package init(table: UnsafeMutableRawPointer, count: Int, first: AnyObject, last: AnyObject) {
        self.table = UInt(bitPattern: table)
        self.count = count
        self.first = first
        self.last = last
    }

    /// Whether the program has released them. May be called on any thread.
    package var areGone: Bool { first == nil && last == nil }
}

/// The objects that a fetch returned, for who wants to know whether the program used them.
///
/// Objects are the graph's, above this layer: they are only looked at for being there.
package final class FetchedObjects: @unchecked Sendable {
    /// The address of their table, which is of one context and entity.
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

    /// Whether the program has dropped them. May be asked on any thread.
    package var areGone: Bool { first == nil && last == nil }
}

/// A sink that collects the rows of a read.
package final class CollectedRows: RowSink {
    package private(set) var rows: [(entityNumber: Int, key: Int64, row: UnsafeMutableRawPointer, slab: RowSlab)] = []
    private var announced: (Int, Int64) = (0, 0)

    package init() {}

    package func next(entityNumber: Int, key: Int64) -> RowDecision {
        announced = (entityNumber, key)
        return .take
    }

    package func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        rows.append((announced.0, announced.1, row, slab))
    }
}

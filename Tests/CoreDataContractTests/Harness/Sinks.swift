import CoreDataRowStorage
import Foundation

/// A row as an engine delivered it.
struct StoredRow {
    let reference: RowReference
    let layout: EntityLayout
    let version: UInt32
    /// By name: attributes as key-value coding has them, to-one relationships as references.
    let values: [String: Any]

    var key: Int64 { reference.key }

    init(_ reference: RowReference, _ layout: EntityLayout, _ row: UnsafeMutableRawPointer, _ slab: RowSlab) {
        self.reference = reference
        self.layout = layout
        version = EntityLayout.version(row)
        var values: [String: Any] = [:]
        for cell in layout.cells where EntityLayout.isPresent(row, cell.index) {
            let bits = layout.bits(row, cell.index)
            values[cell.name] =
                cell.kind == .reference ? RowReference(bits: bits) : CellCoding.decode(bits, as: cell, in: slab)
        }
        self.values = values
    }

    func text(_ name: String) -> String? { values[name] as? String }
    func number(_ name: String) -> Double? { (values[name] as? NSNumber)?.doubleValue }
    func reference(_ name: String) -> RowReference? { values[name] as? RowReference }
}

/// Keeps the rows that an engine delivers, and notes where it breaks the rules of delivery.
final class RowCollector: RowSink {
    private(set) var rows: [StoredRow] = []
    /// The rows as announced, also those whose values were not wanted.
    private(set) var announced: [RowReference] = []
    private(set) var violations: [String] = []
    private let unwanted: Set<RowReference>
    private let look: (StoredRow) -> Void
    private var expected: RowReference?

    /// - Parameters:
    ///   - unwanted: Rows whose values are not to be delivered.
    ///   - look: Sees each row as it is delivered.
    init(unwanted: Set<RowReference> = [], look: @escaping (StoredRow) -> Void = { _ in }) {
        self.unwanted = unwanted
        self.look = look
    }

    func next(entityNumber: Int, key: Int64) -> RowDecision {
        if let expected { violations.append("The values of \(expected) were announced and not delivered.") }
        let reference = RowReference(entityNumber: entityNumber, key: key)
        announced.append(reference)
        expected = unwanted.contains(reference) ? nil : reference
        return expected == nil ? .skip : .take
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        guard let reference = expected else {
            violations.append("Values were delivered that were not announced or not wanted.")
            return
        }
        expected = nil
        guard let layout = Bookshop.layouts.byNumber[reference.entityNumber] else {
            violations.append("A row is of entity \(reference.entityNumber), which there is none.")
            return
        }
        let stored = StoredRow(reference, layout, row, slab)
        rows.append(stored)
        look(stored)
    }
}

/// Keeps what an engine delivers, for a faulty one to deliver otherwise.
final class RowBuffer: RowSink {
    struct Row {
        var entityNumber: Int
        var key: Int64
        var row: UnsafeMutableRawPointer
        var slab: RowSlab

        /// Has the row's values in a row of another version.
        mutating func advanceVersion() {
            guard let layout = Bookshop.layouts.byNumber[entityNumber] else { return }
            let other = RowSlab(rowBytes: layout.rowBytes)
            guard let copy = other.makeRow(bytes: layout.rowBytes) else { return }
            copy.copyMemory(from: row, byteCount: layout.rowBytes)
            EntityLayout.setVersion(copy, EntityLayout.version(row) + 1)
            other.borrow(from: slab)
            (row, slab) = (copy, other)
        }
    }

    var rows: [Row] = []
    private var announced: (Int, Int64) = (0, 0)

    func next(entityNumber: Int, key: Int64) -> RowDecision {
        announced = (entityNumber, key)
        return .take
    }

    func receive(row: UnsafeMutableRawPointer, in slab: RowSlab) {
        rows.append(Row(entityNumber: announced.0, key: announced.1, row: row, slab: slab))
    }

    /// - Parameter always: Whether values are delivered that are not wanted.
    func deliver(into sink: any RowSink, always: Bool = false) {
        for row in rows {
            let decision = sink.next(entityNumber: row.entityNumber, key: row.key)
            if decision == .stop { return }
            if decision == .take || always { sink.receive(row: row.row, in: row.slab) }
        }
    }
}

import CoreDataSQLQueries
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CCoreDataSQLite
import Synchronization

/// The columns that a query selects to read whole rows of an entity, and their decoding into rows in memory.
///
/// Every query with a plan selects `Z_PK` first, and `Z_OPT` and, if several entities share the result, `Z_ENT` last. In
/// between, columns come in reverse table order: to find a column, SQLite parses the record's header up to it, and caches the
/// offsets on the way. Asked for the last column first, it parses the header once.
final class RowPlan: Sendable {
    /// The columns, each with the prefix `t0.`.
    let selectList: String
    /// The names of the columns, by position.
    let names: [String]
    /// The position of `Z_ENT`, or -1 if only one entity is possible.
    let entityColumn: Int32
    /// The number of columns that the plan selects; a query may append more.
    let columnCount: Int32
    /// The decoders, by the file's entity numbers; rows of other entities are skipped.
    private let entries: ContiguousArray<Entry?>
    private let makeDecoder: @Sendable (Entry) -> RowDecoder
    let only: RowDecoder?
    /// The size of the largest row, in bytes.
    let rowBytes: Int
    /// The estimated size of a row's text and data including lengths: the average of the rows read last, and ``heapMargin``.
    var heapBytes: Int { observedHeapBytes.load(ordering: .relaxed) }
    private let observedHeapBytes: Atomic<Int>
    /// The margin of the estimate over the average, so that a few rows with more text fit.
    static let heapMargin = 8

    static let keyColumn: Int32 = 0

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - family: the entities of the rows; a single one if the query restricts `Z_ENT` itself.
    ///   - ownerColumn: the column that has the same key in all rows; the caller supplies its value.
    init(
        family: [EntityLayout], selectsEntity: Bool, schema: SQLSchema, numbering: EntityNumbering,
        files: ExternalFiles, ownerColumn: String? = nil
    ) {
        let (names, positions) = Self.columns(of: family, selectsEntity, schema, ownerColumn)
        entityColumn = selectsEntity ? Int32(names.count - 1) : -1
        let makeDecoder: @Sendable (Entry) -> RowDecoder = { entry in
            RowDecoder(
                layout: entry.layout, columns: entry.columns, numbering: numbering, files: files,
                ownerColumn: ownerColumn, position: { positions[$0].map(Int32.init) })
        }
        var entries: ContiguousArray<Entry?> = []
        for layout in family {
            guard let columns = schema.entities[layout.number] else { continue }
            let number = numbering.inFile[layout.number]
            while entries.count <= number { entries.append(nil) }
            entries[number] = Entry(layout, columns)
        }
        only = selectsEntity ? nil : entries.last.flatMap { $0.map(makeDecoder) }
        self.entries = entries
        self.makeDecoder = makeDecoder
        let textCells = Self.mostTextCells(of: family)
        rowBytes = family.map(\.rowBytes).max() ?? 16
        observedHeapBytes = Atomic(textCells * HeapRange.usualBytes)
        columnCount = Int32(names.count)
        selectList = names.map { "t0.\($0)" }.joined(separator: ", ")
        self.names = names
    }

    /// Returns the columns in order, and the position of each.
    private static func columns(
        of family: [EntityLayout], _ selectsEntity: Bool, _ schema: SQLSchema, _ ownerColumn: String?
    ) -> ([String], [String: Int]) {
        // With capacity reserved and plain loops: the first use of sets, collection views or growing tables makes the runtime
        // search the whole program for conformances.
        var positions = [String: Int](
            minimumCapacity: family.reduce(3 + (family.first?.cellCount ?? 0) * 2) { $0 + $1.ownCells.count * 2 })
        for (index, layout) in family.enumerated() {
            guard let columns = schema.entities[layout.number] else { continue }
            // Subentities have the first entity's columns and add their own.
            for place in index == 0 ? columns.cells : columns.own {
                guard let column = place.column, column != ownerColumn || place.entityColumn != nil else { continue }
                positions[column] = -1
                if let entity = place.entityColumn { positions[entity] = -1 }
            }
        }
        let wanted = positions.count
        var names: [String] = []
        func append(_ name: String) {
            positions[name] = names.count
            names.append(name)
        }
        append("Z_PK")
        if let table = family.first.flatMap({ schema.entities[$0.number]?.table }),
            let columns = schema.tables.first(where: { $0.name == table })?.columns
        {
            var index = columns.count
            while index > 0 {
                index -= 1
                if positions[columns[index].name] == -1 { append(columns[index].name) }
            }
        }
        if names.count <= wanted {
            for name in positions.keys.sorted() where positions[name] == -1 { append(name) }
        }
        append("Z_OPT")
        if selectsEntity { append("Z_ENT") }
        return (names, positions)
    }

    /// Returns the position of a column in the list.
    func position(of column: String) -> Int32? { names.firstIndex(of: column).map(Int32.init) }

    /// Updates the estimate with the size of text and data of rows that were read, including lengths.
    func noteHeap(_ bytes: Int, rows: Int) {
        guard rows > 0 else { return }
        let average = min((bytes + rows - 1) / rows + Self.heapMargin, 1 << 16)
        // Writes only on a significant change: frequent writes would make threads contend for the cache line.
        if abs(average - heapBytes) > 16 { observedHeapBytes.store(average, ordering: .relaxed) }
    }

    /// Returns the decoder for a row; nil if its entity is not part of the plan. The plan retains the decoder.
    @inline(__always)
    func decoder(for values: borrowing RowValues) -> Unmanaged<RowDecoder>? {
        let number = Int(values.integer(entityColumn))
        guard number >= 0, number < entries.count, let entry = entries[number] else { return nil }
        return entry.decoder.reference { makeDecoder(entry) }
    }

    /// An entity of the plan. Its decoder is created with its first row.
    private final class Entry: Sendable {
        let layout: EntityLayout
        let columns: EntityColumns
        let decoder = MadeOnce<RowDecoder>()

        init(_ layout: EntityLayout, _ columns: EntityColumns) {
            self.layout = layout
            self.columns = columns
        }
    }

    /// Returns the maximum number of text and data slots of an entity.
    private static func mostTextCells(of family: [EntityLayout]) -> Int {
        guard let first = family.first else { return 0 }
        var counts = ContiguousArray(repeating: 0, count: family.count)
        for (index, layout) in family.enumerated() {
            if index == 0 {
                counts[0] = first.heapCells.count
            } else if let superlayout = layout.superlayout {
                counts[index] =
                    counts[superlayout.number - first.number] + layout.ownCells.count { $0.kind.usesHeap }
            }
        }
        return counts.max() ?? 0
    }
}

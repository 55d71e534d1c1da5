import CoreDataSQLQueries
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CCoreDataSQLite
import Synchronization

/// Which columns a query selects to read whole rows of an entity, and how they become a row in memory.
///
/// Every query by a plan selects `Z_PK` first, and `Z_OPT` and, where several entities share the result, `Z_ENT` last.
/// Between them the columns come as they lie in the table, from the last to the first: SQLite finds a column by going
/// through the head of the row up to it, and remembers what it met. Asked for the last one first, it goes there once.
final class RowPlan: Sendable {
    /// The columns, each with the prefix `t0.`.
    let selectList: String
    /// The columns, by their positions.
    let names: [String]
    /// Column of `Z_ENT`, or -1 where only one entity is possible.
    let entityColumn: Int32
    /// How many columns the plan selects; a query may append its own behind them.
    let columnCount: Int32
    /// By the file's entity numbers; rows of other entities are passed over.
    private let entries: ContiguousArray<Entry?>
    private let makeDecoder: @Sendable (Entry) -> RowDecoder
    let only: RowDecoder?
    /// Size of the largest row.
    let rowBytes: Int
    /// A guess at the text and data of one row, with its lengths: what the last rows read had, and ``heapMargin``.
    var heapBytes: Int { observedHeapBytes.load(ordering: .relaxed) }
    private let observedHeapBytes: Atomic<Int>
    /// What the guess has over the average, for few rows to find room though they have more.
    static let heapMargin = 8

    static let keyColumn: Int32 = 0

    /// - Parameters:
    ///   - family: the entities whose rows may come, a single one for a query that restricts `Z_ENT` itself.
    ///   - ownerColumn: the column that has the same key in all rows, which is told by whoever reads them.
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

    /// The columns in their order, and where each is.
    private static func columns(
        of family: [EntityLayout], _ selectsEntity: Bool, _ schema: SQLSchema, _ ownerColumn: String?
    ) -> ([String], [String: Int]) {
        // With room from the start, and plain loops: sets, views of collections and tables that grow have the runtime search
        // the whole program when they are used first.
        var positions = [String: Int](
            minimumCapacity: family.reduce(3 + (family.first?.cellCount ?? 0) * 2) { $0 + $1.ownCells.count * 2 })
        for (index, layout) in family.enumerated() {
            guard let columns = schema.entities[layout.number] else { continue }
            // Those below the first one have its columns, and some of their own.
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

    /// Where a column is in the list.
    func position(of column: String) -> Int32? { names.firstIndex(of: column).map(Int32.init) }

    /// Notes how much text and data rows had, with its lengths.
    func noteHeap(_ bytes: Int, rows: Int) {
        guard rows > 0 else { return }
        let average = min((bytes + rows - 1) / rows + Self.heapMargin, 1 << 16)
        // One read after the other must not wear the cache line out.
        if abs(average - heapBytes) > 16 { observedHeapBytes.store(average, ordering: .relaxed) }
    }

    /// The decoder for a row; nil for rows of entities that are not wanted. The plan keeps it.
    @inline(__always)
    func decoder(for values: borrowing RowValues) -> Unmanaged<RowDecoder>? {
        let number = Int(values.integer(entityColumn))
        guard number >= 0, number < entries.count, let entry = entries[number] else { return nil }
        return entry.decoder.reference { makeDecoder(entry) }
    }

    /// An entity whose rows may come. Its decoder is made for the first one.
    private final class Entry: Sendable {
        let layout: EntityLayout
        let columns: EntityColumns
        let decoder = MadeOnce<RowDecoder>()

        init(_ layout: EntityLayout, _ columns: EntityColumns) {
            self.layout = layout
            self.columns = columns
        }
    }

    /// How many cells with text or data an entity has at most.
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

#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// Encodes one property of many rows as an array parameter.
struct ColumnEncoder: Sendable {
    /// The column's name, quoted.
    let column: String
    /// The column's type in a statement.
    let typeName: String
    let cell: Int
    private let kind: CellKind
    private let type: ServerType

    /// Creates the encoder of a property; returns nil for one without a column, or which the store computes.
    init?(_ cell: EntityLayout.Cell, _ place: CellColumns) throws {
        guard let column = place.column, !cell.isDerived, let typeName = PostgreSQLName.type(of: cell.kind, in: place)
        else { return nil }
        self.column = PostgreSQLName.quoted(column)
        self.typeName = typeName
        self.cell = cell.index
        kind = cell.kind
        type = try ParameterType(typeName).type
    }

    /// Adds the values of the rows.
    ///
    /// - Throws: An error with entity and key for a value that the column cannot hold.
    func add(
        _ rows: some Collection<StoreChanges.Row>, of layout: EntityLayout, to list: inout ParameterList,
        _ keys: KeyAssignment
    ) throws {
        try list.add { writer in
            writer.beginArray(of: type, count: rows.count, hasNulls: true)
            for row in rows { try write(row, of: layout, to: &writer, keys) }
        }
    }

    /// Adds the value of one row, as a parameter of the column's type.
    ///
    /// - Throws: An error with entity and key for a value that the column cannot hold.
    func add(
        valueOf row: StoreChanges.Row, of layout: EntityLayout, to list: inout ParameterList, _ keys: KeyAssignment
    ) throws {
        try list.addElement { try write(row, of: layout, to: &$0, keys) }
    }

    /// Writes the value of a row, with its length before it.
    ///
    /// - Throws: An error with entity and key for a value that the column cannot hold.
    @inline(__always)
    func write(
        _ row: StoreChanges.Row, of layout: EntityLayout, to writer: inout BinaryWriter, _ keys: KeyAssignment
    ) throws {
        guard EntityLayout.isPresent(row.row, cell) else { return writer.null() }
        try write(layout.bits(row.row, cell), row.key, layout, &writer, keys)
    }

    @inline(__always)
    private func write(
        _ bits: UInt64, _ key: Int64, _ layout: EntityLayout, _ writer: inout BinaryWriter, _ keys: KeyAssignment
    ) throws {
        switch kind {
        case .int16:
            guard let value = Int16(exactly: Int64(bitPattern: bits)) else { throw tooLarge(bits, layout) }
            writer.int32(2)
            writer.int16(value)
        case .int32:
            guard let value = Int32(exactly: Int64(bitPattern: bits)) else { throw tooLarge(bits, layout) }
            writer.element(value)
        case .int64, .double: writer.element(Int64(bitPattern: bits))
        case .boolean:
            writer.int32(1)
            writer.bytes.append(bits != 0 ? 1 : 0)
        case .float: writer.element(Int32(bitPattern: Float(Double(bitPattern: bits)).bitPattern))
        case .date where type == .float8:
            guard !Double(bitPattern: bits).isNaN else {
                throw refusal(layout, "A date that is not a number has no place in time.")
            }
            writer.element(Int64(bitPattern: bits))
        case .date:
            let seconds = Double(bitPattern: bits)
            guard let count = MicrosecondDate.count(seconds) else {
                throw refusal(layout, "PostgreSQL has no date \(seconds) seconds after the reference date.")
            }
            writer.element(count)
        case .string, .uri: try text(HeapRange(bits: bits).bytes, layout, &writer)
        case .uuid, .transformable: raw(HeapRange(bits: bits).bytes, &writer)
        case .data: try data(HeapRange(bits: bits), key, layout, &writer)
        case .decimal:
            let decimal = HeapRange(bits: bits).bytes.loadUnaligned(as: Decimal.self)
            writer.element { NumericValue.write(decimal, to: &$0) }
        case .reference:
            guard let key = keys.key(of: RowReference(bits: bits)) else { throw dangling(layout) }
            writer.element(key)
        case .boxed: writer.null()
        }
    }

    private func raw(_ bytes: UnsafeRawBufferPointer, _ writer: inout BinaryWriter) {
        writer.int32(Int32(bytes.count))
        writer.bytes.append(contentsOf: bytes)
    }

    private func text(_ bytes: UnsafeRawBufferPointer, _ layout: EntityLayout, _ writer: inout BinaryWriter) throws {
        if let start = bytes.baseAddress, memchr(start, 0, bytes.count) != nil {
            throw refusal(layout, "PostgreSQL has no text with U+0000.")
        }
        try requireLength(bytes.count, layout)
        raw(bytes, &writer)
    }

    private func data(_ value: HeapRange, _ key: Int64, _ layout: EntityLayout, _ writer: inout BinaryWriter) throws {
        guard let file = value.file else {
            try requireLength(value.bytes.count, layout)
            return raw(value.bytes, &writer)
        }
        do {
            let contents = try file.contents()
            try requireLength(contents.count, layout)
            contents.withUnsafeBytes { raw($0, &writer) }
        } catch let missing as ValueFolder.Missing {
            throw MissingExternalValue.error(
                for: missing, layout.name, layout.cells[cell].name,
                of: key > 0 ? "the row with primary key \(key)" : nil)
        }
    }

    // MARK: Errors

    /// The greatest size of a value: PostgreSQL's limit is 1 GB for a value with its overhead, and for a message.
    private static let mostBytes = 1_000_000_000

    private func requireLength(_ count: Int, _ layout: EntityLayout) throws {
        if count > Self.mostBytes { throw refusal(layout, "PostgreSQL has no values of more than 1 GB.") }
    }

    private func tooLarge(_ bits: UInt64, _ layout: EntityLayout) -> NSError {
        refusal(layout, "\(Int64(bitPattern: bits)) does not fit into the type \(typeName).")
    }

    private func refusal(_ layout: EntityLayout, _ reason: String) -> NSError {
        let cell = layout.cells[cell]
        return CoreDataError.make(
            NSPersistentStoreSaveError, description: "A value of \(layout.name).\(cell.path) cannot be saved.",
            reason: reason, advice: "Set another value, then save again.", entity: layout.name, key: cell.path)
    }

    private func dangling(_ layout: EntityLayout) -> NSError {
        let cell = layout.cells[cell]
        return SaveFailure.danglingReference(layout, cell.name)
    }
}
#endif

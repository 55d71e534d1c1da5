#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries

/// The columns that a query selects to read whole rows of some entities, and how they are decoded.
///
/// Keys come first, then versions, then the entity's name if several entities share the result, then the properties.
final class RowSelection: Sendable {
    /// The columns, with the alias `t0`.
    private let columns: String
    var list: SQLFragment { SQLFragment(raw: columns) }
    /// The column of the entity's name; nil if only one entity is possible.
    let entityColumn: Int?
    /// The number of columns; a query may append more.
    let columnCount: Int
    /// The size of the largest row in bytes.
    let rowBytes: Int
    /// The kinds of the values of each column.
    private let kinds: [CellKind]
    private let decoders: [String: RowDecoder]
    private let only: RowDecoder?

    static let keyColumn = 0
    static let versionColumn = 1

    init(of layout: EntityLayout, includesSubentities: Bool, _ tables: PostgreSQLTables) throws {
        let family = (includesSubentities ? layout.familyNumbers : layout.number..<layout.number + 1).compactMap {
            tables.layouts.byNumber[$0]
        }
        let dialect = tables.dialect
        var columns: [SQLFragment] = ["t0.\(dialect.keyColumn)", "t0.version"]
        var kinds: [CellKind] = [.int64, .int64]
        if family.count > 1 {
            entityColumn = columns.count
            columns.append("t0.\(dialect.entityColumn)")
            kinds.append(.string)
        } else {
            entityColumn = nil
        }
        // Entities of a hierarchy share the columns that they inherit.
        var positions: [String: Int] = [:]
        func position(
            _ column: String, _ kind: CellKind, _ sql: @autoclosure () throws -> SQLFragment
        ) rethrows -> Int {
            if let known = positions[column] { return known }
            positions[column] = columns.count
            kinds.append(kind)
            columns.append(try sql())
            return columns.count - 1
        }
        var decoders: [String: RowDecoder] = [:]
        for entity in family where !entity.isAbstract {
            var steps: [RowDecoder.Step] = []
            for (cell, place) in zip(entity.cells, try tables.columns(of: entity).cells) {
                guard let column = place.column else { continue }
                // Seconds are the bits of the slot.
                let kind = place.isInSeconds ? .double : cell.kind
                var step = RowDecoder.Step(
                    cell: cell.index, kind: kind,
                    column: position(column, kind, "t0.\(dialect.identifier(column))"))
                if cell.kind == .reference {
                    let number = entity.relationships[cell.relationshipIndex].destinationNumber
                    step.destination = number
                    if let destination = tables.layouts.byNumber[number], destination.familyNumbers.count > 1 {
                        let table = dialect.identifier(try tables.columns(of: destination).table)
                        step.entityColumn = position(
                            "\(column) entity", .string,
                            "(SELECT r.\(dialect.entityColumn) FROM \(table) r "
                                + "WHERE r.\(dialect.keyColumn) = t0.\(dialect.identifier(column)))")
                    }
                }
                steps.append(step)
            }
            decoders[entity.name] = RowDecoder(entity, steps, tables.layouts)
        }
        self.columns = columns.joined(separator: ", ").statement(in: dialect).text
        columnCount = columns.count
        self.kinds = kinds
        rowBytes = family.map(\.rowBytes).max() ?? 16
        only = entityColumn == nil ? decoders.values.first : nil
        self.decoders = decoders
    }

    /// Throws 42804 if a column of a result has another type than the model's: one that was altered by hand.
    func check(_ rows: ServerRows) throws {
        for (column, kind) in kinds.enumerated() {
            let type = rows.type(column)
            if !ColumnType.fits(type, kind) { throw ColumnType.mismatch(rows.name(column), type) }
        }
    }

    /// Returns the decoder for a row.
    ///
    /// - Throws: XX001 for a row of an unknown entity, as one written by a later version of the model.
    func decoder(for rows: ServerRows, _ row: Int) throws -> RowDecoder {
        if let only { return only }
        guard let entityColumn else { throw BinaryValue.unreadable("a row of an abstract entity") }
        let name = rows.text(row, entityColumn)
        guard let decoder = decoders[name] else { throw BinaryValue.unreadable("a row of the entity “\(name)”") }
        return decoder
    }
}

extension PostgreSQLEngine {
    /// Returns the columns of whole rows of an entity and its subentities.
    func selection(of layout: EntityLayout) throws -> RowSelection {
        try selections.value(for: layout.number) { try RowSelection(of: layout, includesSubentities: true, tables) }
    }
}
#endif

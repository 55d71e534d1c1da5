import CoreDataRowStorage

extension SQLSchema {
    /// A uniqueness constraint and the unique index that enforces it.
    package struct Constraint: Sendable {
        package var entity: Int
        package var attributes: [String]
        package var columns: [String]
        /// The columns of each composite attribute that is constrained as a whole. Two of its values are equal if their
        /// elements are, where nil equals nil; a composite without any element counts as no value.
        package var wholes: [[String]]
        package var index: Index

        fileprivate init(_ layout: EntityLayout, _ attributes: [String], _ parts: [[String]], table: String) {
            entity = layout.number
            self.attributes = attributes
            columns = parts.flatMap { $0 }
            wholes = parts.filter { $0.count > 1 }
            let label = attributes.map { $0.utf8.contains(UInt8(ascii: ".")) ? $0.replacing(".", with: "_") : $0 }
            index = Index(
                name: "Z_\(layout.name)_UNIQUE_\(label.joined(separator: "_"))", table: table, isUnique: true,
                columns: "")
            let terms = columns.flatMap { isOfWhole($0) ? ["IFNULL(\($0), 0)", "(\($0) IS NULL)"] : [$0] }
            index.columns = terms.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
            if !wholes.isEmpty { index.condition = wholes.map(Self.isPresent).joined(separator: " AND ") }
        }

        private func isOfWhole(_ column: String) -> Bool { wholes.contains { $0.contains(column) } }

        private static func isPresent(_ whole: [String]) -> String {
            "(\(whole.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")))"
        }

        /// The SQL condition of the rows that the constraint applies to: those with a value in every column.
        var presence: String {
            let single = columns.filter { !isOfWhole($0) }.map { "\($0) IS NOT NULL" }
            return (single + wholes.map(Self.isPresent)).joined(separator: " AND ")
        }

        /// Returns the SQL condition of the rows with the values of parameters, given by column. Written like the index, so
        /// that SQLite uses it.
        func match(_ parameters: [(column: String, number: Int)]) -> String {
            let terms = parameters.map { column, number in
                isOfWhole(column)
                    ? "IFNULL(\(column), 0) = IFNULL(?\(number), 0) AND (\(column) IS NULL) = (?\(number) IS NULL)"
                    : "\(column) = ?\(number)"
            }
            return (terms + wholes.map(Self.isPresent)).joined(separator: " AND ")
        }

        /// Returns true if SQLite's message, in upper case, is about this constraint: the message names the columns, or an
        /// index that has expressions.
        func isNamed(in message: String) -> Bool {
            let text =
                wholes.isEmpty
                ? columns.map { "\(index.table).\($0)" }.joined(separator: ", ") : "INDEX '\(index.name)'"
            return message.hasSuffix(text.uppercased())
        }
    }

    /// Returns the constraints that an entity declares itself.
    package func constraints(of layout: EntityLayout) -> [Constraint] {
        layout.traits.constraintPaths.compactMap { names in
            let parts = names.map { columns(at: $0, in: layout) }
            guard let table = entities[layout.number]?.table, !names.isEmpty, parts.allSatisfy({ !$0.isEmpty }) else {
                return nil
            }
            return Constraint(layout, names, parts, table: table)
        }
    }
}

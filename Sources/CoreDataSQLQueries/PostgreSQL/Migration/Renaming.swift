/// A change of names, in an order in which no name is taken twice.
struct Renaming {
    enum Kind { case table, sequence, index, column, constraint }

    let kind: Kind
    private(set) var from: String
    let to: String

    /// Returns renamings in an order in which each name is free when it is given. Names that are exchanged get others meanwhile.
    ///
    /// - Parameter spare: Returns a name that nothing has, in the schema of another name.
    static func ordered(_ renamings: [Renaming], spare: (String) -> String) -> [Renaming] {
        var pending = renamings.filter { $0.from != $0.to }
        var result: [Renaming] = []
        while !pending.isEmpty {
            let taken = Set(pending.map(\.from))
            if let index = pending.firstIndex(where: { !taken.contains($0.to) }) {
                result.append(pending.remove(at: index))
            } else {
                let name = spare(pending[0].from)
                result.append(Renaming(kind: pending[0].kind, from: pending[0].from, to: name))
                pending[0].from = name
            }
        }
        return result
    }

    /// Returns the statement.
    ///
    /// - Parameter table: The table of a column or constraint.
    func sql(of table: String = "") -> String {
        let (old, new) = (PostgreSQLName.quoted(from), PostgreSQLName.quoted(PostgreSQLName.unqualified(to)))
        return switch kind {
        case .table: "ALTER TABLE \(old) RENAME TO \(new)"
        case .sequence: "ALTER SEQUENCE \(old) RENAME TO \(new)"
        case .index: "ALTER INDEX \(old) RENAME TO \(new)"
        case .column: "ALTER TABLE \(PostgreSQLName.quoted(table)) RENAME COLUMN \(old) TO \(new)"
        case .constraint: "ALTER TABLE \(PostgreSQLName.quoted(table)) RENAME CONSTRAINT \(old) TO \(new)"
        }
    }
}

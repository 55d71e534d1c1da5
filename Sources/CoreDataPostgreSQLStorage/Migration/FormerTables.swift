#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The tables of a store from which a migration copies objects into new ones. They and what belongs to them have other names
/// meanwhile, so that the new ones are named as those of a new store.
struct FormerTables {
    /// The mark in the URL at which the store is read.
    let mark: String
    /// The store's metadata.
    let record: StoreRecord
    /// The names that the tables have now, without schema, by the names in the metadata.
    let present: [String: String]
    /// The names to drop, quoted and qualified.
    private let tables: [String]

    /// Renames the tables of a store.
    ///
    /// - Parameter number: A number of the tables in the transaction.
    init(_ mark: String, number: Int, _ transaction: MigrationTransaction) throws {
        self.mark = mark
        let connection = transaction.connection
        record = try transaction.record()
        var parameters = ParameterList()
        parameters.add("coredata_former_\(number)_")
        var present: [String: String] = [:]
        var tables: [String] = []
        var renamings: [String] = []
        try connection.run([
            PipelineRequest(ServerStatement(Self.constraints, isPrepared: false), parameters) { rows in
                for row in 0..<rows.count { renamings.append(rows.text(row, 0)) }
            },
            PipelineRequest(ServerStatement(Self.relations, isPrepared: false), parameters) { rows in
                for row in 0..<rows.count {
                    renamings.append(rows.text(row, 2))
                    guard !rows.isNull(row, 0) else { continue }
                    present[rows.text(row, 0)] = rows.text(row, 1)
                    tables.append(rows.text(row, 3))
                }
            },
        ])
        try connection.run(
            [.plain("SET CONSTRAINTS ALL IMMEDIATE")] + renamings.map { .plain($0) })
        (self.present, self.tables) = (present, tables)
    }

    /// Drops the tables, with their indexes and sequences.
    func drop(_ transaction: MigrationTransaction) throws {
        guard !tables.isEmpty else { return }
        try transaction.connection.run([.plain("DROP TABLE \(tables.joined(separator: ", "))")])
    }

    /// The tables in the metadata that are there, as `t`.
    private static let found = """
        t AS (SELECT name, to_regclass(CASE WHEN array_length(parse_ident(name), 1) = 1 \
        THEN quote_ident(current_schema()) || '.' ELSE '' END || name)::oid AS oid \
        FROM (SELECT unnest(tables) AS name FROM \(StoreRecord.table)) n)
        """

    /// Selects the statements that rename the constraints without an index: the database chooses names that no other constraint
    /// of the schema has.
    private static let constraints = """
        WITH \(found) SELECT format('ALTER TABLE %I.%I RENAME CONSTRAINT %I TO %I', s.nspname, c.relname, k.conname, \
        $1::text || 'constraint_' || row_number() OVER (ORDER BY k.oid)) FROM t JOIN pg_class c ON c.oid = t.oid \
        JOIN pg_namespace s ON s.oid = c.relnamespace \
        JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype IN ('c', 'f', 'n') ORDER BY k.oid
        """

    /// Selects the tables, their indexes and sequences, each with its name in the metadata, if it is a table, its new name, the
    /// statement that renames it, and the new name with its schema.
    private static let relations = """
        WITH \(found), \
        r AS (SELECT name, oid FROM t WHERE oid IS NOT NULL \
        UNION ALL SELECT NULL, i.indexrelid FROM t JOIN pg_index i ON i.indrelid = t.oid \
        UNION ALL SELECT NULL, d.objid FROM t JOIN pg_depend d ON d.refobjid = t.oid \
        AND d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') \
        JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'), \
        n AS (SELECT r.name, $1::text || row_number() OVER (ORDER BY r.name IS NULL, r.oid) AS present, \
        c.relname, c.relkind, s.nspname FROM r JOIN pg_class c ON c.oid = r.oid JOIN pg_namespace s ON s.oid = c.relnamespace) \
        SELECT name, present, format('ALTER %s %I.%I RENAME TO %I', CASE relkind WHEN 'S' THEN 'SEQUENCE' \
        WHEN 'i' THEN 'INDEX' WHEN 'I' THEN 'INDEX' ELSE 'TABLE' END, nspname, relname, present), \
        format('%I.%I', nspname, present) FROM n ORDER BY name IS NULL, present
        """
}
#endif

#if PostgreSQL
import CoreDataPostgreSQLStorage
import Foundation

/// The content of a schema as the server's catalogue has it.
package enum ServerCatalogue {
    /// Returns all columns, constraints, indexes, sequences and functions of a store's schema, each as a line without the name
    /// of the schema. The order of columns does not matter. The lease is left out, which the first migration makes.
    package static func lines(_ url: URL) throws -> Set<String> {
        guard let schema = url.user else { return [] }
        let sql = """
            SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) \
            || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END || coalesce(' collate ' || l.collname, '') \
            || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') \
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
            LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum \
            LEFT JOIN pg_collation l ON l.oid = a.attcollation \
            WHERE c.relkind = 'r' AND c.relnamespace = '\(schema)'::regnamespace \
            UNION ALL SELECT 'constraint ' || conrelid::regclass || '.' || conname || ' ' || pg_get_constraintdef(oid) \
            FROM pg_constraint WHERE connamespace = '\(schema)'::regnamespace \
            UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = '\(schema)' \
            UNION ALL SELECT 'sequence ' || s.seqrelid::regclass || ' ' || s.seqincrement || ' ' || s.seqmax || ' of ' \
            || coalesce(d.refobjid::regclass || '.' || d.refobjsubid, 'nothing') \
            FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid \
            LEFT JOIN pg_depend d ON d.objid = c.oid AND d.deptype = 'a' \
            WHERE c.relnamespace = '\(schema)'::regnamespace \
            UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = '\(schema)'::regnamespace
            """
        let lines = try texts(sql).map { $0.replacingOccurrences(of: "\(schema).", with: "") }
        return Set(lines.filter { !$0.contains("coredata_lease") })
    }

    /// Returns the first column of a statement's result, run as the user that owns the database.
    package static func texts(_ sql: String) throws -> [String] {
        var found: [String] = []
        try TestServer.run(
            PipelineRequest(ServerStatement("SELECT x::text FROM (\(sql)) AS q(x)", isPrepared: false)) { rows in
                found = (0..<rows.count).map { rows.text($0, 0) }
            })
        return found
    }
}
#endif

import Foundation

extension DamageKind {
    /// Damage to the schema, by SQL.
    static let schema: [DamageKind] = [
        onName("schema-row-deleted", "type = 'table' AND name LIKE 'Z%' AND name NOT LIKE 'Z\\_%' ESCAPE '\\'") {
            sql, name in
            try sql.run(onSchema: "DELETE FROM sqlite_schema WHERE name = '\(name)'")
        },
        onName("table-dropped", "type = 'table' AND name LIKE 'Z%' AND name NOT LIKE 'Z\\_%' ESCAPE '\\'") {
            sql, name in
            try sql.run("DROP TABLE \"\(name)\"")
        },
        onName("join-table-dropped", "type = 'table' AND name GLOB 'Z_[0-9]*'") { sql, name in
            try sql.run("DROP TABLE \"\(name)\"")
        },
        onName("index-dropped", "type = 'index' AND sql NOT NULL AND name LIKE 'Z%' AND name NOT LIKE '%_Z_ENT_INDEX'")
        { sql, name in
            try sql.run("DROP INDEX \"\(name)\"")
        },
        onName("trigger-dropped", "type = 'trigger'") { sql, name in try sql.run("DROP TRIGGER \"\(name)\"") },
        bySQL("metadata-row-gone") { "DELETE FROM Z_METADATA" },
        bySQL("metadata-table-gone") { "DROP TABLE Z_METADATA" },
        bySQL("metadata-damaged") { "UPDATE Z_METADATA SET Z_PLIST = substr(Z_PLIST, 1, length(Z_PLIST) / 2)" },
        bySQL("metadata-garbage") { "UPDATE Z_METADATA SET Z_PLIST = zeroblob(300), Z_UUID = NULL" },
        bySQL("model-gone") { "DELETE FROM Z_MODELCACHE" },
        bySQL("model-damaged") {
            "UPDATE Z_MODELCACHE SET Z_CONTENT = substr(Z_CONTENT, 1, length(Z_CONTENT) * 2 / 3)"
        },
        bySQL("model-garbage") { "UPDATE Z_MODELCACHE SET Z_CONTENT = 'no model' || hex(zeroblob(200))" },
        bySQL("numbers-table-gone") { "DROP TABLE Z_PRIMARYKEY" },
        bySQL("numbers-empty") { "DELETE FROM Z_PRIMARYKEY" },
        bySQL("numbers-row-gone") { "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 1" },
        bySQL("highest-key-wrong") { "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX / 2 WHERE Z_MAX > 1" },
    ]

    /// Damage to the contents of tables, by SQL.
    static let contents: [DamageKind] = [
        onRows("wrong-entity") { "UPDATE \($0) SET Z_ENT = 999" },
        onRows("entity-null") { "UPDATE \($0) SET Z_ENT = NULL" },
        onRows("version-null") { "UPDATE \($0) SET Z_OPT = NULL" },
        DamageKind("dangling-to-one") { target in
            guard let (table, column) = target.reference() else { return false }
            return try target.change(table, "SET \"\(column)\" = 987654")
        },
        DamageKind("one-to-one-disagrees") { target in
            guard target.store.rows.entityTables["ZPROFILE"] != nil else { return false }
            return try target.change("ZPROFILE", "SET ZUSER = 1 + (ZUSER + 7) % 80", count: 2)
        },
        DamageKind("reference-entity-wrong") { target in
            guard target.store.rows.entityTables["ZVISIT"] != nil else { return false }
            return try target.change(
                "ZVISIT", "SET \"\(target.polymorphic("ZVISIT") ?? "")\" = 5", where: "ZPARTY NOT NULL")
        },
        DamageKind("join-pair-twice") { target in
            guard let table = target.pick(target.store.rows.joinTables.keys.sorted()) else { return false }
            try target.change { sql in
                // Without its key, the table takes a pair twice.
                try sql.run(
                    onSchema: """
                        DELETE FROM sqlite_schema WHERE name LIKE 'sqlite_autoindex_\(table)_%'; \
                        UPDATE sqlite_schema SET sql = substr(sql, 1, instr(sql, ', PRIMARY KEY') - 1) || ')' \
                        WHERE name = '\(table)' AND type = 'table'
                        """)
            }
            try target.change { sql in
                try sql.run("INSERT INTO \"\(table)\" SELECT * FROM \"\(table)\" LIMIT 2")
            }
            return true
        },
        DamageKind("join-end-missing") { target in
            guard let table = target.pick(target.store.rows.joinTables.keys.sorted()),
                let columns = target.store.rows.joinTables[table]
            else { return false }
            let values = (0..<columns.count).map { $0 == 0 ? "1" : $0 == 1 ? "876543" : "2048" }
            try target.change { sql in
                try sql.run("INSERT INTO \"\(table)\" VALUES (\(values.joined(separator: ", ")))")
            }
            return true
        },
        DamageKind("order-null") { target in
            guard let (table, column) = target.order() else { return false }
            return try target.change(table, "SET \"\(column)\" = NULL", where: "\"\(column)\" NOT NULL", count: 4)
        },
        DamageKind("order-twice") { target in
            guard let (table, column) = target.order() else { return false }
            return try target.change(table, "SET \"\(column)\" = 2048", where: "\"\(column)\" NOT NULL", count: 1000)
        },
        DamageKind("required-null") { target in
            let required = [
                "ZPARTY": "ZNAME", "ZARTICLE": "ZTITLE", "ZITEM": "ZTEXT", "ZPHOTO": "ZNAME", "ZMEMBER": "ZNAME",
                "ZNOTE": "ZTITLE", "ZPLACE": "ZNAME", "ZSTICKER": "ZNAME", "ZEVERY": "ZMUST", "ZLOGIN": "ZACCOUNT",
                "ZMESSAGE": "ZTEXT",
            ]
            guard let table = target.store.rows.entityTables.keys.sorted().first(where: { required[$0] != nil })
            else { return false }
            return try target.change(table, "SET \(required[table] ?? "") = NULL")
        },
        DamageKind("uniqueness-violated") { target in
            guard target.store.rows.entityTables["ZACCOUNT"] != nil else { return false }
            try target.change { sql in
                try sql.run("DROP INDEX Z_Account_UNIQUE_mail")
                try sql.run("UPDATE ZACCOUNT SET ZMAIL = 'user3@example.com' WHERE Z_PK IN (20, 21)")
            }
            return true
        },
        DamageKind("type-wrong") { target in
            let columns = [
                "ZPARTY": "ZAGE", "ZNOTE": "ZSTARS", "ZEVERY": "ZDAY", "ZLOGIN": "ZCODE", "ZMESSAGE": "ZSENT",
                "ZVISIT": "ZDAY", "ZPHOTO": "ZNAME", "ZTRIP": "ZDAY",
            ]
            guard let table = target.store.rows.entityTables.keys.sorted().first(where: { columns[$0] != nil })
            else { return false }
            return try target.change(
                table, "SET \(columns[table] ?? "") = \(columns[table] == "ZNAME" ? "x'00ff'" : "'many'")")
        },
        DamageKind("uuid-short") { target in
            guard target.store.rows.entityTables["ZEVERY"] != nil else { return false }
            return try target.change("ZEVERY", "SET ZUID = x'0102'")
        },
        DamageKind("key-negative") { target in
            guard let table = target.store.rows.entityTables.keys.sorted().last else { return false }
            try target.change { sql in
                try sql.run("UPDATE \"\(table)\" SET Z_PK = -Z_PK WHERE Z_PK = (SELECT max(Z_PK) FROM \"\(table)\")")
            }
            return true
        },
        DamageKind("derived-wrong") { target in
            guard target.store.rows.entityTables["ZTEAM"] != nil else { return false }
            return try target.change("ZTEAM", "SET ZSIZE = 99")
        },
        history("history-transaction-gone") {
            "DELETE FROM ATRANSACTION WHERE Z_PK = (SELECT max(Z_PK) - 2 FROM ATRANSACTION)"
        },
        history("history-string-gone") { "DELETE FROM ATRANSACTIONSTRING WHERE Z_PK = 1" },
        history("history-entity-wrong") { "UPDATE ACHANGE SET ZENTITY = 777 WHERE Z_PK % 9 = 0" },
        history("history-table-gone") { "DROP TABLE ATRANSACTION" },
        DamageKind("external-reference-damaged") { target in
            guard target.store.rows.entityTables["ZPHOTO"] != nil else { return false }
            return try target.change("ZPHOTO", "SET ZIMAGE = x'07414243'")
        },
        DamageKind("rows-deleted-beneath") { target in
            // Rows that others refer to; what SQL can do without Core Data.
            // Core Data itself leaves the keys of deleted objects in relationships without inverse, such as User.last.
            guard let (table, _) = target.reference(), table != "ZUSER" else { return false }
            guard let root = target.referred(table) else { return false }
            try target.change { sql in try sql.run("DELETE FROM \"\(root)\" WHERE Z_PK % 5 = 2") }
            return true
        },
    ]

    // MARK: Makers

    private static func onName(
        _ name: String, _ condition: String, _ change: @escaping @Sendable (DamageSQL, String) throws -> Void
    ) -> DamageKind {
        DamageKind(name) { target in
            var names: [String] = []
            try target.change {
                names = try $0.texts("SELECT name FROM sqlite_schema WHERE \(condition) ORDER BY name")
            }
            guard let name = target.pick(names) else { return false }
            try target.change { try change($0, name) }
            return true
        }
    }

    private static func bySQL(_ name: String, _ script: @escaping @Sendable () -> String) -> DamageKind {
        DamageKind(name) { target in
            try target.change { try $0.run(script()) }
            return true
        }
    }

    private static func history(_ name: String, _ script: @escaping @Sendable () -> String) -> DamageKind {
        DamageKind(name) { target in
            guard !target.store.shape.options.isEmpty else { return false }
            try target.change { try $0.run(script()) }
            return true
        }
    }

    private static func onRows(_ name: String, _ update: @escaping @Sendable (String) -> String) -> DamageKind {
        DamageKind(name) { target in
            guard let table = target.pick(target.store.rows.entityTables.keys.sorted()) else { return false }
            try target.change { try $0.run(update("\"\(table)\"") + " WHERE Z_PK % 7 = 3") }
            return true
        }
    }
}

extension DamageKind.Target {
    /// Updates some rows of a table.
    fileprivate mutating func change(
        _ table: String, _ assignment: String, where condition: String = "1", count: Int = 3
    ) throws -> Bool {
        try change { sql in
            try sql.run(
                """
                UPDATE "\(table)" \(assignment) WHERE Z_PK IN \
                (SELECT Z_PK FROM "\(table)" WHERE \(condition) ORDER BY Z_PK * 7 % 11, Z_PK LIMIT \(count))
                """)
        }
        return true
    }

    private static let references = [
        "ZVISIT": ("ZPARTY", "ZPARTY"), "ZITEM": ("ZLIST", "ZLIST"), "ZPHOTO": ("ZALBUM", "ZALBUM"),
        "ZMEMBER": ("ZTEAM", "ZTEAM"), "ZNOTE": ("ZBOOK", "ZBOOK"), "ZTRIP": ("ZPLACE", "ZPLACE"),
        "ZUSER": ("ZLAST", "ZSTICKER"), "ZLOGIN": ("ZACCOUNT", "ZACCOUNT"), "ZMESSAGE": ("ZCHAT", "ZCHAT"),
    ]

    /// A table with a to-one relationship, and its column.
    fileprivate func reference() -> (String, String)? {
        store.rows.entityTables.keys.sorted().compactMap { table in Self.references[table].map { (table, $0.0) } }.first
    }

    /// The table that the to-one relationship of a table leads to.
    fileprivate func referred(_ table: String) -> String? { Self.references[table]?.1 }

    /// The column of the entity number of a to-one relationship.
    fileprivate func polymorphic(_ table: String) -> String? {
        store.rows.entityTables[table]?.first { $0.hasPrefix("Z") && $0.dropFirst().first?.isNumber == true }
    }

    /// A table that is not a join table, with a column of positions.
    fileprivate func order() -> (String, String)? {
        for (table, columns) in store.rows.entityTables.sorted(by: { $0.key < $1.key }) {
            if let column = columns.first(where: { $0.hasPrefix("Z_FOK_") && !$0.dropFirst(6).first!.isNumber }) {
                return (table, column)
            }
        }
        return nil
    }
}

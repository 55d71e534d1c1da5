/// The table by which one process at a time migrates a store.
extension PostgreSQLSchema {
    package static let leaseTable = "coredata_lease"

    /// The statements that create the table, unless it is there. Its row has the holder, its host and process, and the time
    /// until which it holds the lease, by the server's clock.
    package static let lease = [
        Part(
            kind: .table, name: leaseTable,
            sql: "CREATE TABLE IF NOT EXISTS \(leaseTable) (id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1), "
                + "holder uuid, host text COLLATE \"C\", process text COLLATE \"C\", since timestamptz, "
                + "until timestamptz NOT NULL DEFAULT '-infinity')"),
        Part(
            kind: .table, name: leaseTable,
            sql: "INSERT INTO \(leaseTable) DEFAULT VALUES ON CONFLICT (id) DO NOTHING"),
    ]
}

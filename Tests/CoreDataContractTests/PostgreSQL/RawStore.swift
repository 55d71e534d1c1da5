#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport

/// A store in a schema that the test alters by hand.
final class RawStore {
    private final class PlainModel: StoredModel {
        var versionMetadata: [String: Any] { [:] }
        func archive() -> Data? { nil }
    }

    let url: URL
    let layouts: ModelLayouts
    let identifier: String
    let engine: PostgreSQLEngine
    let session: any StoreSession
    /// The name of the schema and of its role.
    var schema: String { url.user ?? "" }

    /// - Parameter prepare: Alters the schema before the store is made.
    convenience init(
        _ layouts: ModelLayouts = Bookshop.layouts, _ prepare: (String) throws -> Void = { _ in }
    ) throws {
        try self.init(layouts, at: TestServer.makeSchema(), prepare)
    }

    /// - Parameter url: The URL of a schema that ``TestServer/makeSchema()`` made, which is removed with the store.
    init(
        _ layouts: ModelLayouts = Bookshop.layouts, at url: URL, _ prepare: (String) throws -> Void = { _ in }
    ) throws {
        self.layouts = layouts
        self.url = url
        do {
            try prepare(url.user ?? "")
            let found = try PostgreSQLDriver.make(StorePlace(url), for: PlainModel(), layouts)
            let identifier = PostgreSQLDriver.metadata(of: found).identifier
            engine = try PostgreSQLDriver.open(found, for: Self.opening(layouts, identifier))
            self.identifier = identifier
            session = try engine.session()
        } catch {
            TestServer.removeSchema(url)
            throw error
        }
    }

    deinit {
        PostgreSQLDriver.close(engine)
        TestServer.removeSchema(url)
    }

    private static func opening(_ layouts: ModelLayouts, _ identifier: String) -> EngineOpening {
        EngineOpening(layouts: layouts, model: nil, required: [], identifier: identifier) {
            StandIn($0, storeUUID: identifier)
        }
    }

    /// Opens the store again, and closes it.
    func reopen() throws { PostgreSQLDriver.close(try openAgain()) }

    /// Returns another engine of the store, as another coordinator has it.
    func openAgain() throws -> PostgreSQLEngine {
        guard let found = try PostgreSQLDriver.find(StorePlace(url)) else { throw CocoaError(.fileReadNoSuchFile) }
        return try PostgreSQLDriver.open(found, for: Self.opening(layouts, identifier))
    }

    /// Runs statements as the owner of the database; `SCHEMA` stands for the schema.
    func alter(_ statements: String...) throws {
        try TestServer.execute(statements.map { $0.replacingOccurrences(of: "SCHEMA", with: schema) })
    }

    func fetch(_ entity: String, _ format: String? = nil, _ arguments: [Any?] = []) throws -> StoreFetch {
        guard let layout = layouts.byName[entity] else { throw CocoaError(.featureUnsupported) }
        var fetch = StoreFetch(layout: layout)
        fetch.predicate = try format.map { try NSPredicate.parse($0, arguments: arguments) }
        return fetch
    }

    func rows(_ entity: String) throws -> [StoredRow] {
        let collector = RowCollector()
        try session.fetchRows(fetch(entity), into: collector)
        return collector.rows
    }

    func count(_ entity: String) throws -> Int { try session.countRows(fetch(entity)) }

    func dictionaries(_ fetch: StoreFetch, _ table: FetchTable) throws -> [[String: Any]] {
        var fetch = fetch
        fetch.addTable(table, source: self)
        return try session.fetchDictionaries(fetch) { $0 }
    }

    @discardableResult
    func insert(_ entity: String, _ rows: [[String: Any]]) throws -> BatchOutcome {
        guard let layout = layouts.byName[entity] else { throw CocoaError(.featureUnsupported) }
        return try session.run(BatchWork(.insert(.values(rows), layout, .fail)))
    }

    func save(_ fill: (SaveBuilder) -> Void) throws {
        let builder = SaveBuilder()
        fill(builder)
        _ = try withExtendedLifetime(builder) { try session.save(builder.changes) }
    }

    /// Everything in the database that belongs to the schema or its role.
    func catalogue() throws -> Set<String> {
        var found: Set<String> = []
        let sql = """
            SELECT relkind::text || ' ' || relname FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace \
            OR relowner = '\(schema)'::regrole AND relnamespace <> 'pg_toast'::regnamespace UNION ALL \
            SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = '\(schema)'::regnamespace \
            OR proowner = '\(schema)'::regrole UNION ALL \
            SELECT 'column ' || attrelid::regclass || ' ' || attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid \
            WHERE relnamespace = '\(schema)'::regnamespace AND attnum > 0 UNION ALL \
            SELECT 'schema ' || nspname FROM pg_namespace WHERE nspowner = '\(schema)'::regrole UNION ALL \
            SELECT 'member ' || roleid::regrole FROM pg_auth_members WHERE member = '\(schema)'::regrole
            """
        try TestServer.run(
            PipelineRequest(ServerStatement(sql, isPrepared: false)) { rows in
                for row in 0..<rows.count { found.insert(rows.text(row, 0)) }
            })
        return found
    }
}

/// The error that a closure throws.
func cocoaError(of body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch {
        return error as NSError
    }
}
#endif

import CoreDataRowStorage
import CoreDataSQLQueries
import CoreDataSQLiteStorage
import CoreDataTestSupport
import MagicalRecordTestSupport
import PredicateFormat
import Testing

@testable import CoreData

/// The SQL by which rows are read and changed by their keys, and by those they belong to, in both dialects.
@Suite struct RowTextTests {
    private let engine: SQLiteEngine
    private let library: SQLiteLibrary

    init() throws {
        library = try SQLiteLibrary()
        engine = try #require(try (library.store as? SQLiteStore)?.engine)
    }

    private func layout(_ entity: String) throws -> EntityLayout { try #require(engine.layouts.byName[entity]) }

    private func relationship(_ name: String, of entity: String) throws -> EntityLayout.Relationship {
        try #require(layout(entity).relationships.first { $0.name == name })
    }

    private func check(
        _ sqlite: String?, _ postgresql: String?, _ make: (any TableNames) throws -> SQLStatement?
    ) rethrows {
        #expect(try make(engine)?.text == sqlite)
        #expect(try make(PostgreSQLTables(engine.layouts)).map { PostgreSQLTexts.noted($0.text) } == postgresql)
    }

    // MARK: Reading

    @Test func byKeys() throws {
        func query(_ tables: any TableNames) throws -> KeyQuery {
            try KeyQuery(selecting: "t0.\(tables.dialect.keyColumn)", of: layout("Tag"), tables)
        }
        try check("SELECT t0.Z_PK FROM ZTAG t0 WHERE t0.Z_PK = ?1", "SELECT t0.id FROM tag t0 WHERE t0.id = $1::bigint")
        { try query($0).one }
        try check(
            "SELECT t0.Z_PK FROM CDArray(?1) k CROSS JOIN ZTAG t0 ON t0.Z_PK = k.value",
            "SELECT t0.id FROM tag t0 WHERE t0.id = ANY ($1::bigint[])"
        ) { try query($0).many }
        try check(
            "SELECT t0.Z_PK FROM ZTAG t0 WHERE t0.Z_PK BETWEEN ?1 AND ?2 ORDER BY t0.Z_PK",
            "SELECT t0.id FROM tag t0 WHERE t0.id BETWEEN $1::bigint AND $2::bigint ORDER BY t0.id"
        ) { try query($0).range }
    }

    private func toMany(_ name: String, of entity: String, _ tables: any TableNames) throws -> ToManyQuery {
        let relationship = try relationship(name, of: entity)
        let destination = try #require(engine.layouts.byNumber[relationship.destinationNumber])
        return try ToManyQuery(
            #require(tables.columns(of: relationship, in: layout(entity))), to: destination, tables)
    }

    @Test(arguments: [
        (
            "Author", "books", "SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZAUTHOR = ?1",
            "SELECT t0.id FROM book t0 WHERE t0.author = $1::bigint"
        ),
        (
            "Shelf", "books", "SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZSHELF = ?1 ORDER BY t0.Z_FOK_SHELF, t0.Z_PK",
            "SELECT t0.id FROM book t0 WHERE t0.shelf = $1::bigint ORDER BY t0.shelf_order NULLS FIRST, t0.id"
        ),
        (
            "Book", "tags", "SELECT j.Z_5TAGS FROM Z_3TAGS j WHERE j.Z_3BOOKS = ?1",
            "SELECT j.tag FROM book_tags j WHERE j.book = $1::bigint"
        ),
    ])
    func referencesOfOne(_ entity: String, _ name: String, _ sqlite: String, _ postgresql: String) throws {
        try check(sqlite, postgresql) { try toMany(name, of: entity, $0).references() }
    }

    @Test(arguments: [
        (
            "Author", "books", "SELECT 1 FROM ZBOOK k CROSS JOIN ZBOOK t0 ON t0.Z_PK = k.Z_PK WHERE k.ZAUTHOR = ?1",
            "SELECT 1 FROM book t0 WHERE t0.author = $1::bigint"
        ),
        (
            "Shelf", "books", "SELECT 1 FROM ZBOOK t0 WHERE t0.ZSHELF = ?1 ORDER BY t0.Z_FOK_SHELF, t0.Z_PK",
            "SELECT 1 FROM book t0 WHERE t0.shelf = $1::bigint ORDER BY t0.shelf_order NULLS FIRST, t0.id"
        ),
        (
            "Book", "tags", "SELECT 1 FROM Z_3TAGS j CROSS JOIN ZTAG t0 ON t0.Z_PK = j.Z_5TAGS WHERE j.Z_3BOOKS = ?1",
            "SELECT 1 FROM book_tags j JOIN tag t0 ON t0.id = j.tag WHERE j.book = $1::bigint"
        ),
    ])
    func rowsOfOne(_ entity: String, _ name: String, _ sqlite: String, _ postgresql: String) throws {
        try check(sqlite, postgresql) {
            try toMany(name, of: entity, $0).rowsOfOne(selecting: "1", findsKeysFirst: $0 is SQLiteEngine)
        }
    }

    /// One owner's rows come together: in SQLite since the keys drive the join, in PostgreSQL by the order.
    @Test(arguments: [
        (
            "Author", "books", "SELECT 1, t0.ZAUTHOR FROM CDArray(?1) k CROSS JOIN ZBOOK t0 ON t0.ZAUTHOR = k.value",
            """
            SELECT 1, t0.author FROM unnest($1::bigint[]) AS k(value) JOIN book t0 ON t0.author = k.value \
            ORDER BY k.value
            """
        ),
        (
            "Shelf", "books",
            """
            SELECT 1, t0.ZSHELF FROM CDArray(?1) k CROSS JOIN ZBOOK t0 ON t0.ZSHELF = k.value \
            ORDER BY k.value, t0.Z_FOK_SHELF, t0.Z_PK
            """,
            """
            SELECT 1, t0.shelf FROM unnest($1::bigint[]) AS k(value) JOIN book t0 ON t0.shelf = k.value \
            ORDER BY k.value, t0.shelf_order NULLS FIRST, t0.id
            """
        ),
        (
            "Book", "tags",
            """
            SELECT 1, j.Z_3BOOKS FROM CDArray(?1) k CROSS JOIN Z_3TAGS j ON j.Z_3BOOKS = k.value \
            CROSS JOIN ZTAG t0 ON t0.Z_PK = j.Z_5TAGS
            """,
            """
            SELECT 1, j.book FROM unnest($1::bigint[]) AS k(value) JOIN book_tags j ON j.book = k.value \
            JOIN tag t0 ON t0.id = j.tag ORDER BY k.value
            """
        ),
    ])
    func rowsOfMany(_ entity: String, _ name: String, _ sqlite: String, _ postgresql: String) throws {
        try check(sqlite, postgresql) {
            try toMany(name, of: entity, $0).rowsOfMany(selecting: "1", selectsOwner: true)
        }
    }
}

import CoreDataRowStorage
import MagicalRecordTestSupport
import Testing

@testable import CoreDataSQLQueries

/// Reads of to-many relationships whose destinations have subentities, or which lead both ways, in both dialects.
@Suite("SQL of to-many relationships")
struct ToManyTests {
    private let shop = Shop()

    private func text(_ name: String, isSQLite: Bool, _ make: (ToManyQuery) throws -> SQLStatement?) throws -> String? {
        let tables: any TableNames = isSQLite ? shop : PostgreSQLTables(shop.layouts)
        let owner = try #require(tables.layouts.byName[name == "books" ? "Author" : "Book"])
        let relationship = try #require(owner.relationships.first { $0.name == name })
        let destination = try #require(tables.layouts.byNumber[relationship.destinationNumber])
        let columns = try #require(shop.columns(of: relationship, in: owner))
        let statement = try make(
            ToManyQuery(isSQLite ? columns : Self.postgresql(columns), to: destination, tables))
        return statement.map { isSQLite ? $0.text : PostgreSQLTexts.noted($0.text) }
    }

    /// The shop's relationships have no inverses, by which PostgreSQL's tables are named.
    private static func postgresql(_ columns: ToManyColumns) -> ToManyColumns {
        guard case .join(_, _, _, _, _, let isReflexive) = columns else {
            return .foreignKey(table: "book", column: "author", entityColumn: nil, order: nil)
        }
        return .join(
            table: "book_related", source: "source", target: "target", order: nil, sourceOrder: nil,
            isReflexive: isReflexive)
    }

    @Test func referencesWithEntities() throws {
        #expect(
            try text("books", isSQLite: true) { try $0.references() }
                == "SELECT t0.Z_PK, t0.Z_ENT FROM ZBOOK t0 WHERE t0.ZAUTHOR = ?1")
        #expect(
            try text("books", isSQLite: false) { try $0.references() }
                == "SELECT t0.id, t0.entity FROM book t0 WHERE t0.author = $1::bigint")
    }

    /// SQLite joins in the order of the keys; of PostgreSQL's rows, the client groups those of one object.
    @Test func rowsOfManyObjects() throws {
        #expect(
            try text("books", isSQLite: true) { try $0.rowsOfMany(selecting: "1", selectsOwner: true) }
                == "SELECT 1, t0.ZAUTHOR FROM CDArray(?1) k CROSS JOIN ZBOOK t0 ON t0.ZAUTHOR = k.value")
        #expect(
            try text("books", isSQLite: false) { try $0.rowsOfMany(selecting: "1", selectsOwner: true) }
                == "SELECT 1, t0.author FROM unnest($1::bigint[]) AS k(value) JOIN book t0 ON t0.author = k.value")
    }

    @Test func reflexiveReferences() throws {
        #expect(
            try text("related", isSQLite: true) { try $0.references() }
                == "SELECT t0.Z_PK, t0.Z_ENT FROM ZBOOK t0 WHERE t0.Z_PK IN (SELECT Z_OTHER FROM Z_RELATED "
                + "WHERE Z_ONE = ?1 UNION SELECT Z_ONE FROM Z_RELATED WHERE Z_OTHER = ?1)")
        #expect(
            try text("related", isSQLite: false) { try $0.references() }
                == "SELECT t0.id, t0.entity FROM book t0 WHERE t0.id IN (SELECT target FROM book_related "
                + "WHERE source = $1::bigint UNION SELECT source FROM book_related WHERE target = $1::bigint)")
    }

    @Test func reflexiveRows() throws {
        #expect(
            try text("related", isSQLite: true) { try $0.rowsOfOne(selecting: "1", findsKeysFirst: true) } == nil)
        #expect(
            try text("related", isSQLite: true) { try $0.rowsOfMany(selecting: "1", selectsOwner: true) }
                == "SELECT 1, k.value FROM CDArray(?1) k CROSS JOIN (SELECT Z_ONE AS a, Z_OTHER AS b FROM Z_RELATED "
                + "UNION SELECT Z_OTHER, Z_ONE FROM Z_RELATED) j ON j.a = k.value "
                + "CROSS JOIN ZBOOK t0 ON t0.Z_PK = j.b ORDER BY k.value")
        #expect(
            try text("related", isSQLite: false) { try $0.rowsOfMany(selecting: "1", selectsOwner: true) }
                == "SELECT 1, k.value FROM unnest($1::bigint[]) AS k(value) JOIN (SELECT source AS a, target AS b "
                + "FROM book_related UNION SELECT target, source FROM book_related) j ON j.a = k.value "
                + "JOIN book t0 ON t0.id = j.b ORDER BY k.value")
    }
}

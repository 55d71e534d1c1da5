import CoreDataRowStorage
import CoreDataSQLQueries
import PredicateFormat
import Testing

/// Sort orders, and the columns and conditions of groups.
@Suite("Orders and groups as SQL")
struct OrderTests {
    private func order(_ descriptors: [NSSortDescriptor], _ query: Query = Query("Book")) throws
        -> String
    {
        try query.text(
            query.compiler.orderClause(descriptors, query.scope, tieBreaker: query.scope.place.key))
    }

    /// What compares as equal comes in the order of primary keys.
    @Test func sortDescriptors() throws {
        let name = NSSortDescriptor(key: "author.name", ascending: true)
        let title = NSSortDescriptor(key: "title", ascending: false, selector: .caseInsensitiveCompare)
        let query = Query("Book")
        #expect(
            try order([name, title], query)
                == " ORDER BY t1.ZNAME, t0.ZTITLE COLLATE FOLDED DESC, t0.Z_PK")
        #expect(query.joins == ["LEFT OUTER JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR"])
        #expect(try order([]) == "")
        #expect(
            try order([NSSortDescriptor(key: "self", ascending: false)]) == " ORDER BY t0.Z_PK DESC")
    }

    /// The order of a kind of text says nothing about numbers.
    @Test func collationsAreOfTextAlone() throws {
        let pages = NSSortDescriptor(key: "pages", ascending: true, selector: .caseInsensitiveCompare)
        #expect(try order([pages]) == " ORDER BY t0.ZPAGES, t0.Z_PK")
    }

    @Test func refusedSortDescriptors() throws {
        let refused: [(NSSortDescriptor, String)] = [
            (NSSortDescriptor(key: "tags.word", ascending: true), "to-many key not allowed here"),
            (NSSortDescriptor(key: "tags.@count", ascending: true), "to-many key not allowed here"),
            (NSSortDescriptor(key: "colour", ascending: true), "keypath colour not found in entity Book"),
            (NSSortDescriptor(key: "title", ascending: true, selector: "myCompare:"), "myCompare:"),
            (
                NSSortDescriptor(key: "title", ascending: true) { _, _ in .orderedSame },
                "comparator blocks"
            ),
        ]
        for (descriptor, text) in refused {
            let error = #expect(throws: (any Error).self) { try order([descriptor]) }
            #expect(error?.localizedDescription.contains(text) == true, "\(error as Any)")
        }
    }

    @Test(arguments: [
        ("sum:(pages)", "IFNULL(SUM(t0.ZPAGES), 0)"), ("average:(pages)", "AVG(t0.ZPAGES)"),
        ("max:(title)", "MAX(t0.ZTITLE)"), ("count:(SELF)", "COUNT(*)"),
        ("count:(title)", "COUNT(t0.ZTITLE)"),
        ("uppercase:(title)", "CDUpper(t0.ZTITLE)"),
        (
            "count:(tags)",
            "IFNULL(SUM((SELECT COUNT(*) FROM Z_BOOKTAGS t1 WHERE t1.Z_BOOK = t0.Z_PK "
                + "AND (t1.Z_TAG IN (SELECT Z_PK FROM ZTAG)))), 0)"
        ),
    ])
    func columnsOfGroups(_ format: String, _ sql: String) throws {
        let query = Query("Book")
        #expect(try query.text(query.column(format)) == sql)
    }

    /// HAVING knows the columns by their names, as keys and as variables.
    @Test func conditionsOnGroups() throws {
        let query = Query("Book")
        query.compiler.computedColumns["total"] = (try query.column("sum:(pages)"), .of(.int64))
        query.compiler.aggregatesRows = true
        #expect(
            try query.condition("$total > 30 AND total < 50 AND count:(title) == 2")
                == "(IFNULL(SUM(t0.ZPAGES), 0) > ?1) AND (IFNULL(SUM(t0.ZPAGES), 0) < ?2) AND (COUNT(t0.ZTITLE) = ?3)"
        )
    }
}

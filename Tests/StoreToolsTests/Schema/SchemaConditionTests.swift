import ModelFormat
import StoreTools
import Testing

/// Conditions of partial indexes.
@Suite struct SchemaConditionTests {
    private static func schema(_ predicate: String) throws -> StoreSchema {
        var entity = Entity(name: "Note")
        entity.attributes = [
            Attribute(name: "kind", type: .integer16), Attribute(name: "text", type: .string),
            Attribute(name: "rank", type: .double),
        ]
        var index = FetchIndex(name: "byKind", elements: [FetchIndexElement(property: "kind")])
        index.partialIndexPredicate = predicate
        entity.fetchIndexes = [index]
        return try StoreSchema(Model(entities: [entity]))
    }

    @Test(arguments: [
        ("kind == 1", "ZKIND = 1"), ("kind != nil", "ZKIND IS NOT NULL"), ("text == NULL", "ZTEXT IS NULL"),
        ("kind = 2 OR kind = 4", "(ZKIND = 2 OR ZKIND = 4)"),
        ("text == \"it'\u{301}s\"", "ZTEXT = 'it''\u{301}s'"),
        ("kind == 0 AND text == 'it\\'s' && rank >= -1.5", "(ZKIND = 0 AND ZTEXT = 'it''s' AND ZRANK >= -1.5)"),
        ("NOT kind == YES", "NOT (ZKIND = 1)"), ("!(kind < 3)", "NOT (ZKIND < 3)"),
        ("kind == 1 AND (kind == 2 OR rank <> 0.25)", "(ZKIND = 1 AND (ZKIND = 2 OR ZRANK <> 0.25))"),
        ("(kind == 1 AND kind == 2) AND kind == 3", "(ZKIND = 1 AND ZKIND = 2 AND ZKIND = 3)"),
        ("#kind => 3", "ZKIND >= 3"),
    ]) func haveTheFormOfCoreData(_ predicate: String, _ condition: String) throws {
        let schema = try Self.schema(predicate)
        let sql = schema.indexes.map(\.sql)
        #expect(sql == ["CREATE INDEX Z_Note_byKind ON ZNOTE (ZKIND COLLATE BINARY ASC) WHERE \(condition)"])
        #expect(schema.omitted == [])
    }

    @Test(arguments: [
        "kind IN {1, 2}", "text BEGINSWITH 'a'", "text ==[c] 'a'", "kind == rank", "1 == kind", "kind + 1 == 2",
        "TRUEPREDICATE",
        "other == 1", "kind BETWEEN {1, 2}", "ANY kind == 1", "kind == ", "kind == 1 AND", "(kind == 1", "kind == 'a",
        "",
        "kind < nil", "kind == 99999999999999999999999", "kind == 1 kind == 2", "FUNCTION(kind, 'x') == 1",
        String(repeating: "(", count: 5000) + "kind == 1", String(repeating: "NOT ", count: 5000) + "kind == 1",
    ]) func whatHasNoFormIsLeftOutAndListed(_ predicate: String) throws {
        let schema = try Self.schema(predicate)
        #expect(schema.indexes.isEmpty)
        #expect(schema.omitted.count == 1)
        #expect(schema.omitted.first?.contains("Z_Note_byKind") == true)
    }
}

import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

/// Each rule finds the damage that another program has done in SQL, and nothing else.
@Suite struct StoreCheckDamageTests {
    struct Damage: CustomTestStringConvertible, Sendable {
        var sql: [String]
        var rule: StoreFinding.Rule
        var table: String?
        var entity: String?
        var property: String?
        var keys: [Int64] = []
        var count: Int?
        var remedy = StoreFinding.Remedy.mended
        var testDescription: String { sql[0] }
    }

    static let rows = [
        Damage(
            sql: ["UPDATE ZITEM SET Z_ENT = 2 WHERE Z_PK = 3"], rule: .rowEntity, table: "ZITEM", entity: "Item",
            keys: [3], remedy: .mendedWithLoss),
        Damage(sql: ["UPDATE ZTAG SET Z_ENT = NULL"], rule: .rowEntity, table: "ZTAG", entity: "Tag", keys: [1, 2]),
        Damage(
            sql: ["UPDATE ZKEY SET Z_PK = -4 WHERE Z_PK = 2"], rule: .rowKey, table: "ZKEY", entity: "Key", keys: [-4],
            remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET Z_OPT = NULL WHERE Z_PK > 4"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "Z_OPT", keys: [5, 6]),
        Damage(
            sql: ["UPDATE ZITEM SET ZNAME = NULL WHERE Z_PK = 2"], rule: .requiredValue, table: "ZITEM", entity: "Item",
            property: "name", keys: [2], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZRANK = 40000 WHERE Z_PK = 1"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "rank", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZTOTAL = 1.5 WHERE Z_PK = 1"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "total", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZDONE = 2 WHERE Z_PK = 1"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "done", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZMADE = 'today' WHERE Z_PK = 1"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "made", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZPRICE = 'much' WHERE Z_PK = 1"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "price", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZSIZE = X'01' WHERE Z_PK = 1"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "size", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZIDENT = X'0102' WHERE Z_PK = 1"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "ident", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZRAW = 'text' WHERE Z_PK = 1"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "raw", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZTEXT = CAST(X'41FF42' AS TEXT) WHERE Z_PK = 3"], rule: .valueType, table: "ZITEM",
            entity: "Note", property: "text", keys: [3], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET ZBLOB = X'07' WHERE Z_PK = 2"], rule: .valueType, table: "ZITEM", entity: "Item",
            property: "blob", keys: [2]),
        Damage(
            sql: ["UPDATE ZITEM SET ZBLOB = CAST('\u{2}aaaaaaaaaabbbbbbbbbbccccccccccddddddd' AS BLOB) WHERE Z_PK = 2"],
            rule: .valueType, table: "ZITEM",
            entity: "Item", property: "blob", keys: [2], remedy: .mendedWithLoss),
    ]

    static let references = [
        Damage(
            sql: ["UPDATE ZITEM SET ZOWNER = 99, ZOWNERNAME = NULL WHERE Z_PK = 2"], rule: .danglingReference,
            table: "ZITEM", entity: "Item", property: "owner", keys: [2], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZITEM SET Z7FAVORITES = 98 WHERE Z_PK = 5"], rule: .danglingReference, table: "ZITEM",
            entity: "Person", property: "favorites", keys: [5], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZFOLDER SET ZLEAD = 97 WHERE Z_PK = 1"], rule: .danglingReference, table: "ZFOLDER",
            entity: "Folder", property: "lead", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZFOLDER SET Z2_LEAD = 4 WHERE Z_PK = 1"], rule: .referenceEntity, table: "ZFOLDER",
            entity: "Folder", property: "lead", keys: [1]),
        Damage(
            sql: ["UPDATE ZFOLDER SET Z2_LEAD = 4 WHERE Z_PK = 2"], rule: .referenceEntity, table: "ZFOLDER",
            entity: "Folder", property: "lead", keys: [2]),
        Damage(
            sql: ["UPDATE ZITEM SET ZPREVIOUS = NULL WHERE Z_PK = 5"], rule: .inverse, table: "ZITEM", entity: "Task",
            property: "next", keys: [4]),
        Damage(
            sql: ["INSERT INTO Z_2TAGS VALUES (3, 77, 2048)"], rule: .joinRow, table: "Z_2TAGS", entity: "Item",
            property: "tags", keys: [3], remedy: .mendedWithLoss),
        Damage(
            sql: ["INSERT INTO Z_2TAGS VALUES (66, 2, 3072)"], rule: .joinRow, table: "Z_2TAGS", entity: "Tag",
            property: "items", keys: [2], remedy: .mendedWithLoss),
        Damage(
            sql: ["DELETE FROM Z_7FRIENDS WHERE Z_7FRIENDS = 1"], rule: .inverse, table: "Z_7FRIENDS", entity: "Person",
            property: "friends", keys: [2]),
        Damage(
            sql: ["UPDATE ZITEM SET Z_FOK_FOLDER = NULL WHERE Z_PK = 1"], rule: .order, table: "ZITEM", entity: "Item",
            property: "folder", keys: [1]),
        Damage(
            sql: ["UPDATE ZITEM SET Z_FOK_FOLDER = 2048"], rule: .order, table: "ZITEM", entity: "Item",
            property: "folder", keys: [1], count: 3),
        Damage(
            sql: ["UPDATE Z_2TAGS SET Z_FOK_2ITEMS = NULL WHERE Z_2ITEMS = 2"], rule: .order, table: "Z_2TAGS",
            entity: "Tag", property: "items", keys: [1]),
        Damage(
            sql: ["UPDATE Z_2TAGS SET Z_FOK_2ITEMS = 5 WHERE Z_8TAGS = 1"], rule: .order, table: "Z_2TAGS",
            entity: "Tag", property: "items", keys: [1], count: 2),
        Damage(
            sql: ["UPDATE ZITEM SET Z_FOK_7FAVORITES = NULL WHERE Z_PK = 6"], rule: .order, table: "ZITEM",
            entity: "Person", property: "favorites", keys: [6]),
        Damage(
            sql: [
                "INSERT INTO ZKEY SELECT 10 + value, 5, 1, 1, 'k' FROM (SELECT 1 value UNION SELECT 2)",
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 20 WHERE Z_ENT = 5",
            ], rule: .requiredValue, table: "ZPERSON",
            entity: "Person", property: "keys", keys: [1], remedy: .none),
    ]

    static let systems = [
        Damage(
            sql: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 2"], rule: .highestKey, table: "Z_PRIMARYKEY",
            entity: "Item", keys: [6]),
        Damage(
            sql: ["UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_ENT = 3"], rule: .entityNumbers, table: "Z_PRIMARYKEY",
            entity: "Note"),
        Damage(
            sql: ["DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 4"], rule: .entityNumbers, table: "Z_PRIMARYKEY",
            entity: "Task"),
        Damage(sql: ["DROP INDEX ZITEM_ZOWNER_INDEX"], rule: .index, table: "ZITEM", entity: "Item", property: "owner"),
        Damage(
            sql: ["DROP INDEX Z_2TAGS_Z_8TAGS_INDEX"], rule: .index, table: "Z_2TAGS", entity: "Item", property: "tags"),
        Damage(sql: ["DROP TRIGGER Z_DA_ZITEM_Folder_itemCount_PARAMETER_DELETE"], rule: .index, table: "ZITEM"),
        Damage(
            sql: ["DROP TABLE Z_7FRIENDS"], rule: .schema, table: "Z_7FRIENDS", entity: "Person", property: "friends",
            remedy: .mendedWithLoss),
        Damage(
            sql: ["ALTER TABLE ZKEY DROP COLUMN ZLABEL"], rule: .schema, table: "ZKEY", entity: "Key",
            property: "label",
            remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ZFOLDER SET ZITEMCOUNT = 7 WHERE Z_PK = 1"], rule: .derivedValue, table: "ZFOLDER",
            entity: "Folder", property: "itemCount", keys: [1]),
        Damage(
            sql: ["UPDATE ZITEM SET ZOWNERNAME = 'Eve' WHERE Z_PK = 4"], rule: .derivedValue, table: "ZITEM",
            entity: "Item", property: "ownerName", keys: [4]),
        Damage(
            sql: ["UPDATE ZTAG SET ZPLAIN = 'green' WHERE Z_PK = 1"], rule: .derivedValue, table: "ZTAG", entity: "Tag",
            property: "plain", keys: [1]),
        Damage(
            sql: ["DELETE FROM Z_METADATA"], rule: .metadata, table: "Z_METADATA", remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE Z_METADATA SET Z_UUID = 'x'"], rule: .metadata, table: "Z_METADATA", remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE Z_METADATA SET Z_PLIST = X'0102'"], rule: .metadata, table: "Z_METADATA",
            remedy: .mendedWithLoss),
        Damage(sql: ["DELETE FROM Z_MODELCACHE"], rule: .model, table: "Z_MODELCACHE", remedy: .none),
        Damage(
            sql: ["UPDATE Z_MODELCACHE SET Z_CONTENT = X'010203'"], rule: .model, table: "Z_MODELCACHE", remedy: .none),
        Damage(
            sql: ["DELETE FROM ATRANSACTION"], rule: .history, table: "ACHANGE", property: "ZTRANSACTIONID",
            keys: Array(1...15), remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ACHANGE SET ZCHANGETYPE = 9 WHERE Z_PK = 1"], rule: .history, table: "ACHANGE",
            property: "ZCHANGETYPE", keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ACHANGE SET ZENTITY = 44 WHERE Z_PK = 2"], rule: .history, table: "ACHANGE",
            property: "ZENTITY", keys: [2], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ATRANSACTION SET ZPROCESSIDTS = 99"], rule: .history, table: "ATRANSACTION",
            property: "ZPROCESSIDTS",
            keys: [1], remedy: .mendedWithLoss),
        Damage(
            sql: ["UPDATE ATRANSACTION SET ZTIMESTAMP = NULL"], rule: .history, table: "ATRANSACTION",
            property: "ZTIMESTAMP", keys: [1]),
        Damage(
            sql: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16001"], rule: .highestKey, table: "Z_PRIMARYKEY",
            entity: "CHANGE", keys: [15]),
    ]

    @Test(arguments: rows + references + systems)
    func damageIsFound(damage: Damage) throws {
        let store = try CheckedStore()
        for statement in damage.sql { try store.sql(statement) }
        let findings = try store.findings()
        let found = findings.filter {
            $0.rule == damage.rule && $0.table == damage.table && $0.entity == damage.entity
                && $0.property == damage.property
        }
        #expect(findings.map(\.rule) == [damage.rule], "\(findings)")
        let finding = try #require(found.first, "\(findings)")
        #expect(finding.keys == damage.keys)
        #expect(finding.count == damage.count ?? max(damage.keys.count, 1))
        #expect(finding.remedy == damage.remedy)
    }

    @Test func equalValuesOfAConstraintAreFoundWithoutItsIndex() throws {
        let store = try CheckedStore()
        try store.sql("DROP INDEX Z_Person_UNIQUE_code", "UPDATE ZPERSON SET ZCODE = 'a'")
        let findings = try store.findings()
        #expect(findings.map(\.rule) == [.index, .uniqueness])
        #expect(findings.map(\.property) == ["code", "code"])
        #expect(findings.last?.keys == [2])
        #expect(findings.last?.remedy == .mendedWithLoss)
    }

    @Test func pairsThatOccurTwiceAreFoundInATableWithoutKey() throws {
        let store = try CheckedStore()
        try store.sql(
            "CREATE TABLE copy AS SELECT * FROM Z_2TAGS", "DROP TABLE Z_2TAGS",
            "CREATE TABLE Z_2TAGS (Z_2ITEMS INTEGER, Z_8TAGS INTEGER, Z_FOK_2ITEMS INTEGER)",
            "INSERT INTO Z_2TAGS SELECT * FROM copy UNION ALL SELECT 2, 1, 9999",
            "CREATE INDEX a ON Z_2TAGS (Z_2ITEMS)", "CREATE INDEX b ON Z_2TAGS (Z_8TAGS)", "DROP TABLE copy")
        let findings = try store.findings()
        #expect(findings.map(\.rule) == [.joinRow])
        #expect(findings.first?.keys == [2])
        #expect(findings.first?.count == 1)
    }

    @Test func aMissingTableLeavesTheOthersChecked() throws {
        let store = try CheckedStore()
        try store.sql("DROP TABLE ZKEY", "UPDATE ZTAG SET Z_ENT = 1 WHERE Z_PK = 2")
        #expect(Set(try store.findings().map(\.rule)) == [.schema, .rowEntity])
    }

    @Test func theCauseOfDanglingKeysIsToldByTheHighestKey() throws {
        let store = try CheckedStore()
        try store.sql("DELETE FROM ZPERSON WHERE Z_PK = 2")
        let deleted = try store.findings().first { $0.property == "owner" }
        #expect(deleted?.rule == .danglingReference)
        #expect(deleted?.keys == [4, 5, 6])
        #expect(deleted?.cause == "The rows were deleted without Core Data, or are lost.")
        try store.sql("UPDATE ZITEM SET ZOWNER = 500 WHERE Z_PK = 5")
        let lost = try store.findings().first { $0.property == "owner" }
        #expect(lost?.cause?.hasPrefix("The file has never given out such keys") == true)
    }

    @Test func atMostTwentyKeysAreListedAndAllAreCounted() throws {
        let store = try CheckedStore { context in
            for number in 0..<500 { context.insert("Tag", ["word": "w\(number)"]) }
        }
        try store.sql(
            "UPDATE ZTAG SET ZWORD = NULL WHERE Z_PK > 100",
            "UPDATE ZTAG SET ZPLAIN = NULL, ZLOUD = NULL WHERE Z_PK > 100")
        let finding = try #require(try store.findings().first)
        #expect(finding.rule == .requiredValue)
        #expect(finding.keys == Array(101...120))
        #expect(finding.count == 400)
    }

    @Test func aVersionHashThatIsNotTheModelsIsFound() throws {
        let store = try CheckedStore()
        let other = try TemporaryFolder()
        let url = other.file("Other.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Versions.first())
        let added = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(added)
        try store.sql(
            "ATTACH '\(url.path)' AS o", "UPDATE main.Z_METADATA SET Z_PLIST = (SELECT Z_PLIST FROM o.Z_METADATA)",
            "DETACH o")
        let findings = try store.findings()
        #expect(Set(findings.map(\.rule)) == [.metadata])
        #expect(findings.contains { $0.entity == "Item" })
    }
}

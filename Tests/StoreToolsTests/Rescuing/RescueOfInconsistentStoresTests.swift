import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct RescueOfInconsistentStoresTests {
    @Test func danglingReferencesBecomeNil() throws {
        let sample = try RescueSample()
        try sample.shell("UPDATE ZBOOK SET ZAUTHOR = 7777 WHERE Z_PK IN (3, 9)")
        let report = try sample.rescue()
        let note = try #require(report.notes.first { $0.property == "author" })
        #expect(note.isLoss && note.entity == "Book" && note.keys == [3, 9] && note.count == 2)
        #expect(try sample.shell("SELECT COUNT(*) FROM ZBOOK WHERE ZAUTHOR IS NULL", on: sample.rescued) == "2\n")
        #expect(report.entities.first { $0.entity == "Book" }?.mended == 2)
        #expect(report.entities.first { $0.entity == "Author" }?.lost == 0)
        try sample.expectSound()
    }

    @Test func aDeletedObjectThatOthersReferToIsLost() throws {
        let sample = try RescueSample()
        try sample.shell("DELETE FROM ZAUTHOR WHERE Z_PK = 5")
        let report = try sample.rescue()
        let author = try #require(report.entities.first { $0.entity == "Author" })
        #expect(author.kept == 39 && author.lost == 1 && author.lostKeys == [5])
        try sample.expectSound()
    }

    @Test func pairsWithoutAnEndAreRemoved() throws {
        let sample = try RescueSample()
        let column = try sample.shell("SELECT name FROM pragma_table_info('Z_3TAGS') WHERE cid = 0").dropLast()
        try sample.shell("UPDATE Z_3TAGS SET \(column) = 9000 WHERE rowid = 4")
        let report = try sample.rescue()
        #expect(report.notes.map(\.count) == [1] && report.notes[0].isLoss)
        #expect(try sample.shell("SELECT COUNT(*) FROM Z_3TAGS", on: sample.rescued) == "799\n")
        try sample.expectSound()
    }

    @Test func positionsAreNumberedAgainInTheirOrder() throws {
        let sample = try RescueSample()
        let order = "SELECT Z_PK FROM ZBOOK WHERE ZSHELF = 2 ORDER BY Z_FOK_SHELF"
        let before = try sample.shell(order)
        try sample.shell(
            "UPDATE ZBOOK SET Z_FOK_SHELF = NULL WHERE Z_PK = (SELECT Z_PK FROM ZBOOK WHERE ZSHELF = 2 "
                + "ORDER BY Z_FOK_SHELF DESC LIMIT 1); "
                + "UPDATE ZBOOK SET Z_FOK_SHELF = 2048 WHERE ZSHELF = 3;")
        let report = try sample.rescue()
        #expect(try sample.shell(order, on: sample.rescued) == before)
        #expect(
            try sample.shell(
                "SELECT MIN(Z_FOK_SHELF), MAX(Z_FOK_SHELF) FROM ZBOOK WHERE ZSHELF = 3", on: sample.rescued)
                == "2048|\(2048 + 79 * 1024)\n")
        #expect(report.notes.map(\.count) == [2] && !report.notes[0].isLoss)
        try sample.expectSound()
    }

    @Test func valuesOfTheWrongTypeAreConvertedOrSetAside() throws {
        let sample = try RescueSample()
        try sample.shell(
            "UPDATE ZBOOK SET ZPAGES = 'many' WHERE Z_PK = 1; UPDATE ZBOOK SET ZPAGES = 12.0 WHERE Z_PK = 2; "
                + "UPDATE ZBOOK SET ZISBN = X'0102' WHERE Z_PK = 3; "
                + "UPDATE ZBOOK SET ZTITLE = CAST(X'41FF4243444546' AS TEXT) WHERE Z_PK = 4; "
                + "UPDATE ZAWARD SET ZYEAR = 100000 WHERE Z_PK = 5; UPDATE ZBOOK SET ZINPRINT = 5 WHERE Z_PK = 6; "
                + "UPDATE ZBOOK SET ZTITLE = CAST('bytes' AS BLOB) WHERE Z_PK = 7;")
        let report = try sample.rescue()
        #expect(
            try sample.shell(
                "SELECT ZPAGES IS NULL FROM ZBOOK WHERE Z_PK = 1; SELECT ZISBN IS NULL FROM ZBOOK WHERE Z_PK = 3; "
                    + "SELECT ZYEAR IS NULL FROM ZAWARD WHERE Z_PK = 5; SELECT ZINPRINT FROM ZBOOK WHERE Z_PK = 6; "
                    + "SELECT typeof(ZTITLE), ZTITLE FROM ZBOOK WHERE Z_PK = 7; "
                    + "SELECT hex(ZTITLE) FROM ZBOOK WHERE Z_PK = 4;", on: sample.rescued)
                == "1\n1\n1\n1\ntext|bytes\n41EFBFBD4243444546\n")
        let leftovers = try String(contentsOf: try #require(report.leftovers), encoding: .utf8)
        let lines = leftovers.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.contains { $0.contains("\"many\"") && $0.contains("\"key\":1") && $0.contains("Book") })
        #expect(lines.contains { $0.contains("100000") && $0.contains("Award") })
        try sample.expectSound()
    }

    @Test func entityNumbersAndVersionsAreMended() throws {
        let sample = try RescueSample()
        try sample.shell(
            "UPDATE ZBOOK SET Z_ENT = 99 WHERE Z_PK = 10; UPDATE ZBOOK SET Z_OPT = NULL WHERE Z_PK = 11; "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Book'; DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'"
        )
        let report = try sample.rescue()
        #expect(report.entities.first { $0.entity == "Book" }?.kept == 400)
        #expect(report.entities.first { $0.entity == "Tag" }?.kept == 12)
        #expect(
            try sample.shell(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Book', 'Tag') ORDER BY 1; "
                    + "SELECT COUNT(*) FROM ZBOOK WHERE Z_OPT >= 1 AND Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY "
                    + "WHERE Z_NAME = 'Book')", on: sample.rescued) == "12\n400\n400\n")
        try sample.expectSound()
    }

    @Test func missingTablesAndIndexesAreMade() throws {
        let sample = try RescueSample()
        try sample.shell("DROP TABLE ZAWARD; DROP INDEX ZBOOK_ZAUTHOR_INDEX;")
        let report = try sample.rescue()
        #expect(report.notes.contains { $0.message.contains("ZAWARD") })
        #expect(report.notes.contains { $0.message.contains("ZBOOK_ZAUTHOR_INDEX") })
        try sample.expectSound()
    }

    @Test func externalFilesAreCopiedAndOrphansAreNamed() throws {
        let model = LibraryModel.make()
        let cover = try #require(model.entitiesByName["Book"]?.attributesByName["cover"])
        cover.allowsExternalBinaryDataStorage = true
        let folder = try TemporaryFolder()
        let url = folder.file("Covers.sqlite")
        let library = try Library(model, type: NSSQLiteStoreType, at: url)
        let large = Data(repeating: 7, count: 300_000)
        try library.perform { context in
            for number in 0..<3 {
                context.insert("Book", ["title": "\(number)", "cover": large + Data([UInt8(number)])])
            }
            context.insert("Book", ["title": "small", "cover": Data([1, 2, 3])])
            try context.save()
        }
        for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
        let data = folder.file(".Covers_SUPPORT/_EXTERNAL_DATA")
        let names = try FileManager.default.contentsOfDirectory(atPath: data.path)
        try #require(names.count == 3)
        try FileManager.default.removeItem(at: data.appendingPathComponent(names[0]))
        let orphan = data.appendingPathComponent(UUID().uuidString)
        try large.write(to: orphan)
        let target = folder.file("Rescued.sqlite")
        let report = try StoreRescue(url).write(to: target)
        #expect(report.orphanedFiles.map(\.lastPathComponent) == [orphan.lastPathComponent])
        #expect(report.notes.map(\.isLoss) == [true])
        let copied = try FileManager.default.contentsOfDirectory(
            atPath: folder.file(".Rescued_SUPPORT/_EXTERNAL_DATA").path)
        #expect(Set(copied) == Set(names.dropFirst()))
        let second = try Library(model, type: NSSQLiteStoreType, at: target)
        try second.perform { context in
            let sizes = try context.fetchAll("Book").map { ($0.value(forKey: "cover") as? Data)?.count ?? 0 }
            #expect(sizes.sorted() == [0, 3, 300_001, 300_001])
        }
    }
}

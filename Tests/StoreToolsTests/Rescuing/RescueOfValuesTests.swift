import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreTools
import Testing

@Suite struct RescueOfValuesTests {
    // MARK: Derived attributes

    /// Two teams with three members each, and a count and a name that are derived.
    private func teams() throws -> MendingSample {
        let model = makeModel([
            ("Member", "name: string?; team -> Team.members 0..1?"),
            ("Team", "title: string?; members -> Member.team 0..0?"),
        ])
        model.entitiesByName["Team"]?.properties.append(Versions.derived("size", "members.@count"))
        let title = Versions.derived("teamTitle", "team.title")
        title.attributeType = .stringAttributeType
        model.entitiesByName["Member"]?.properties.append(title)
        return try MendingSample(model) { context in
            for number in 0..<2 {
                let team = context.insert("Team", ["title": "Team \(number)"])
                for name in ["a", "b", "c"] {
                    context.insert("Member", ["name": "\(name)\(number)"]).setValue(team, forKey: "team")
                }
            }
        }
    }

    @Test func derivedValuesAreComputedAgain() throws {
        let sample = try teams()
        try sample.damage(
            "UPDATE ZTEAM SET ZSIZE = 17 WHERE ZTITLE = 'Team 0'; UPDATE ZTEAM SET ZSIZE = NULL WHERE ZTITLE = 'Team 1'; "
                + "UPDATE ZMEMBER SET ZTEAMTITLE = 'wrong' WHERE ZNAME = 'b1'")
        let report = try sample.rescue()
        #expect(
            try sample.shell("SELECT ZTITLE, ZSIZE FROM ZTEAM ORDER BY 1", on: sample.rescued)
                == "Team 0|3\nTeam 1|3\n")
        #expect(
            try sample.shell("SELECT DISTINCT substr(ZNAME, 2), ZTEAMTITLE FROM ZMEMBER ORDER BY 1", on: sample.rescued)
                == "0|Team 0\n1|Team 1\n")
        #expect(report.notes.map(\.count).sorted() == [1, 2] && report.notes.allSatisfy { !$0.isLoss })
        try sample.expectSound()
    }

    @Test func derivedValuesFollowLostRows() throws {
        let sample = try teams()
        try sample.damage("DELETE FROM ZMEMBER WHERE ZNAME IN ('a0', 'b0'); DELETE FROM ZTEAM WHERE ZTITLE = 'Team 1'")
        let report = try sample.rescue()
        #expect(try sample.shell("SELECT ZTITLE, ZSIZE FROM ZTEAM", on: sample.rescued) == "Team 0|1\n")
        #expect(
            try sample.shell("SELECT ZNAME, ZTEAMTITLE FROM ZMEMBER ORDER BY 1", on: sample.rescued)
                == "a1|\nb1|\nc0|Team 0\nc1|\n")
        #expect(report.entities.first { $0.entity == "Team" }?.lost == 1)
        try sample.expectSound()
    }

    // MARK: History

    @Test func changesOfLostTransactionsAreDropped() throws {
        let options = [NSPersistentHistoryTrackingKey: true]
        let sample = try MendingSample(LibraryModel.make(), options: options) { context in
            context.transactionAuthor = "importer"
            for round in 0..<4 {
                for number in 0..<3 { context.insert("Tag", ["word": "\(round) \(number)"]) }
                try context.save()
            }
        }
        let transactions = try sample.shell("SELECT Z_PK FROM ATRANSACTION ORDER BY 1").split(separator: "\n")
        try #require(transactions.count == 4)
        let kept =
            "SELECT * FROM ACHANGE WHERE ZTRANSACTIONID <> \(transactions[1]) ORDER BY 1; "
            + "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK <> \(transactions[1]) ORDER BY 1;"
        let before = try sample.shell(kept)
        try sample.shell(
            "DELETE FROM ATRANSACTION WHERE Z_PK = \(transactions[1]); DELETE FROM ATRANSACTIONSTRING; "
                + "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16001; UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16002")
        let report = try sample.rescue()
        #expect(try sample.shell(kept, on: sample.rescued) == before)
        #expect(
            try sample.shell(
                "SELECT COUNT(*) FROM ACHANGE WHERE ZTRANSACTIONID = \(transactions[1]); "
                    + "SELECT COUNT(*) FROM ATRANSACTION WHERE ZAUTHORTS IS NOT NULL", on: sample.rescued) == "0\n0\n")
        let numbers = "SELECT p.Z_ENT, p.Z_NAME, p.Z_MAX >= (SELECT max(Z_PK) FROM "
        #expect(
            try sample.shell(
                "\(numbers) ACHANGE) FROM Z_PRIMARYKEY p WHERE Z_ENT = 16001; "
                    + "\(numbers) ATRANSACTION) FROM Z_PRIMARYKEY p WHERE Z_ENT = 16002; "
                    + "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = 16003", on: sample.rescued)
                == "16001|CHANGE|1\n16002|TRANSACTION|1\n16003|TRANSACTIONSTRING\n")
        let note = try #require(report.notes.first { $0.message.contains("lost transactions") })
        #expect(note.count == 3 && note.isLoss)
        #expect(report.notes.contains { $0.message.contains("author") && $0.isLoss })
        try sample.expectSound()
    }

    // MARK: Composites

    @Test func elementsOfCompositesAreMendedByTheirOwnRule() throws {
        let model = LibraryModel.make()
        let size = NSCompositeAttributeDescription()
        size.name = "size"
        size.elements = [
            LibraryModel.attribute("width", .integer16AttributeType),
            LibraryModel.attribute("unit", .stringAttributeType),
        ]
        model.entitiesByName["Tag"]?.properties.append(size)
        let sample = try MendingSample(model) { context in
            for number in 0..<3 {
                context.insert("Tag", ["word": "\(number)", "size": ["width": number, "unit": "cm"] as [String: Any]])
            }
        }
        try sample.shell(
            "UPDATE ZTAG SET ZWIDTH = 40000 WHERE ZWORD = '0'; UPDATE ZTAG SET ZUNIT = CAST('mm' AS BLOB) "
                + "WHERE ZWORD = '1';")
        let report = try sample.rescue()
        #expect(
            try sample.shell(
                "SELECT ZWORD, ZWIDTH, ZUNIT, typeof(ZUNIT) FROM ZTAG ORDER BY 1", on: sample.rescued)
                == "0||cm|text\n1|1|mm|text\n2|2|cm|text\n")
        #expect(Set(report.notes.map(\.property)) == ["size.width", "size.unit"])
        let lines = try String(contentsOf: try #require(report.leftovers), encoding: .utf8)
        #expect(lines.contains("\"size.width\":40000"))
        try sample.expectSound()
    }

    // MARK: Spatial indexes

    /// Places with coordinates, one without.
    private func places() throws -> MendingSample {
        let model = makeModel([("Place", "name: string?; latitude: double?; longitude: double?")])
        let place = try #require(model.entitiesByName["Place"])
        place.indexes = [
            NSFetchIndexDescription(
                name: "area",
                elements: try ["latitude", "longitude"].map {
                    NSFetchIndexElementDescription(
                        property: try #require(place.attributesByName[$0]), collationType: .rTree)
                })
        ]
        return try MendingSample(model) { context in
            for number in 0..<300 {
                context.insert(
                    "Place", ["name": "\(number)", "latitude": Double(number) / 4, "longitude": Double(number) / 2])
            }
            context.insert("Place", ["name": "nowhere"])
        }
    }

    private static let inside =
        "SELECT COUNT(*) FROM Z_RT_Place_area WHERE ZLATITUDE_MIN >= 10 AND ZLATITUDE_MAX <= 20 AND ZLONGITUDE_MAX <= 30; "
        + "SELECT COUNT(*) FROM Z_RT_Place_area;"
    /// Latitudes n / 4 from 10 to 20 with n / 2 up to 30: n from 40 to 60.
    private static let expected = "21\n300\n"

    @Test func aSpatialIndexIsFilledFromItsTable() throws {
        let sample = try places()
        try #require(try sample.shell(Self.inside) == Self.expected)
        let pages = try sample.zero("Z_RT_Place_area_node")
        try #require(!pages.isEmpty)
        let report = try sample.rescue()
        #expect(try sample.shell(Self.inside, on: sample.rescued) == Self.expected)
        #expect(report.leftovers == nil && report.notes.allSatisfy { !$0.isLoss }, "\(report.notes.map(\.message))")
        #expect(report.entities.first?.kept == 301)
        try sample.expectSound()
    }

    @Test func aMissingSpatialIndexIsMadeAgain() throws {
        let sample = try places()
        try sample.damage("DROP TABLE Z_RT_Place_area; UPDATE ZPLACE SET ZLATITUDE = 0 WHERE 0")
        for event in ["INSERT", "UPDATE", "DELETE"] { try sample.shell("DROP TRIGGER Z_RT_Place_area_\(event)") }
        let report = try sample.rescue()
        #expect(try sample.shell(Self.inside, on: sample.rescued) == Self.expected)
        #expect(report.notes.contains { $0.message.contains("Z_RT_Place_area") })
        #expect(
            try sample.shell("SELECT COUNT(*) FROM sqlite_schema WHERE type = 'trigger'", on: sample.rescued) == "3\n")
        try sample.expectSound()
    }

    // MARK: The model in the store

    @Test func aGivenModelWithPredicatesIsPutIntoTheStore() throws {
        let model = LibraryModel.make()
        let year = try #require(model.entitiesByName["Award"]?.attributesByName["year"])
        year.setValidationPredicates([NSPredicate(format: "SELF > 1900")], withValidationWarnings: ["old"])
        let sample = try MendingSample(model) { context in context.insert("Award", ["year": 1999]) }
        let cache = try RescueModels.cache(model)
        let given = try Model(cacheContent: try #require(cache))
        try sample.shell("DELETE FROM Z_MODELCACHE; VACUUM;")
        let report = try sample.rescue { $0.model = given }
        #expect(try sample.shell("SELECT COUNT(*) FROM Z_MODELCACHE", on: sample.rescued) == "1\n")
        #expect(!report.notes.contains { $0.message.contains("archived") })
        try sample.expectSound()
    }
}

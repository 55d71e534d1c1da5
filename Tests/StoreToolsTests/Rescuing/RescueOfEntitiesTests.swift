import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct RescueOfEntitiesTests {
    /// Cars, trucks and trailers with owners; `Vehicle` is abstract.
    private func vehicles() throws -> MendingSample {
        let model = makeModel([
            ("Owner", "name: string?; vehicle -> Vehicle.owner 0..1?"),
            ("Vehicle abstract", "wheels: i16?; owner -> Owner.vehicle 0..1?"),
            ("Car : Vehicle", "doors: i16?"), ("Truck : Vehicle", "load: double?"),
            ("Trailer : Vehicle", "axles: i16?"),
        ])
        return try MendingSample(model) { context in
            for number in 0..<9 {
                let vehicle =
                    switch number % 3 {
                    case 0: context.insert("Car", ["doors": 4, "wheels": 4])
                    case 1: context.insert("Truck", ["load": 7.5, "wheels": 6])
                    default: context.insert("Trailer", ["axles": 2, "wheels": 2])
                    }
                context.insert("Owner", ["name": "\(number)"]).setValue(vehicle, forKey: "vehicle")
            }
        }
    }

    private static let kinds =
        "SELECT v.Z_PK, v.Z_ENT, v.ZDOORS, v.ZLOAD, v.ZAXLES, o.Z5_VEHICLE FROM ZVEHICLE v "
        + "LEFT JOIN ZOWNER o ON o.ZVEHICLE = v.Z_PK ORDER BY 1"

    private func kinds(_ sample: MendingSample) throws -> String {
        let column = try sample.shell("SELECT name FROM pragma_table_info('ZOWNER') WHERE name LIKE 'Z%_VEHICLE'")
        return Self.kinds.replacingOccurrences(of: "Z5_VEHICLE", with: column.dropLast())
    }

    @Test func damagedEntityNumbersFollowFromTheColumnsInUse() throws {
        let sample = try vehicles()
        let query = try kinds(sample)
        let before = try sample.shell(query)
        let car = try sample.shell("SELECT min(Z_PK) FROM ZVEHICLE WHERE ZDOORS = 4").dropLast()
        let truck = try sample.shell("SELECT min(Z_PK) FROM ZVEHICLE WHERE ZLOAD = 7.5").dropLast()
        let vehicle = try sample.shell("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Vehicle'").dropLast()
        try sample.shell(
            "UPDATE ZVEHICLE SET Z_ENT = NULL WHERE Z_PK = \(car); "
                + "UPDATE ZVEHICLE SET Z_ENT = \(vehicle) WHERE Z_PK = \(truck);")
        let report = try sample.rescue()
        #expect(try sample.shell(query, on: sample.rescued) == before)
        #expect(report.entities.first { $0.entity == "Car" }?.mended == 1)
        #expect(report.entities.first { $0.entity == "Truck" }?.mended == 1)
        #expect(report.entities.allSatisfy { $0.lost == 0 })
        try sample.expectSound()
    }

    @Test func entityNumbersOfReferencesAreCorrected() throws {
        let sample = try vehicles()
        let query = try kinds(sample)
        let before = try sample.shell(query)
        let column = try sample.shell("SELECT name FROM pragma_table_info('ZOWNER') WHERE name LIKE 'Z%_VEHICLE'")
            .dropLast()
        try sample.shell(
            "UPDATE ZOWNER SET \(column) = 1 WHERE Z_PK = 2; UPDATE ZOWNER SET \(column) = NULL WHERE Z_PK = 5;")
        let report = try sample.rescue()
        #expect(try sample.shell(query, on: sample.rescued) == before)
        #expect(report.notes.map(\.count) == [2] && report.notes[0].keys == [2, 5] && !report.notes[0].isLoss)
        try sample.expectSound()
    }

    @Test func rowsOfSeveralPossibleEntitiesAndWithoutKeysAreLostByName() throws {
        let sample = try vehicles()
        let key = try sample.shell("SELECT min(Z_PK) FROM ZVEHICLE WHERE ZDOORS = 4").dropLast()
        try sample.shell(
            "UPDATE ZVEHICLE SET Z_ENT = 77, ZDOORS = NULL WHERE Z_PK = \(key); "
                + "INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (-3, 1, 1, 'nobody'), (0, 1, 1, 'zero')")
        let report = try sample.rescue()
        // The number is unknown, and wheels are common to all: the root entity is all that is known.
        let lost = try #require(Int64(key))
        #expect(report.entities.first { $0.entity == "Vehicle" }?.lostKeys == [lost])
        #expect(report.entities.first { $0.entity == "Owner" }?.lostKeys == [-3, 0])
        let lines = try String(contentsOf: try #require(report.leftovers), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.contains { $0.contains("\"nobody\"") && $0.contains("\"key\":-3") })
        #expect(lines.contains { $0.contains("\"wheels\":4") && $0.contains("\"table\":\"ZVEHICLE\"") })
        try sample.expectSound()
    }

    // MARK: Uniqueness

    private func codes(_ constraints: String) throws -> MendingSample {
        let model = makeModel([
            (
                "Item unique=(\(constraints))",
                "code: string?; name: string?; parts -> Part.item 0..0?; tags -> Tag.items 0..0?"
            ),
            ("Part", "size: i32?; item -> Item.parts 0..1?"), ("Tag", "word: string?; items -> Item.tags 0..0?"),
        ])
        return try MendingSample(model) { context in
            let tag = context.insert("Tag", ["word": "all"])
            for number in 1...5 {
                let item = context.insert("Item", ["code": "c\(number)", "name": "n\(number)"])
                item.mutableSetValue(forKey: "tags").add(tag)
                for size in 0..<2 {
                    context.insert("Part", ["size": number * 10 + size]).setValue(item, forKey: "item")
                }
            }
        }
    }

    @Test func theLatestRowWithUniqueValuesIsKeptAndTakesTheOthersRelationships() throws {
        let sample = try codes("code")
        let index = try sample.shell("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE UNIQUE INDEX%'").dropLast()
        func key(_ name: String) throws -> Int64 {
            try #require(Int64(try sample.shell("SELECT Z_PK FROM ZITEM WHERE ZNAME = '\(name)'").dropLast()))
        }
        let (one, two, three) = (try key("n1"), try key("n2"), try key("n3"))
        // Without its index, the column got the same value three times; n2 was changed last.
        try sample.shell(
            "DROP INDEX \"\(index)\"; UPDATE ZITEM SET ZCODE = 'same' WHERE ZNAME IN ('n1', 'n2', 'n3'); "
                + "UPDATE ZITEM SET Z_OPT = 4 WHERE ZNAME = 'n2';")
        let report = try sample.rescue()
        #expect(try sample.shell("SELECT ZNAME FROM ZITEM ORDER BY 1", on: sample.rescued) == "n2\nn4\nn5\n")
        let item = try #require(report.entities.first { $0.entity == "Item" })
        #expect(item.kept == 3 && item.lostKeys == [one, three].sorted())
        // The parts of the removed items are those of the one that was kept, and so are their tags, once.
        #expect(
            try sample.shell("SELECT COUNT(*) FROM ZPART WHERE ZITEM = \(two)", on: sample.rescued) == "6\n")
        #expect(
            try sample.shell("SELECT COUNT(*) FROM ZPART WHERE ZITEM IS NULL", on: sample.rescued) == "0\n")
        #expect(try sample.shell("SELECT COUNT(*) FROM Z_1TAGS", on: sample.rescued) == "3\n")
        let lines = try String(contentsOf: try #require(report.leftovers), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("\"same\"") && $0.contains("p\(two)") })
        #expect(
            try sample.shell("SELECT COUNT(*) FROM sqlite_schema WHERE name = '\(index)'", on: sample.rescued) == "1\n")
        try sample.expectSound()
    }

    @Test func rowsWithPartOfTheUniqueValuesAreNoDuplicates() throws {
        let sample = try codes("code,name")
        let index = try sample.shell("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE UNIQUE INDEX%'").dropLast()
        try sample.shell(
            "DROP INDEX \"\(index)\"; UPDATE ZITEM SET ZCODE = 'same'; UPDATE ZITEM SET ZNAME = NULL "
                + "WHERE ZNAME IN ('n1', 'n2')")
        let report = try sample.rescue()
        #expect(report.entities.first { $0.entity == "Item" }?.kept == 5)
        try sample.expectSound()
    }

    @Test func uniqueColumnsOfOldTablesStayUnique() throws {
        let sample = try codes("code")
        let index = try sample.shell("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE UNIQUE INDEX%'").dropLast()
        let sql = try sample.shell("SELECT sql FROM sqlite_schema WHERE name = 'ZITEM'").dropLast()
            .replacingOccurrences(of: "ZCODE VARCHAR", with: "ZCODE VARCHAR UNIQUE")
        try #require(sql.contains("UNIQUE"))
        // The form of frameworks 637 to 851.
        try sample.shell(
            "DROP INDEX \"\(index)\"; CREATE TABLE Other AS SELECT * FROM ZITEM; DROP TABLE ZITEM; \(sql); "
                + "INSERT INTO ZITEM SELECT * FROM Other; DROP TABLE Other; VACUUM;")
        let before = try sample.shell("SELECT * FROM ZITEM ORDER BY 1")
        _ = try sample.rescue()
        #expect(try sample.shell("SELECT * FROM ZITEM ORDER BY 1", on: sample.rescued) == before)
        #expect(
            try sample.shell("SELECT sql LIKE '%UNIQUE%' FROM sqlite_schema WHERE name = 'ZITEM'", on: sample.rescued)
                == "1\n")
        #expect(throws: RescueShellError.self) {
            try sample.shell("UPDATE ZITEM SET ZCODE = 'c2'", on: sample.rescued)
        }
        try sample.expectSound()
    }
}

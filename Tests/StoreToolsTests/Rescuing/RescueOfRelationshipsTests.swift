import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Testing

@Suite struct RescueOfRelationshipsTests {
    /// Four people, each with a card.
    private func cards() throws -> MendingSample {
        let model = makeModel([
            ("Card", "number: i32?; owner -> Person.card 0..1?"), ("Person", "name: string?; card -> Card.owner 0..1?"),
        ])
        return try MendingSample(model) { context in
            for number in 1...4 {
                let card = context.insert("Card", ["number": number])
                context.insert("Person", ["name": "\(number)"]).setValue(card, forKey: "card")
            }
        }
    }

    /// The names of people and the numbers of their cards, from both sides.
    private static let sides =
        "SELECT p.ZNAME, c.ZNUMBER FROM ZPERSON p LEFT JOIN ZCARD c ON c.Z_PK = p.ZCARD ORDER BY 1; "
        + "SELECT p.ZNAME, c.ZNUMBER FROM ZCARD c LEFT JOIN ZPERSON p ON p.Z_PK = c.ZOWNER ORDER BY 2;"

    @Test func theMissingSideOfAOneToOneRelationshipIsSet() throws {
        let sample = try cards()
        let before = try sample.shell(Self.sides)
        try sample.shell("UPDATE ZCARD SET ZOWNER = NULL WHERE ZNUMBER = 1")
        let report = try sample.rescue()
        #expect(try sample.shell(Self.sides, on: sample.rescued) == before)
        #expect(report.notes.map(\.count) == [1] && report.notes.map(\.isLoss) == [false])
        try sample.expectSound()
    }

    @Test func aOneToOneRelationshipToAnObjectThatAgreesWithAnotherIsRefuted() throws {
        let sample = try cards()
        let before = try sample.shell(Self.sides)
        // Person 3 claims card 2, which belongs to person 2. Card 3 still says that it is person 3's.
        try sample.shell(
            "UPDATE ZPERSON SET ZCARD = (SELECT Z_PK FROM ZCARD WHERE ZNUMBER = 2) WHERE ZNAME = '3'")
        let report = try sample.rescue()
        #expect(try sample.shell(Self.sides, on: sample.rescued) == before)
        #expect(report.notes.contains { $0.isLoss && $0.entity == "Person" && $0.property == "card" })
        try sample.expectSound()
    }

    @Test func theLaterOfTwoContradictingSidesDecides() throws {
        let sample = try cards()
        // Person 1 changed last and says card 2; person 2 has no card any more; card 2 still says person 2.
        try sample.shell(
            "UPDATE ZPERSON SET ZCARD = NULL WHERE ZNAME = '2'; UPDATE ZCARD SET ZOWNER = NULL WHERE ZNUMBER = 1; "
                + "UPDATE ZPERSON SET Z_OPT = 9, ZCARD = (SELECT Z_PK FROM ZCARD WHERE ZNUMBER = 2) WHERE ZNAME = '1'")
        _ = try sample.rescue()
        #expect(
            try sample.shell(
                "SELECT p.ZNAME, c.ZNUMBER FROM ZPERSON p JOIN ZCARD c ON c.Z_PK = p.ZCARD AND c.ZOWNER = p.Z_PK "
                    + "ORDER BY 1", on: sample.rescued) == "1|2\n3|3\n4|4\n")
        try sample.expectSound()
    }

    /// Ten people, each a friend of the next three.
    private func friends(count: Int = 10) throws -> MendingSample {
        let model = makeModel([("Person", "name: string?; friends -> Person.friends 0..0?")])
        return try MendingSample(model) { context in
            let people = (0..<count).map { context.insert("Person", ["name": "\($0)"]) }
            for (number, person) in people.enumerated() {
                let others = (1...3).map { people[(number + $0) % count] }
                person.mutableSetValue(forKey: "friends").addObjects(from: others)
            }
        }
    }

    private static let pairs = "SELECT * FROM Z_1FRIENDS ORDER BY 1, 2"

    @Test func theOtherDirectionOfAReflexivePairIsAdded() throws {
        let sample = try friends()
        let before = try sample.shell(Self.pairs)
        try sample.shell("DELETE FROM Z_1FRIENDS WHERE rowid % 4 = 1 AND REFLEXIVE > Z_1FRIENDS")
        try #require(try sample.shell(Self.pairs) != before)
        let report = try sample.rescue()
        #expect(try sample.shell(Self.pairs, on: sample.rescued) == before)
        #expect(report.notes.count == 1 && report.notes.allSatisfy { !$0.isLoss })
        try sample.expectSound()
    }

    @Test func lostPagesOfAReflexiveRelationshipAreFilledFromItsOtherDirection() throws {
        let sample = try friends(count: 300)
        let before = try sample.shell(Self.pairs)
        // The pairs are in both indexes, too: these are damaged as well.
        for name in ["Z_1FRIENDS", "sqlite_autoindex_Z_1FRIENDS_1", "Z_1FRIENDS_REFLEXIVE_INDEX"] {
            let pages = try sample.zero(name) { $0 == 0 }
            try #require(!pages.isEmpty)
        }
        _ = try sample.rescue()
        let after = Set(try sample.shell(Self.pairs, on: sample.rescued).split(separator: "\n"))
        #expect(after.isSubset(of: Set(before.split(separator: "\n"))))
        #expect(after.count > 1000)
        #expect(
            try sample.shell(
                "SELECT COUNT(*) FROM Z_1FRIENDS a WHERE NOT EXISTS (SELECT 1 FROM Z_1FRIENDS b "
                    + "WHERE b.REFLEXIVE = a.Z_1FRIENDS AND b.Z_1FRIENDS = a.REFLEXIVE)", on: sample.rescued) == "0\n")
        try sample.expectSound()
    }

    /// Three lists of the same twelve songs, in different orders.
    private func lists() throws -> MendingSample {
        let model = makeModel([
            ("List", "title: string?; songs -> Song.lists 0..0? ordered"),
            ("Song", "name: string?; lists -> List.songs 0..0?"),
        ])
        return try MendingSample(model) { context in
            let songs = (0..<12).map { context.insert("Song", ["name": "\($0)"]) }
            for number in 0..<3 {
                let list = context.insert("List", ["title": "\(number)"])
                for place in 0..<12 {
                    list.mutableOrderedSetValue(forKey: "songs").add(songs[(place * 5 + number) % 12])
                }
            }
        }
    }

    @Test func positionsOfAnOrderedJoinTableAreNumberedAgain() throws {
        let sample = try lists()
        let columns = try sample.shell("SELECT name FROM pragma_table_info('Z_1SONGS')").split(separator: "\n")
        let owner = try #require(columns.first { $0 == "Z_1LISTS" })
        let order = try #require(columns.first { $0.hasPrefix("Z_FOK_") })
        let listing =
            "SELECT \(owner), group_concat(Z_2SONGS) FROM (SELECT * FROM Z_1SONGS ORDER BY \(owner), "
            + "\(order)) GROUP BY 1 ORDER BY 1"
        let before = try sample.shell(listing)
        // The last position of each list is missing.
        try sample.shell(
            "UPDATE Z_1SONGS SET \(order) = NULL WHERE rowid IN (SELECT row FROM (SELECT rowid AS row, max(\(order)) "
                + "FROM Z_1SONGS GROUP BY \(owner)))")
        let report = try sample.rescue()
        #expect(try sample.shell(listing, on: sample.rescued) == before)
        #expect(report.notes.map(\.count) == [3] && report.notes[0].entity == "List", "\(report.notes)")
        #expect(
            try sample.shell("SELECT MIN(\(order)), MAX(\(order)) FROM Z_1SONGS", on: sample.rescued)
                == "2048|\(2048 + 11 * 1024)\n")
        try sample.expectSound()
    }

    @Test func pairsThatOnlyAnIndexHasAreKeptWithoutTheirPositions() throws {
        let sample = try lists()
        let pairs = "SELECT Z_1LISTS, Z_2SONGS FROM Z_1SONGS ORDER BY 1, 2"
        let before = try sample.shell(pairs)
        _ = try sample.zero("Z_1SONGS")
        let report = try sample.rescue()
        #expect(try sample.shell(pairs, on: sample.rescued) == before)
        #expect(report.notes.contains { $0.isLoss && $0.property == "songs" && $0.count == 36 })
        try sample.expectSound()
    }

    @Test func requiredRelationshipsToLostObjectsAreNamed() throws {
        let model = makeModel([
            ("Line", "text: string?; page -> Page.lines 1..1"), ("Page", "number: i32?; lines -> Line.page 0..0?"),
        ])
        let sample = try MendingSample(model) { context in
            for number in 0..<3 {
                let page = context.insert("Page", ["number": number])
                for line in 0..<2 { context.insert("Line", ["text": "\(line)"]).setValue(page, forKey: "page") }
            }
        }
        try sample.shell("DELETE FROM ZPAGE WHERE Z_PK = 2")
        let lines = try sample.shell("SELECT Z_PK FROM ZLINE WHERE ZPAGE = 2 ORDER BY 1").split(separator: "\n")
        let report = try sample.rescue()
        let note = try #require(report.notes.first { $0.property == "page" })
        #expect(note.isLoss && note.keys == lines.compactMap { Int64($0) } && note.message.contains("required"))
        #expect(report.entities.first { $0.entity == "Page" }?.lostKeys == [2])
        let findings = try StoreCheck(sample.rescued).run().findings
        #expect(findings.allSatisfy { $0.rule == .requiredValue })
    }
}

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Numbers in a file that Core Data does not write are refused with table, column and key, and lead to no other object.
@Suite
struct NumberRangeTests {
    private let store: FormatStore

    init() throws {
        let team = FormatStore.entity("Team"), player = FormatStore.entity("Player"), tag = FormatStore.entity("Tag")
        LibraryModel.relate(team, "players", many: true, player, "team", many: false, ordered: true)
        LibraryModel.relate(player, "tags", many: true, tag, "players", many: true)
        store = try FormatStore([team, player, tag], options: [NSPersistentHistoryTrackingKey: true])
        let red = store.context.insert("Team", ["name": "red"])
        for name in ["ann", "ben"] {
            let object = store.context.insert("Player", ["name": name, "team": red])
            object.mutableSetValue(forKey: "tags").add(store.context.insert("Tag", ["name": "tag of \(name)"]))
        }
        try store.context.save()
        store.context.reset()
    }

    private func expectDamaged(_ table: String, _ column: String, _ body: () throws -> Void) throws {
        let error = #expect(throws: NSError.self, performing: body)
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == CocoaError.fileReadCorruptFile.rawValue)
        #expect(error?.userInfo["table"] as? String == table, "\(String(describing: error))")
        #expect(error?.userInfo["column"] as? String == column, "\(String(describing: error))")
    }

    private static let keys: [Int64] = [-1, .min, 1 << 48, 1 << 48 + 1, 3 << 48 + 1, .max]

    /// Above 48 bits a key would reach into the bits that tell the entity.
    @Test(arguments: keys)
    func foreignKeys(_ key: Int64) throws {
        try store.run("UPDATE ZPLAYER SET ZTEAM = \(key) WHERE ZNAME = 'ann'")
        try store.reopen()
        try expectDamaged("ZPLAYER", "ZTEAM") { _ = try store.context.fetchAll("Player") }
        // The other rows can be read.
        let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
        request.predicate = NSPredicate(format: "name == 'ben'")
        #expect(try store.context.fetch(request).first?.value(forKeyPath: "team.name") as? String == "red")
    }

    @Test(arguments: keys)
    func primaryKeys(_ key: Int64) throws {
        try store.run("UPDATE ZTEAM SET Z_PK = \(key)")
        try store.reopen()
        try expectDamaged("ZTEAM", "Z_PK") { _ = try store.context.fetchAll("Team") }
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Team")
        ids.resultType = .managedObjectIDResultType
        try expectDamaged("ZTEAM", "Z_PK") { _ = try store.context.fetch(ids) }
    }

    @Test(arguments: [-1, 1 << 31, 1 << 32 - 1, 1 << 32, .max] as [Int64])
    func versions(_ version: Int64) throws {
        try store.run("UPDATE ZTEAM SET Z_OPT = \(version)")
        try store.reopen()
        try expectDamaged("ZTEAM", "Z_OPT") { _ = try store.context.fetchAll("Team") }
        try store.run("UPDATE ZTEAM SET Z_OPT = \(Int32.max)")
        try store.reopen()
        let team = try #require(try store.named("Team")["red"])
        team.setValue("blue", forKey: "name")
        try store.context.save()
        team.setValue("green", forKey: "name")
        try store.context.save()
    }

    @Test(arguments: [-1, 1 << 48, 1 << 62 + 1, .max, .min] as [Int64])
    func counters(_ counter: Int64) throws {
        try store.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter) WHERE Z_NAME = 'Team'")
        try store.reopen()
        store.context.insert("Team", ["name": "new"])
        if counter < 0 {
            // The keys in use tell where to go on.
            try store.context.save()
        } else {
            try expectDamaged("Z_PRIMARYKEY", "Z_MAX") { try store.context.save() }
        }
        #expect(try store.sql("SELECT COUNT(*) FROM ZTEAM") == [counter < 0 ? "2" : "1"])
    }

    /// The last keys there are can be used; then saves fail.
    @Test func lastKeys() throws {
        try store.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(1 << 48 - 2 as Int64) WHERE Z_NAME = 'Team'")
        try store.reopen()
        let last = store.context.insert("Team", ["name": "last"])
        try store.context.save()
        #expect(last.objectID.uriRepresentation().lastPathComponent == "p\(1 << 48 - 1 as Int64)")
        store.context.insert("Team", ["name": "one more"])
        try expectDamaged("Z_PRIMARYKEY", "Z_MAX") { try store.context.save() }
    }

    /// Positions in an ordered relationship that leave no room are given anew with the next change of the order.
    @Test(arguments: [.max, .min, 1 << 62, -5] as [Int64])
    func positions(_ position: Int64) throws {
        try store.run("UPDATE ZPLAYER SET Z_FOK_TEAM = \(position)")
        try store.reopen()
        let team = try #require(try store.named("Team")["red"])
        let players = team.mutableOrderedSetValue(forKey: "players")
        #expect(players.count == 2)
        players.insert(store.context.insert("Player", ["name": "cid"]), at: 1)
        try store.context.save()
        let order = FormatStore.names(team, "players")
        try store.reopen()
        #expect(FormatStore.names(try store.named("Team")["red"], "players") == order)
        store.context.insert("Player", ["name": "dan", "team": try #require(try store.named("Team")["red"])])
        try store.context.save()
        #expect(try store.problems() == [])
    }

    @Test(arguments: keys)
    func joins(_ key: Int64) throws {
        let table = try #require(
            try store.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\__%TAGS' ESCAPE '\\'")
                .first)
        let column = try #require(
            try store.sql("SELECT name FROM pragma_table_info('\(table)') WHERE name LIKE '%TAGS%'").first)
        try store.run("UPDATE \(table) SET \(column) = \(key) WHERE rowid = (SELECT MIN(rowid) FROM \(table))")
        try store.reopen()
        for player in try store.context.fetchAll("Player") {
            let tags =
                player.value(forKey: "tags") as? NSSet
                ?? NSSet(set: player.value(forKey: "tags") as? Set<NSManagedObject> ?? [])
            #expect(tags.count <= 1)
        }
    }

    @Test(arguments: keys + [1 << 62])
    func history(_ key: Int64) throws {
        try store.run("UPDATE ACHANGE SET ZENTITYPK = \(key)")
        try store.reopen(options: [NSPersistentHistoryTrackingKey: true])
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        try expectDamaged("ACHANGE", "ZENTITYPK") { _ = try store.context.execute(request) }
        try store.run("UPDATE ACHANGE SET ZENTITYPK = 1, ZENTITY = \(key), ZCHANGETYPE = \(key)")
        _ = try store.context.execute(request)
    }

    /// An ID made from text cannot lead to an object of another entity.
    @Test func uris() throws {
        let id = try #require(try store.named("Team")["red"]).objectID
        let text = id.uriRepresentation().absoluteString.dropLast()
        for key in ["281474976710657", "844424930131969", "9223372036854775807", "99999999999999999999", "0", "-1"] {
            let url = try #require(URL(string: text + key))
            guard let found = store.coordinator.managedObjectID(forURIRepresentation: url) else { continue }
            #expect(throws: (any Error).self) { _ = try store.context.existingObject(with: found) }
            let player = try #require(try store.named("Player")["ann"])
            player.setValue(store.context.object(with: found), forKey: "team")
            #expect((player.value(forKey: "team") as? NSManagedObject)?.entity.name == "Team")
            store.context.reset()
        }
    }

    /// Rows that an SQL tool has filled in may have no version.
    @Test func rowsWithoutVersionAreChangedAndDeleted() throws {
        for name in ["a", "b", "c", "d"] { store.context.insert("Team", ["name": name]) }
        try store.context.save()
        try store.run("UPDATE ZTEAM SET Z_OPT = NULL")
        store.context.reset()
        let teams = try store.named("Team")
        try #require(teams["a"]).setValue("changed", forKey: "name")
        store.context.delete(try #require(teams["b"]))
        try store.context.save()
        #expect(
            try store.sql("SELECT ZNAME, Z_OPT FROM ZTEAM WHERE ZNAME <> 'red' ORDER BY 1") == [
                "c|NULL", "changed|1", "d|NULL",
            ])
        let update = NSBatchUpdateRequest(entityName: "Team")
        update.predicate = NSPredicate(format: "name == 'c'")
        update.propertiesToUpdate = ["name": "e"]
        _ = try store.context.execute(update)
        #expect(
            try store.sql("SELECT ZNAME, Z_OPT FROM ZTEAM WHERE ZNAME <> 'red' ORDER BY 1") == [
                "changed|1", "d|NULL", "e|1",
            ])
        // Changed elsewhere since, it is a conflict as any other.
        try #require(teams["d"]).setValue("mine", forKey: "name")
        try store.run("UPDATE ZTEAM SET Z_OPT = 1 WHERE ZNAME = 'd'")
        let error = #expect(throws: NSError.self) { try store.context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
    }
}

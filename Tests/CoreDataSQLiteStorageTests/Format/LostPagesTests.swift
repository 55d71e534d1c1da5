import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A file loses pages while it is open: they are overwritten with zeros, or the file is cut. What is read then is right, or
/// there is an error; an object that cannot be read is never written back as one without values.
@Suite("Pages lost while a store is open")
struct LostPagesTests {
    private static let count = 600

    private let store: FormatStore

    init() throws {
        let team = FormatStore.entity("Team")
        let player = FormatStore.entity("Player", [LibraryModel.attribute("number", .integer64AttributeType)])
        LibraryModel.relate(team, "players", many: true, player, "team", many: false, rule: .cascadeDeleteRule)
        store = try FormatStore([team, player])
        for number in 0..<6 { store.context.insert("Team", ["name": "team \(number)"]) }
        let teams = try store.named("Team")
        for number in 0..<Self.count {
            store.context.insert(
                "Player", ["name": Self.name(number), "number": number, "team": teams["team \(number % 6)"] as Any])
        }
        try store.context.save()
        try store.run("PRAGMA wal_checkpoint(TRUNCATE)")
        // A small cache, so that pages are read again.
        try store.reopen(options: [NSSQLitePragmasOption: ["cache_size": "3"]])
    }

    private static func name(_ number: Int) -> String { "player \(number) " + String(repeating: "x", count: 150) }

    enum Loss: CaseIterable { case players, leaves, all, half, onePage, header, part }

    private var pages: Int {
        let size = try? FileManager.default.attributesOfItem(atPath: store.url.path)[.size] as? NSNumber
        return (size?.intValue ?? 0) / 4096
    }

    /// Damages the file through a descriptor of a process that knows nothing of the store.
    private func lose(_ loss: Loss) throws {
        let file = try FileHandle(forUpdating: store.url)
        defer { try? file.close() }
        let whole = pages
        func zero(_ pages: some Sequence<Int>) throws {
            for page in pages {
                try file.seek(toOffset: UInt64(page * 4096))
                try file.write(contentsOf: Data(count: 4096))
            }
        }
        switch loss {
        case .players:
            let root = try #require(Int(try store.sql("SELECT rootpage FROM sqlite_master WHERE name = 'ZPLAYER'")[0]))
            try zero([root - 1])
        case .leaves: try zero(stride(from: whole / 2, to: whole, by: 3))
        case .all: try zero(0..<whole)
        case .half: try file.truncate(atOffset: UInt64(whole / 2 * 4096))
        case .onePage: try file.truncate(atOffset: 4096)
        case .header: try file.truncate(atOffset: 99)
        case .part: try file.truncate(atOffset: UInt64(whole * 4096 - 1000))
        }
    }

    /// The value, or an error of a file that cannot be read.
    private func attempt<T>(_ body: () throws -> T) -> T? {
        do {
            return try body()
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain, "\(error)")
            return nil
        }
    }

    private func expectRight(_ player: NSManagedObject) {
        let number = player.value(forKey: "number") as? Int
        #expect(number.map(Self.name) == player.value(forKey: "name") as? String && number != nil)
    }

    @Test("Fetches give every object with its values, or an error", arguments: Loss.allCases)
    func fetches(_ loss: Loss) throws {
        let held = try store.context.fetchAll("Player").prefix(5)
        for player in held { expectRight(player) }
        try lose(loss)
        for player in held { expectRight(player) }
        var failures = 0
        for _ in 0..<2 {
            store.context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
            request.returnsObjectsAsFaults = false
            if let players = attempt({ try store.context.fetch(request) }) {
                #expect(players.count == Self.count)
                for player in players { expectRight(player) }
            } else {
                failures += 1
            }
            request.predicate = NSPredicate(format: "number >= 300 AND team.name == 'team 2'")
            if let players = attempt({ try store.context.fetch(request) }) {
                #expect(players.count == 50)
            } else {
                failures += 1
            }
            if let count = attempt({
                try store.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Player"))
            }) {
                #expect(count == Self.count)
            }
        }
        #expect(failures > 0)
    }

    /// What a save reports as done is found by whoever opens the file, unless that is refused.
    @Test("Saves are in the file, or errors", arguments: Loss.allCases)
    func saves(_ loss: Loss) throws {
        let players = try store.context.fetchAll("Player")
        try lose(loss)
        for player in players.prefix(3) { player.setValue("renamed", forKey: "name") }
        store.context.insert("Player", ["name": Self.name(-1), "number": -1])
        let isSaved = attempt { try store.context.save() } != nil
        if loss == .header || loss == .all { #expect(!isSaved) }
        #expect(store.context.hasChanges == !isSaved)
        if isSaved {
            let second = attempt { try FormatStore.second(on: store) }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
            request.predicate = NSPredicate(format: "number == -1 OR name == 'renamed'")
            if let second, let found = attempt({ try second.fetch(request) }) { #expect(found.count == 4) }
        }
    }

    /// A fault whose row cannot be read any more: a change of one attribute does not clear the others.
    @Test("Faults that cannot be read are not saved as empty", arguments: [Loss.players, .leaves, .half, .onePage])
    func faults(_ loss: Loss) throws {
        let whole = try Data(contentsOf: store.url)
        let ids = try store.context.fetchAll("Player").map(\.objectID)
        try store.reopen(options: [NSSQLitePragmasOption: ["cache_size": "3"]])
        let objects = ids.compactMap { id in
            store.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()).map(store.context.object)
        }
        #expect(objects.count == Self.count)
        try lose(loss)
        var changed: Set<Int> = []
        for object in objects.suffix(20) {
            // Reads as nil where the row cannot be read, as a deleted object does.
            if let number = object.value(forKey: "number") as? Int { changed.insert(number) }
            object.setValue("changed", forKey: "name")
        }
        _ = attempt { try store.context.save() }
        store.close()
        // The pages that were lost come back; the log has what was saved.
        let file = try FileHandle(forUpdating: store.url)
        try file.write(contentsOf: whole)
        try file.close()
        try store.reopen()
        for player in try store.context.fetchAll("Player") { #expect(player.value(forKey: "number") is Int) }
    }

    /// Members that cannot be read are no reason to leave them behind.
    @Test("Deletions whose cascade cannot be read are errors", arguments: [Loss.players, .onePage])
    func cascades(_ loss: Loss) throws {
        let whole = try Data(contentsOf: store.url)
        let teams = try store.context.fetchAll("Team")
        for team in teams { _ = team.value(forKey: "name") }
        try lose(loss)
        let team = try #require(teams.first)
        store.context.delete(team)
        let isSaved = attempt { try store.context.save() } != nil
        store.close()
        let file = try FileHandle(forUpdating: store.url)
        try file.write(contentsOf: whole)
        try file.close()
        try store.reopen()
        #expect(try store.context.fetchAll("Player").count == (isSaved ? Self.count - 100 : Self.count))
        #expect(try store.problems() == [])
    }
}

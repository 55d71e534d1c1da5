import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// What lies several relationships away: the remedy names the key path from the fetch that began it.
@Suite("Alarm for what lies several steps away")
struct AlarmWayTests {
    private let library: Library
    private let context: NSManagedObjectContext

    /// Channels have members, these are users, and users have devices. Bots are members with a maker. Folders lie in folders.
    private static func makeModel() -> NSManagedObjectModel {
        let entities = ["Channel", "Member", "User", "Device", "Folder"].map(LibraryModel.entity)
        for entity in entities { entity.properties = [LibraryModel.attribute("name", .stringAttributeType)] }
        let bot = LibraryModel.entity("Bot")
        LibraryModel.relate(entities[0], "members", many: true, entities[1], "channel", many: false)
        LibraryModel.relate(entities[1], "user", many: false, entities[2], "memberships", many: true)
        LibraryModel.relate(entities[2], "devices", many: true, entities[3], "user", many: false)
        LibraryModel.relate(entities[4], "folders", many: true, entities[4], "parent", many: false)
        entities[1].subentities = [bot]
        let model = NSManagedObjectModel()
        model.entities = entities + [bot]
        return model
    }

    init() throws {
        library = try Library(Self.makeModel(), store: .sqlite)
        context = library.makeContext()
        let writer = library.context
        try writer.performAndWait {
            for number in 0..<8 {
                let channel = writer.insert("Channel", ["name": "\(number)"])
                for place in 0..<3 {
                    let user = writer.insert("User", ["name": "\(number).\(place)"])
                    writer.insert("Device", ["user": user])
                    writer.insert(place == 0 ? "Bot" : "Member", ["channel": channel, "user": user])
                }
            }
            for _ in 0..<6 {
                var folder = writer.insert("Folder", ["name": "leaf"])
                for _ in 0..<3 {
                    let parent = writer.insert("Folder", ["name": "parent"])
                    folder.setValue(parent, forKey: "parent")
                    folder = parent
                }
            }
            var folder = writer.insert("Folder", ["name": "deep"])
            for _ in 0..<40 {
                let parent = writer.insert("Folder", ["name": "parent"])
                folder.setValue(parent, forKey: "parent")
                folder = parent
            }
            try writer.save()
            writer.reset()
        }
    }

    private func request(
        _ entity: String, _ paths: [String] = [], name: String? = nil
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.relationshipKeyPathsForPrefetching = paths
        request.predicate = name.map { NSPredicate(format: "name == %@", $0) }
        return request
    }

    private func findings(_ body: (NSManagedObjectContext) throws -> Void) throws -> [Instruments.Finding] {
        try Instruments.record { try context.performAndWait { try body(context) } }.findings
    }

    private static func many(_ object: NSManagedObject, _ key: String) -> Set<NSManagedObject> {
        object.value(forKey: key) as? Set<NSManagedObject> ?? []
    }

    private static func one(_ object: NSManagedObject, _ key: String) -> NSManagedObject? {
        object.value(forKey: key) as? NSManagedObject
    }

    private func walk(_ paths: [String]) throws -> [String: String] {
        let found = try findings { context in
            for channel in try context.fetch(request("Channel", paths)) {
                for member in Self.many(channel, "members") {
                    let user = try #require(Self.one(member, "user"))
                    _ = user.value(forKey: "name")
                    _ = Self.many(user, "devices").count
                }
            }
        }
        // Whichever of the members came first.
        let names = ["Bot": "Member"]
        return Dictionary(
            uniqueKeysWithValues: found.map {
                ("\(names[$0.entity ?? ""] ?? $0.entity ?? "").\($0.keyPath ?? "")", $0.remedy)
            })
    }

    private static func remedy(_ entity: String, _ paths: String...) -> String {
        let texts = paths.map { "\"\($0)\"" }
        return "Prefetch it with the fetch of \(entity): request.relationshipKeyPathsForPrefetching = "
            + "[\(texts.joined(separator: ", "))], or MagicalRecord's "
            + ".prefetching(\(texts.map { ".path(\($0))" }.joined(separator: ", ")))."
    }

    @Test func theRemedyBeginsAtTheFetch() throws {
        #expect(
            try walk([]) == [
                "Channel.members": Self.remedy("Channel", "members"),
                "Member.user": Self.remedy("Channel", "members.user"),
                "User.devices": Self.remedy("Channel", "members.user.devices"),
            ])
    }

    @Test func whatIsPrefetchedIsPartOfTheWay() throws {
        #expect(
            try walk(["members"]) == [
                "Member.user": Self.remedy("Channel", "members.user"),
                "User.devices": Self.remedy("Channel", "members.user.devices"),
            ])
        context.performAndWait { context.reset() }
        #expect(
            try walk(["members.user"]) == ["User.devices": Self.remedy("Channel", "members.user.devices")])
        context.performAndWait { context.reset() }
        #expect(try walk(["members.user.devices"]).isEmpty)
    }

    @Test func aFetchOfItsOwnBeginsAnew() throws {
        let found = try findings { context in
            for channel in try context.fetch(request("Channel", ["members"])) { _ = Self.many(channel, "members") }
            for member in try context.fetch(request("Member")) {
                _ = Self.one(member, "user")?.value(forKey: "name")
            }
        }
        #expect(found.map(\.remedy) == [Self.remedy("Member", "user")])
    }

    @Test func twoFetchesThatReachOneLine() throws {
        func name(_ member: NSManagedObject) -> Any? { Self.one(member, "user")?.value(forKey: "name") }
        let found = try findings { context in
            for channel in try context.fetch(request("Channel", ["members"])) {
                for member in Self.many(channel, "members") { _ = name(member) }
            }
            context.reset()
            for member in try context.fetch(request("Member")) { _ = name(member) }
        }
        let remedy =
            Self.remedy("Channel", "members.user") + " "
            + Self.remedy("Member", "user").replacingOccurrences(of: "Prefetch it with", with: "With")
        if Instruments.CodePath.areKnown { #expect(found.map(\.remedy) == [remedy]) }
    }

    /// Four of each kind are too few to be told apart, and eight of both are not.
    @Test func objectsOfSubentitiesCountTogether() throws {
        try context.performAndWait {
            let members = try context.fetch(request("Member"))
            for kind in ["Member", "Bot"] {
                members.filter { $0.entity.name == kind }.dropFirst(4).forEach(context.delete)
            }
            try context.save()
            context.reset()
        }
        let found = try findings { context in
            for member in try context.fetch(request("Member")) { _ = Self.one(member, "user")?.value(forKey: "name") }
        }
        #expect(found.map(\.remedy) == [Self.remedy("Member", "user")])
        #expect(found.first?.repetitions == 8)
    }

    @Test func objectsThatAreCollectedFirst() throws {
        let found = try findings { context in
            let users = try context.fetch(request("Member")).compactMap { Self.one($0, "user") }
            for user in users { _ = user.value(forKey: "name") }
        }
        #expect(found.map(\.remedy) == [Self.remedy("Member", "user")])
    }

    @Test func inAContextWithAParent() throws {
        let child = library.makeChild(of: context)
        let recording = try Instruments.record {
            try child.performAndWait {
                for channel in try child.fetch(request("Channel", ["members"])) {
                    for member in Self.many(channel, "members") {
                        _ = Self.one(member, "user")?.value(forKey: "name")
                    }
                }
            }
        }
        #expect(Set(recording.findings.map(\.remedy)) == [Self.remedy("Channel", "members.user")])
    }

    // MARK: Walks

    private static func walkUp(_ folder: NSManagedObject) {
        var folder = folder
        while let parent = one(folder, "parent") {
            _ = parent.value(forKey: "name")
            folder = parent
        }
    }

    @Test func aWalkFromLeafToRoot() throws {
        let found = try findings { context in
            for folder in try context.fetch(request("Folder", name: "deep")) { Self.walkUp(folder) }
        }
        #expect(found == [])
    }

    @Test func aWalkFromRootToLeaf() throws {
        let found = try findings { context in
            let request = request("Folder")
            request.predicate = NSPredicate(format: "parent == nil")
            request.sortDescriptors = [NSSortDescriptor(key: "SELF", ascending: false)]
            request.fetchLimit = 1
            var folder = try context.fetch(request).first
            while let next = folder { folder = Self.many(next, "folders").first }
        }
        #expect(found == [])
    }

    @Test func walksFromManyLeaves() throws {
        let found = try findings { context in
            for folder in try context.fetch(request("Folder", name: "leaf")) { Self.walkUp(folder) }
        }
        #expect(found.map(\.remedy) == [Self.remedy("Folder", "parent.parent.parent")])
    }
}

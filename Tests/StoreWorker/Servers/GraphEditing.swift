import CoreData
import Foundation

/// Edits a graph at random, which another process edits too: teams with people (cascade), rooms with people (deny), people with
/// badges (many-to-many) and an ordered list of tasks (cascade). Then reads all of it.
final class GraphEditing {
    private var random: SplitMix
    private let steps: Int
    private let flag: String
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private var saved = 0, refused = 0
    private var made = 0

    /// - Parameter words: The seed, the number of steps, and a file that appears when the graph is to be read.
    init(_ url: URL, _ words: [String]) throws {
        random = SplitMix(state: UInt64(words[0]) ?? 1)
        steps = Int(words[1]) ?? 1
        flag = words[2]
        context = try Servers.context(url, Self.model())
        coordinator = context.persistentStoreCoordinator!
    }

    static func model() -> NSManagedObjectModel {
        let names = ["Team", "Room", "Person", "Badge", "Task"]
        let entities = names.map { name in
            let entity = Ledger.entity(name)
            entity.properties = [
                Ledger.attribute("name", .stringAttributeType), Ledger.attribute("size", .integer32AttributeType),
            ]
            return entity
        }
        let (team, room, person) = (entities[0], entities[1], entities[2])
        Ledger.relate(team, "members", person, "team", toMany: false)
        Ledger.relate(room, "people", person, "room", toMany: false)
        Ledger.relate(person, "badges", entities[3], "people", toMany: true)
        Ledger.relate(person, "tasks", entities[4], "owner", toMany: false, isOrdered: true)
        team.relationshipsByName["members"]?.deleteRule = .cascadeDeleteRule
        room.relationshipsByName["people"]?.deleteRule = .denyDeleteRule
        person.relationshipsByName["tasks"]?.deleteRule = .cascadeDeleteRule
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    func run() throws {
        report("ready")
        try context.performAndWait { for _ in 0..<steps { try step() } }
        report("edited \(saved) \(refused)")
        while !FileManager.default.fileExists(atPath: flag) { usleep(2000) }
        let fresh = Servers.context(coordinator)
        for line in try fresh.performAndWait({ try Self.lines(fresh) }) { report(line) }
        report("done")
    }

    // MARK: Editing

    private func any(_ entity: String) throws -> NSManagedObject? {
        // By name: both processes choose among the same objects.
        try Ledger.all(entity, context, sortedBy: "name").filter { !$0.isDeleted }.randomElement(using: &random)
    }

    private func step() throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) { try edit() }
        let policies: [NSMergePolicyType] = [
            .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
        ]
        context.mergePolicy = NSMergePolicy(merge: policies.randomElement(using: &random) ?? .errorMergePolicyType)
        do {
            try context.save()
            saved += 1
        } catch let error as NSError {
            guard error.domain == NSCocoaErrorDomain else { throw error }
            report("refused \(error.code)")
            refused += 1
            context.rollback()
            context.reset()
        }
        // By turns with stale objects and with fresh ones.
        if Int.random(in: 0..<3, using: &random) == 0 { context.refreshAllObjects() }
    }

    private func edit() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7:
            made += 1
            let entity = ["Team", "Room", "Person", "Person", "Person", "Badge", "Task", "Task"]
            let object = Ledger.insert(
                entity.randomElement(using: &random) ?? "Task",
                ["name": String(format: "%06d", made), "size": Int.random(in: 0..<9, using: &random)], context)
            if object.entity.name == "Person" { object.setValue(try any("Team"), forKey: "team") }
            if object.entity.name == "Task" { try append(object) }
        case 7..<10:
            let entity = ["Team", "Room", "Person", "Badge", "Task"].randomElement(using: &random) ?? "Task"
            try any(entity)?.setValue(Int.random(in: 0..<9, using: &random), forKey: "size")
        case 10, 11: try any("Person")?.setValue(try any("Team"), forKey: "team")
        case 12: try any("Person")?.setValue(try any("Room"), forKey: "room")
        case 13, 14:
            guard let person = try any("Person"), let badge = try any("Badge") else { return }
            let badges = person.mutableSetValue(forKey: "badges")
            if badges.contains(badge) { badges.remove(badge) } else { badges.add(badge) }
        case 15: if let task = try any("Task") { try append(task) }
        case 16:
            let tasks = try any("Person")?.mutableOrderedSetValue(forKey: "tasks")
            if let tasks, tasks.count > 1 { tasks.moveObjects(at: [tasks.count - 1], to: 0) }
        default:
            // Teams and rooms seldom.
            let entity = ["Team", "Room", "Person", "Badge", "Badge", "Task"].randomElement(using: &random) ?? "Task"
            if let object = try any(entity) { context.delete(object) }
        }
    }

    private func append(_ task: NSManagedObject) throws {
        try any("Person")?.mutableOrderedSetValue(forKey: "tasks").add(task)
    }

    // MARK: Reading

    /// Describes all objects by their keys; each relationship from both sides.
    private static func lines(_ context: NSManagedObjectContext) throws -> [String] {
        func key(_ value: Any?) -> Int? {
            (value as? NSManagedObject).flatMap { Int($0.objectID.uriRepresentation().lastPathComponent.dropFirst()) }
        }
        func keys(_ value: Any?) -> String {
            ((value as? Set<NSManagedObject>) ?? []).compactMap(key).sorted().map(String.init).joined(separator: ",")
        }
        func one(_ value: Any?) -> String { key(value).map(String.init) ?? "-" }
        var lines: [String] = []
        for name in ["Team", "Room", "Person", "Badge", "Task"] {
            for object in try Ledger.all(name, context) {
                func value(_ property: String) -> Any? { object.value(forKey: property) }
                var parts = ["object", name, one(object), text(value("name")), text(value("size"))]
                switch name {
                case "Team": parts.append(keys(value("members")))
                case "Room": parts.append(keys(value("people")))
                case "Badge": parts.append(keys(value("people")))
                case "Task": parts.append(one(value("owner")))
                default:
                    let tasks = (value("tasks") as? NSOrderedSet)?.array ?? []
                    parts += [one(value("team")), one(value("room")), keys(value("badges"))]
                    parts.append(tasks.map(one).joined(separator: ","))
                }
                lines.append(parts.joined(separator: " | "))
            }
        }
        return lines.sorted()
    }

    private static func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "-" }
}

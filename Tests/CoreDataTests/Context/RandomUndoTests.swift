import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Undo, rollback and refresh in child contexts that have saved: whatever comes in between, relationships lead to objects of their
/// own context, both ends agree, and so do the rows in the store.
///
/// `COREDATA_RANDOM_STEPS` is how many steps each test takes, `COREDATA_RANDOM_SEED` the first seed. A failure prints its seed and
/// its steps.
@Suite("Random undo in children") struct RandomUndoTests {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test(arguments: StoreKind.allCases, [1, 2]) func contextsAgreeWithThemselves(
        _ store: StoreKind, _ depth: Int
    ) throws {
        let length = 200
        let worlds = max(1, (Self.setting("COREDATA_RANDOM_STEPS") ?? LongForm.choose(1_000, long: 2_000)) / length)
        let first = UInt64(Self.setting("COREDATA_RANDOM_SEED") ?? 1)
        for seed in first..<(first + UInt64(worlds)) {
            let world = try UndoWorld(seed: seed, store: store, depth: depth)
            do {
                for _ in 0..<length { try world.step() }
                try world.finish()
            } catch {
                Issue.record("Seed \(seed): \(error)\nThe steps:\n\(world.steps.joined(separator: "\n"))")
                return
            }
        }
    }
}

/// A chain of contexts whose lowest is edited, while those above save what they get and do nothing else.
private final class UndoWorld {
    private let library: Library
    private var chain: [NSManagedObjectContext]
    private var random: SeededGenerator
    private var objects: [NSManagedObject] = []
    private var nextLabel = 1
    private(set) var steps: [String] = []
    private let printsSteps = ProcessInfo.processInfo.environment["COREDATA_RANDOM_LOG"] == "all"

    private var edited: NSManagedObjectContext { chain[chain.count - 1] }

    init(seed: UInt64, store: StoreKind, depth: Int) throws {
        random = SeededGenerator(seed: seed)
        library = try Library(GraphSchema.make(), store: store)
        chain = [library.context]
        for _ in 0..<depth { chain.append(library.makeChild(of: chain[chain.count - 1])) }
        edited.performAndWait { edited.undoManager = UndoManager() }
    }

    private func note(_ text: String) {
        steps.append(text)
        if printsSteps { print(text) }
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func step() throws {
        try edited.performAndWait {
            try change()
            try edited.checkInvariants()
        }
        if chance(5) { try saveAbove() }
    }

    private func change() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<15: insert()
        case 15..<50: relate()
        case 50..<55: setName()
        case 55..<61: delete()
        case 61..<68: process()
        case 68..<74: try save()
        case 74..<83: undo()
        case 83..<88: redo()
        case 88..<91: rollBack()
        case 91..<97: refresh()
        case 97: forget()
        default: readAll()
        }
    }

    // MARK: Steps

    private var living: [NSManagedObject] {
        objects.filter { $0.managedObjectContext === edited && !$0.isDeleted }
    }

    private func name(_ object: NSManagedObject?) -> String {
        guard let object else { return "nil" }
        return objects.firstIndex { $0 === object }.map { "\(object.entity.name ?? "") \($0)" } ?? "another"
    }

    private func insert() {
        guard living.count < 16 else { return delete() }
        let entity = ["Node", "Node", "Leaf", "Box", "Item", "Item", "Badge"].randomElement(using: &random)!
        let object = edited.insert(entity, ["label": nextLabel])
        nextLabel += 1
        objects.append(object)
        note("insert \(name(object))")
    }

    private func relate() {
        guard let object = living.randomElement(using: &random),
            let relationship = object.entity.relationshipsByName.sorted(by: { $0.key < $1.key })
                .randomElement(using: &random)?.value,
            let destination = relationship.destinationEntity
        else { return }
        let candidates = living.filter { $0.entity.isKindOf(entity: destination) }
        guard relationship.isToMany else {
            let value = chance(25) ? nil : candidates.randomElement(using: &random)
            note("set \(relationship.name) of \(name(object)) to \(name(value))")
            return object.setValue(value, forKey: relationship.name)
        }
        let members = Array(candidates.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
        note("set \(relationship.name) of \(name(object)) to \(members.map(name))")
        if relationship.isOrdered {
            object.setValue(NSOrderedSet(array: members), forKey: relationship.name)
        } else if chance(50), let member = members.first {
            object.mutableSetValue(forKey: relationship.name).add(member)
        } else {
            object.setValue(Set(members), forKey: relationship.name)
        }
    }

    private func setName() {
        guard let object = living.randomElement(using: &random) else { return }
        note("name \(name(object))")
        object.setValue("name \(steps.count)", forKey: "name")
    }

    private func delete() {
        guard let object = living.randomElement(using: &random) else { return }
        note("delete \(name(object))")
        edited.delete(object)
    }

    private func process() {
        note("process")
        edited.processPendingChanges()
    }

    private func save() throws {
        note("save")
        try edited.save()
    }

    private func saveAbove() throws {
        let count = Int.random(in: 1..<chain.count, using: &random)
        // From below to above, the store last, and not always that far.
        for context in chain.dropLast().reversed().prefix(count) {
            note("save above")
            try context.performAndWait { try context.save() }
        }
    }

    private func undo() {
        guard edited.undoManager?.canUndo == true || edited.hasChanges else { return }
        note("undo")
        edited.undo()
    }

    private func redo() {
        guard edited.undoManager?.canRedo == true else { return }
        note("redo")
        edited.redo()
    }

    private func rollBack() {
        note("roll back")
        edited.rollback()
    }

    private func refresh() {
        if chance(20) {
            note("refresh everything")
            return edited.refreshAllObjects()
        }
        guard let object = living.randomElement(using: &random) else { return }
        let keeps = chance(40)
        note("refresh \(name(object))\(keeps ? ", keeping changes" : "")")
        edited.refresh(object, mergeChanges: keeps)
    }

    /// Lets objects go, which the context then has to make again. Their numbers in the notes change.
    private func forget() {
        note("let go of half")
        objects = objects.filter { _ in chance(50) }
        for object in edited.registeredObjects.sorted(by: { $0.label < $1.label })
        where chance(50) && !objects.contains(where: { $0 === object }) {
            objects.append(object)
        }
    }

    private func readAll() {
        note("read everything")
        for object in living {
            for key in object.entity.propertiesByName.keys.sorted() { _ = object.value(forKey: key) }
        }
    }

    // MARK: What must hold

    /// Saves all the way and compares both ends of every relationship as a new context reads them.
    func finish() throws {
        for context in chain.reversed() {
            try context.performAndWait {
                try context.save()
                try context.checkInvariants()
            }
        }
        let reader = library.makeContext()
        try reader.performAndWait {
            for entity in ["Node", "Box", "Item", "Badge"] {
                for object in try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                    try expectMutualEnds(of: object)
                }
            }
        }
    }

    private func expectMutualEnds(of object: NSManagedObject) throws {
        func ends(_ object: NSManagedObject, _ name: String) -> Set<NSManagedObject> {
            switch object.value(forKey: name) {
            case let end as NSManagedObject: [end]
            case let members as Set<NSManagedObject>: members
            case let members as NSOrderedSet: Set(members.array.compactMap { $0 as? NSManagedObject })
            default: []
            }
        }
        for (name, relationship) in object.entity.relationshipsByName {
            let inverse = relationship.inverseRelationship?.name ?? ""
            for end in ends(object, name) where end.isDeleted || !ends(end, inverse).contains(object) {
                throw Contradiction(text: "\(object.objectID) leads to \(end.objectID) by \(name), and not back")
            }
        }
    }

    private struct Contradiction: Error { let text: String }
}

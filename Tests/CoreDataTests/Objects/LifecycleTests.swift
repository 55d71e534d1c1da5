import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Hooks come at the moments Apple documents, as often, and with the object in the documented state.
@Suite("Life cycle of objects")
struct LifecycleTests {
    let zoo: Zoo
    var context: NSManagedObjectContext { zoo.context }
    var journal: Journal { zoo.journal }

    init() throws { zoo = try Zoo() }

    private func creature(_ values: [String: Any] = [:]) throws -> Creature {
        try #require(context.insert("Creature", values) as? Creature)
    }

    // MARK: Insertion

    @Test func insertionIsAnnouncedOnceWithDefaultsInPlace() throws {
        try context.performAndWait {
            let one = try creature()
            #expect(journal.take() == ["awakeFromInsert true 1"])
            let entity = try #require(NSEntityDescription.entity(forEntityName: "Creature", in: context))
            let free = Creature(entity: entity, insertInto: nil)
            #expect(journal.take() == [])
            #expect(free.managedObjectContext == nil && free.value(forKey: "age") as? Int == 1)
            free.setValue("free", forKey: "name")
            context.insert(free)
            #expect(journal.take() == ["awakeFromInsert true 1"])
            #expect(free.value(forKey: "name") as? String == "free")
            #expect(context.insertedObjects == [one, free])
        }
    }

    @Test func takingBackADeletionIsNoInsertion() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            context.delete(cat)
            _ = journal.take()
            context.insert(cat)
            #expect(journal.take() == [] && !cat.isDeleted && !cat.isInserted)
            try context.save()
            #expect(try context.fetchAll("Creature").count == 1)
        }
    }

    // MARK: Faults

    @Test func awakeningComesWithEveryFiring() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            context.refresh(cat, mergeChanges: false)
            #expect(journal.take() == ["willTurnIntoFault false", "didTurnIntoFault true"])
            #expect(cat.isFault)
            #expect(cat.value(forKey: "name") as? String == "cat")
            _ = cat.value(forKey: "age")
            #expect(journal.take() == ["awakeFromFetch"])
            context.refresh(cat, mergeChanges: false)
            context.refresh(cat, mergeChanges: false)
            #expect(journal.take() == ["willTurnIntoFault false", "didTurnIntoFault true"])
            cat.willAccessValue(forKey: nil)
            #expect(!cat.isFault && journal.take() == ["awakeFromFetch"])
        }
    }

    @Test func whatAwakeningSetsIsNoChange() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            context.refresh(cat, mergeChanges: false)
            journal.onAwakeFromFetch = { $0.setValue("sleepy", forKey: "mood") }
            #expect(cat.value(forKey: "mood") as? String == "sleepy")
            #expect(!cat.hasChanges && !context.hasChanges && cat.changedValues().isEmpty)
        }
    }

    @Test func valuesAreThereUntilTheObjectHasTurnedIntoAFault() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            var name: String?
            journal.onTurningIntoFault = { name = $0.value(forKey: "name") as? String }
            context.refresh(cat, mergeChanges: false)
            #expect(name == "cat")
        }
    }

    // MARK: Saving

    @Test func aSaveGoesThroughItsStagesInOrder() throws {
        try context.performAndWait {
            _ = try creature(["name": "cat"])
            _ = journal.take()
            let journal = journal
            nonisolated(unsafe) let lines = journal
            let names: [(Notification.Name, String)] = [
                (.NSManagedObjectContextObjectsDidChange, "changed"), (.NSManagedObjectContextWillSave, "will save"),
                (.NSManagedObjectContextDidSave, "saved objects"),
                (.NSManagedObjectContextDidSaveObjectIDs, "saved IDs"),
            ]
            let tokens = names.map { name, line in
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
                    lines.lines.append(line)
                }
            }
            defer { tokens.forEach(NotificationCenter.default.removeObserver) }
            try context.save()
            #expect(
                journal.take() == [
                    "changed", "willSave", "will save", "validateForInsert", "didSave false", "saved objects",
                    "saved IDs",
                ])
            try context.save()
            #expect(journal.take() == ["will save", "saved objects", "saved IDs"])
        }
    }

    @Test func whatWillSaveSetsIsSavedAndAskedAboutAgain() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            journal.onWillSave = { if $0.value(forKey: "age") as? Int == 1 { $0.setValue(2, forKey: "age") } }
            cat.setValue("tom", forKey: "name")
            try context.save()
            #expect(journal.take().filter { $0 == "willSave" }.count == 2)
            #expect(!context.hasChanges)
            context.reset()
            #expect(try context.fetchAll("Creature").first?.value(forKey: "age") as? Int == 2)
        }
    }

    @Test func willSaveMayUsePrimitivesWithoutBeingAskedAgain() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            journal.onWillSave = { $0.setPrimitiveValue(9, forKey: "age") }
            cat.setValue("tom", forKey: "name")
            try context.save()
            #expect(journal.take().filter { $0 == "willSave" }.count == 1)
            context.reset()
            #expect(try context.fetchAll("Creature").first?.value(forKey: "age") as? Int == 9)
        }
    }

    @Test func willSaveMayChangeOthers() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            let context = context
            journal.onWillSave = { creature in
                if creature === cat, context.insertedObjects.isEmpty { context.insert("Keeper", ["name": "Noah"]) }
            }
            cat.setValue("tom", forKey: "name")
            try context.save()
            #expect(!context.hasChanges)
            #expect(try context.fetchAll("Keeper").count == 1)
        }
    }

    @Test func everySavedObjectHearsOfIt() throws {
        try context.performAndWait {
            let cat = try zoo.saved(), dog = try zoo.saved("dog")
            _ = try creature(["name": "cow"])
            cat.setValue("tom", forKey: "name")
            context.delete(dog)
            _ = journal.take()
            try context.save()
            #expect(
                journal.take().filter { $0.hasPrefix("didSave") }.sorted() == [
                    "didSave false", "didSave false", "didSave true",
                ])
            #expect(!dog.isDeleted && dog.managedObjectContext == nil && dog.isFault)
        }
    }

    @Test func changesInDidSaveAreChangesAgain() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            journal.onDidSave = { creature in
                if creature.value(forKey: "age") as? Int == 1 { creature.setValue(5, forKey: "age") }
            }
            cat.setValue("tom", forKey: "name")
            try context.save()
            #expect(cat.isUpdated && context.hasChanges)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    // MARK: Deletion

    @Test func deletionIsPreparedWithRelationshipsIntactAlsoByCascade() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            let keeper = context.insert("Keeper", ["name": "Noah", "creatures": Set([cat as NSManagedObject])])
            context.insert("Part", ["name": "tail", "creature": cat])
            try context.save()
            _ = journal.take()
            var seen: [String] = []
            journal.onDeletion = { creature in
                seen.append((creature.value(forKeyPath: "keeper.name") as? String) ?? "nobody")
                seen += ((creature.value(forKeyPath: "parts.name") as? Set<AnyHashable>) ?? []).compactMap {
                    $0 as? String
                }
            }
            context.delete(cat)
            #expect(journal.take() == ["prepareForDeletion"] && seen == ["Noah", "tail"])
            context.delete(cat)
            #expect(journal.take() == [])
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 2)
            #expect((keeper.value(forKey: "creatures") as? Set<NSManagedObject>)?.isEmpty == true)
            // Until the save the values of deleted objects can be read.
            #expect(cat.value(forKey: "name") as? String == "cat")
        }
    }

    // MARK: Snapshots

    @Test func snapshotEventsNameTheirCause() throws {
        try context.performAndWait {
            context.undoManager = UndoManager()
            let cat = try zoo.saved()
            context.undoManager?.removeAllActions()
            cat.setValue("tom", forKey: "name")
            context.processPendingChanges()
            context.undo()
            #expect(journal.take() == ["awake \(NSSnapshotEventType.undoUpdate.rawValue)"])
            #expect(cat.value(forKey: "name") as? String == "cat")
            context.redo()
            #expect(journal.take() == ["awake \(NSSnapshotEventType.undoUpdate.rawValue)"])
            context.refresh(cat, mergeChanges: true)
            #expect(journal.take() == ["awake \(NSSnapshotEventType.refresh.rawValue)"])
            context.rollback()
            #expect(journal.take() == ["awake \(NSSnapshotEventType.rollback.rawValue)"])
            context.delete(cat)
            context.processPendingChanges()
            _ = journal.take()
            context.undo()
            #expect(journal.take().contains("awake \(NSSnapshotEventType.undoDeletion.rawValue)"))
            let dog = try creature(["name": "dog"])
            context.processPendingChanges()
            _ = journal.take()
            context.undo()
            #expect(dog.managedObjectContext == nil)
            context.redo()
            #expect(dog.managedObjectContext === context && dog.value(forKey: "name") as? String == "dog")
        }
    }

    @Test func rawValuesAreApples() {
        #expect(
            [
                NSSnapshotEventType.undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
            ].map(\.rawValue) == [2, 4, 8, 16, 32, 64])
    }

    /// Code that overrides what key-value observing asks classes compiles, and reaches the superclass.
    @Test func observingHooks() {
        #expect(FullName.keyPathsForValuesAffectingValue(forKey: "fullName") == ["first", "last"])
        #expect(FullName.keyPathsForValuesAffectingValue(forKey: "first").isEmpty)
        #expect(FullName.automaticallyNotifiesObservers(forKey: "fullName"))
        #expect(!FullName.automaticallyNotifiesObservers(forKey: "first"))
    }
}

private final class FullName: NSManagedObject {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "fullName" ? ["first", "last"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }

    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        key == "fullName" || super.automaticallyNotifiesObservers(forKey: key)
    }
}

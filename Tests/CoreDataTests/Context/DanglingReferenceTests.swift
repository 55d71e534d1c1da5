import CoreDataTestSupport
import Foundation
import Testing

// The rules of the file are told by the layouts of the model.
@testable import CoreData

/// A relationship that is led to an object whose row is gone is an error that names both objects, never a reference to
/// nothing in the store.
@Suite("References to rows that are gone")
struct DanglingReferenceTests {
    /// Who deletes the object, and how far that has got when another context relates to it.
    enum Deletion: String, CaseIterable { case pendingInParent, savedByParent, savedByOtherContext }

    /// `Note` and `Topic`, related in every way.
    private static func model() -> NSManagedObjectModel {
        let note = LibraryModel.entity("Note"), topic = LibraryModel.entity("Topic")
        for entity in [note, topic] { entity.properties = [LibraryModel.attribute("value", .integer64AttributeType)] }
        LibraryModel.relate(note, "main", many: false, topic, "mainOf", many: false)
        LibraryModel.relate(note, "group", many: false, topic, "grouped", many: true)
        LibraryModel.relate(note, "topics", many: true, topic, "notes", many: true)
        LibraryModel.relate(note, "list", many: true, topic, "lists", many: true, ordered: true)
        for (name, isToMany) in [("mark", false), ("marks", true)] {
            let lone = NSRelationshipDescription()
            lone.name = name
            lone.destinationEntity = topic
            lone.maxCount = isToMany ? 0 : 1
            note.properties.append(lone)
        }
        let model = NSManagedObjectModel()
        model.entities = [note, topic]
        return model
    }

    private static let references = [
        ("Note", "main"), ("Note", "group"), ("Note", "topics"), ("Note", "list"), ("Note", "mark"), ("Note", "marks"),
        ("Topic", "mainOf"), ("Topic", "notes"), ("Topic", "lists"),
    ]

    private let library: Library
    private var first: NSManagedObjectContext { library.context }

    init() throws { library = try Library(Self.model(), store: .sqlite) }

    private func relate(_ source: NSManagedObject, _ name: String, _ destination: NSManagedObject) {
        let relationship = source.entity.relationshipsByName[name]!
        if !relationship.isToMany {
            source.setValue(destination, forKey: name)
        } else if relationship.isOrdered {
            source.mutableOrderedSetValue(forKey: name).add(destination)
        } else {
            source.mutableSetValue(forKey: name).add(destination)
        }
    }

    private func failure(_ context: NSManagedObjectContext) -> NSError? {
        do {
            try context.save()
            return nil
        } catch {
            return error as NSError
        }
    }

    /// Objects of the store whose relationships lead to rows that are not there.
    private func dangling(_ library: Library) throws -> [String] {
        let file = library.coordinator.persistentStores[0]
        if file.type == NSSQLiteStoreType, let url = file.url {
            return try StoreAuditor(url, library.coordinator.managedObjectModel.layouts).problems()
        }
        let reader = library.makeContext()
        return try reader.performAndWait {
            var found: [String] = []
            for object in try reader.fetchAll("Note") + reader.fetchAll("Topic") {
                for (name, relationship) in object.entity.relationshipsByName {
                    let destinations: [NSManagedObject] =
                        relationship.isToMany
                        ? object.objectIDs(forRelationshipNamed: name).map { reader.object(with: $0) }
                        : (object.value(forKey: name) as? NSManagedObject).map { [$0] } ?? []
                    for destination in destinations
                    where (try? reader.existingObject(with: destination.objectID)) == nil {
                        found.append("\(object.objectID).\(name) leads to \(destination.objectID)")
                    }
                }
            }
            return found
        }
    }

    private func expectDangling(
        _ error: NSError?, from source: NSManagedObject, _ name: String, to destination: NSManagedObjectID,
        _ place: SourceLocation = #_sourceLocation
    ) {
        let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error].compactMap { $0 }
        let match = details.first {
            $0.code == NSManagedObjectValidationError
                && ($0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject)?.objectID == source.objectID
                && $0.userInfo[NSValidationKeyErrorKey] as? String == name
        }
        #expect(match != nil, "\(error.map { "\($0)" } ?? "no error")", sourceLocation: place)
        let value = match?.userInfo[NSValidationValueErrorKey] as? NSManagedObject
        #expect(value?.objectID == destination, sourceLocation: place)
        let reason = match?.localizedFailureReason ?? ""
        for id in [source.objectID, destination] {
            #expect(reason.contains(id.uriRepresentation().absoluteString), "\(reason)", sourceLocation: place)
        }
    }

    /// Its deletion takes it out of the relationships that have an inverse.
    @Test(arguments: references, StoreKind.allCases)
    func whatIsDeletedBeforeItWasSavedIsNotRelatedTo(_ reference: (String, String), _ store: StoreKind) throws {
        let library = try Library(Self.model(), store: store)
        let (entity, name) = reference
        let context = library.context
        try context.performAndWait {
            let source = context.insert(entity)
            try context.save()
            let destination = context.insert(entity == "Note" ? "Topic" : "Note")
            relate(source, name, destination)
            let gone = destination.objectID
            context.processPendingChanges()
            context.delete(destination)
            context.processPendingChanges()
            let error = failure(context)
            if source.entity.relationshipsByName[name]?.inverseRelationship == nil {
                expectDangling(error, from: source, name, to: gone)
                context.rollback()
                #expect(failure(context) == nil)
            } else {
                #expect(error == nil)
            }
        }
        #expect(try dangling(library) == [])
    }

    @Test(arguments: references, StoreKind.allCases)
    func aChildCannotRelateToWhatItsParentDeleted(_ reference: (String, String), _ store: StoreKind) throws {
        for deletion in [Deletion.pendingInParent, .savedByParent] {
            let library = try Library(Self.model(), store: store)
            let (entity, name) = reference
            let parent = library.context, child = library.makeChild()
            let (source, destination) = try parent.performAndWait {
                let source = parent.insert(entity), destination = parent.insert(entity == "Note" ? "Topic" : "Note")
                try parent.save()
                return (source, destination)
            }
            let gone = destination.objectID
            let (mine, theirs) = try child.performAndWait {
                (try child.existingObject(with: source.objectID), try child.existingObject(with: gone))
            }
            try parent.performAndWait {
                parent.delete(destination)
                parent.processPendingChanges()
                if deletion == .savedByParent { try parent.save() }
            }
            try child.performAndWait {
                relate(mine, name, theirs)
                try child.save()
            }
            parent.performAndWait {
                expectDangling(failure(parent), from: source, name, to: gone)
                #expect(parent.hasChanges)
                parent.rollback()
                #expect(failure(parent) == nil)
            }
            #expect(try dangling(library) == [])
        }
    }

    @Test(arguments: references, StoreKind.allCases)
    func rulesInFavorOfTheStoreLeaveNoReference(_ reference: (String, String), _ store: StoreKind) throws {
        for policy in [NSMergePolicy.mergeByPropertyStoreTrump, .rollback] {
            let library = try Library(Self.model(), store: store)
            let (entity, name) = reference
            let first = library.context, second = library.makeContext()
            second.mergePolicy = policy
            let (source, destination) = try first.performAndWait {
                let source = first.insert(entity), destination = first.insert(entity == "Note" ? "Topic" : "Note")
                try first.save()
                return (source.objectID, destination)
            }
            let gone = destination.objectID
            let (mine, theirs) = try second.performAndWait {
                (try second.existingObject(with: source), try second.existingObject(with: gone))
            }
            try first.performAndWait {
                first.delete(destination)
                try first.save()
            }
            second.performAndWait {
                relate(mine, name, theirs)
                let error = failure(second)
                if let error {
                    expectDangling(error, from: mine, name, to: gone)
                } else {
                    // The rule has taken the object out of what it leads to.
                    #expect(mine.objectIDs(forRelationshipNamed: name).isEmpty)
                }
                // What the object itself does not know to lead to it, the rule cannot take back.
                #expect((error == nil) == !["group", "mark", "marks"].contains(name))
                second.rollback()
                #expect(failure(second) == nil)
            }
            #expect(try dangling(library) == [])
        }
    }

    /// A new object, and one whose other side keeps no trace of it.
    @Test(arguments: StoreKind.allCases, ["mark", "marks", "group"])
    func newObjectsAreChecked(_ store: StoreKind, _ name: String) throws {
        let library = try Library(Self.model(), store: store)
        let first = library.context, second = library.makeContext()
        second.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        let topic = first.insert("Topic")
        try first.save()
        let other = second.object(with: topic.objectID)
        #expect(other.value(forKey: "value") == nil)
        first.delete(topic)
        try first.save()
        let note = second.insert("Note")
        relate(note, name, other)
        expectDangling(failure(second), from: note, name, to: other.objectID)
        #expect(try library.makeContext().fetchAll("Note").isEmpty)
    }

    @Test func whatTheSameSaveDeletesIsNoDestination() throws {
        let note = first.insert("Note"), topic = first.insert("Topic")
        try first.save()
        first.delete(topic)
        first.processPendingChanges()
        relate(note, "topics", topic)
        relate(note, "mark", topic)
        let error = failure(first)
        #expect(error?.code == NSValidationMultipleErrorsError)
        expectDangling(error, from: note, "topics", to: topic.objectID)
        expectDangling(error, from: note, "mark", to: topic.objectID)
    }

    /// A policy that takes the other object's values from the store brings the reference back, in memory.
    @Test(arguments: ["main", "group", "topics", "list"], StoreKind.allCases)
    func deletionsOutliveConflicts(_ name: String, _ store: StoreKind) throws {
        let policies: [NSMergePolicy] = [
            .mergeByPropertyStoreTrump, .rollback, .mergeByPropertyObjectTrump, .overwrite,
        ]
        for policy in policies {
            let library = try Library(Self.model(), store: store)
            let first = library.context, second = library.makeContext()
            first.mergePolicy = policy
            let note = first.insert("Note"), topic = first.insert("Topic")
            relate(note, name, topic)
            try first.save()
            second.object(with: note.objectID).setValue(5, forKey: "value")
            try second.save()
            note.setValue(7, forKey: "value")
            first.delete(topic)
            first.processPendingChanges()
            #expect(failure(first) == nil)
            #expect(try dangling(library) == [], "\(policy)")
            #expect(note.objectIDs(forRelationshipNamed: name).isEmpty)
            #expect(try library.makeContext().fetchAll("Topic").isEmpty)
        }
    }

    @Test(arguments: ["main", "group", "topics", "list"], StoreKind.allCases)
    func deletionsOutliveARefresh(_ name: String, _ store: StoreKind) throws {
        let library = try Library(Self.model(), store: store)
        let first = library.context
        let note = first.insert("Note"), topic = first.insert("Topic")
        relate(note, name, topic)
        try first.save()
        first.delete(topic)
        first.processPendingChanges()
        first.refresh(note, mergeChanges: false)
        #expect(note.objectIDs(forRelationshipNamed: name).isEmpty)
        try first.save()
        #expect(try dangling(library) == [])
        #expect(note.objectIDs(forRelationshipNamed: name).isEmpty)
    }

    /// Policies by which the object wins make the deleted destination a new row: that stays as it is.
    @Test(arguments: ["main", "group", "topics", "list"], StoreKind.allCases)
    func anObjectThatWinsIsThereAgain(_ name: String, _ store: StoreKind) throws {
        for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite] {
            let library = try Library(Self.model(), store: store)
            let first = library.context, second = library.makeContext()
            second.mergePolicy = policy
            let note = first.insert("Note"), topic = first.insert("Topic")
            try first.save()
            let mine = second.object(with: note.objectID), theirs = second.object(with: topic.objectID)
            #expect(theirs.value(forKey: "value") == nil)
            first.delete(topic)
            try first.save()
            relate(mine, name, theirs)
            #expect(failure(second) == nil)
            #expect(try library.makeContext().fetchAll("Topic").count == 1)
            #expect(try dangling(library) == [])
        }
    }

    /// An object that is back leads to what is still there.
    @Test(arguments: StoreKind.allCases)
    func anObjectThatIsThereAgainLeadsToWhatIsLeft(_ store: StoreKind) throws {
        let library = try Library(Self.model(), store: store)
        let first = library.context, second = library.makeContext()
        second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let note = first.insert("Note"), gone = first.insert("Topic"), kept = first.insert("Topic")
        for topic in [gone, kept] {
            relate(note, "topics", topic)
            relate(note, "list", topic)
        }
        relate(note, "group", gone)
        relate(note, "mark", kept)
        try first.save()
        let mine = second.object(with: note.objectID)
        for name in ["topics", "list", "group", "mark"] {
            _ = mine.value(forKey: name)
            _ = mine.objectIDs(forRelationshipNamed: name)
        }
        first.delete(note)
        first.delete(gone)
        try first.save()
        mine.setValue(2, forKey: "value")
        #expect(failure(second) == nil)
        #expect(try dangling(library) == [])
        let reader = library.makeContext()
        let saved = try #require(try reader.fetchAll("Note").first)
        #expect(saved.value(forKey: "group") == nil)
        #expect((saved.value(forKey: "mark") as? NSManagedObject)?.objectID == kept.objectID)
        #expect((saved.value(forKey: "list") as? NSOrderedSet)?.count == 1)
    }

    // MARK: Members that have left

    /// A parent's ordered relationship still holds an object that has left: what a child changes is received all the same.
    @Test func aParentTakesChangesBesideMembersThatLeft() throws {
        let parent = library.context, child = library.makeChild()
        let note = parent.insert("Note"), one = parent.insert("Topic"), two = parent.insert("Topic")
        try parent.save()
        let (mine, mineOne, mineTwo) = child.performAndWait {
            let objects = [note, one, two].map { child.object(with: $0.objectID) }
            for object in objects { _ = object.value(forKey: "value") }
            return (objects[0], objects[1], objects[2])
        }
        parent.delete(one)
        parent.processPendingChanges()
        try child.performAndWait {
            relate(mine, "list", mineOne)
            try child.save()
        }
        #expect(failure(parent)?.code == NSManagedObjectValidationError)
        try child.performAndWait {
            mine.mutableOrderedSetValue(forKey: "list").insert(mineTwo, at: 0)
            try child.save()
        }
        note.mutableOrderedSetValue(forKey: "list").remove(one)
        #expect(failure(parent) == nil)
        #expect((note.value(forKey: "list") as? NSOrderedSet)?.array as? [NSManagedObject] == [two])
        #expect(try dangling(library) == [])
    }

    /// Only the deletion was merged, as after a batch deletion: the relationship still shows the member.
    @Test(arguments: ["list", "topics", "marks"])
    func membersWithoutContextAreNoObstacle(_ name: String) throws {
        let parent = library.context, child = library.makeChild(), other = library.makeContext()
        let note = parent.insert("Note"), one = parent.insert("Topic"), two = parent.insert("Topic")
        relate(note, name, one)
        try parent.save()
        parent.refresh(note, mergeChanges: false)
        parent.refresh(one, mergeChanges: false)
        #expect(note.objectIDs(forRelationshipNamed: name).count == 1)
        _ = note.value(forKey: name)
        other.delete(other.object(with: one.objectID))
        try other.save()
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: [one.objectID]], into: [parent])
        try child.performAndWait {
            let mine = child.object(with: note.objectID)
            relate(mine, name, child.object(with: two.objectID))
            if name == "list" {
                let list = mine.mutableOrderedSetValue(forKey: name)
                list.moveObjects(at: IndexSet(integer: list.count - 1), to: 0)
            }
            try child.save()
        }
        #expect(note.objectIDs(forRelationshipNamed: name).contains(two.objectID))
        if name == "list" { note.mutableOrderedSetValue(forKey: name).exchangeObject(at: 0, withObjectAt: 0) }
        // Who deleted the object changed the note as well, but for the relationship without an inverse.
        parent.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        #expect(failure(parent) == nil)
    }
}

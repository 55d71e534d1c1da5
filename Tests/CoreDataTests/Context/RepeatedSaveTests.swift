import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Saves that follow each other in one context, which keeps what a save needs for the next one.
@Suite("Repeated saves")
struct RepeatedSaveTests {
    /// What is stored, as a context of its own reads it.
    private func stored(_ library: Library) throws -> [String] {
        let context = library.makeContext()
        return try context.performAndWait {
            let tags = try context.fetchAll("Tag").map { "Tag \($0.value(forKey: "word") as? String ?? "-")" }
            let authors = try context.fetchAll("Author").map { author in
                let awards = (author.value(forKey: "awards") as? Set<NSManagedObject>)?.count ?? -1
                return "Author \(author.value(forKey: "name") as? String ?? "-") \(awards)"
            }
            return (tags + authors).sorted()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func eachWritesItsOwnChangesOnly(_ kind: StoreKind) throws {
        let library = try Library(store: kind)
        let context = library.context
        try context.performAndWait {
            let tag = context.insert("Tag", ["word": "a"])
            try context.save()
            #expect(try stored(library) == ["Tag a"])
            tag.setValue("b", forKey: "word")
            try context.save()
            #expect(try stored(library) == ["Tag b"])
            // Another entity, then both, then several kinds of change at once.
            let author = context.insert("Author", ["name": "x"])
            try context.save()
            #expect(try stored(library) == ["Author x 0", "Tag b"])
            let award = context.insert("Award", ["year": 1])
            award.setValue(author, forKey: "winner")
            context.insert("Tag", ["word": "c"])
            try context.save()
            #expect(try stored(library) == ["Author x 1", "Tag b", "Tag c"])
            context.delete(tag)
            author.setValue("y", forKey: "name")
            context.insert("Award", ["year": 2]).setValue(author, forKey: "winner")
            try context.save()
            #expect(try stored(library) == ["Author y 2", "Tag c"])
            context.insert("Tag", ["word": "d"])
            try context.save()
            #expect(try stored(library) == ["Author y 2", "Tag c", "Tag d"])
            // Many after few, and few after many.
            for number in 0..<150 { context.insert("Tag", ["word": "n\(number)"]) }
            try context.save()
            #expect(try stored(library).count == 153)
            for tag in try context.fetchAll("Tag") { context.delete(tag) }
            try context.save()
            #expect(try stored(library) == ["Author y 2"])
            context.delete(author)
            try context.save()
            #expect(try stored(library) == [])
            context.insert("Tag", ["word": "e"])
            try context.save()
            #expect(try stored(library) == ["Tag e"])
            #expect(try context.fetchAll("Award").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aFailedSaveLeavesNothingForTheNext(_ kind: StoreKind) throws {
        let library = try Library(store: kind)
        let context = library.context
        let other = library.makeContext()
        try context.performAndWait {
            let tag = context.insert("Tag", ["word": "a"])
            try context.save()
            try other.performAndWait {
                try other.fetchAll("Tag")[0].setValue("theirs", forKey: "word")
                try other.save()
            }
            tag.setValue("mine", forKey: "word")
            context.insert("Tag", ["word": "new"])
            #expect(throws: (any Error).self) { try context.save() }
            #expect(try stored(library) == ["Tag theirs"])
            context.rollback()
            context.insert("Author", ["name": "x"])
            try context.save()
            #expect(try stored(library) == ["Author x 0", "Tag theirs"])
        }
    }

    @Test func savesGoToTheStoreOfTheirObjects() throws {
        let several = try SeveralStores(LibraryModel.make(), types: [NSInMemoryStoreType, NSInMemoryStoreType])
        let (stores, context) = (several.stores, several.context)
        try context.performAndWait {
            for number in 0..<6 {
                let tag = context.insert("Tag", ["word": "\(number)"])
                context.assign(tag, to: stores[number % 2])
                try context.save()
                #expect(tag.objectID.persistentStore === stores[number % 2])
            }
            let both = [context.insert("Tag"), context.insert("Tag")]
            for (tag, store) in zip(both, stores) { context.assign(tag, to: store) }
            try context.save()
            for (tag, store) in zip(both, stores) { #expect(tag.objectID.persistentStore === store) }
            for store in stores {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.affectedStores = [store]
                #expect(try context.count(for: request) == 4)
            }
        }
    }
}

/// Sets that somebody took from a notification are theirs.
@Suite("Sets of notifications")
struct NotificationSetTests {
    @Test func keptSetsDoNotChange() throws {
        let library = try Library()
        let context = library.context
        nonisolated(unsafe) var objects: [Set<NSManagedObject>] = []
        nonisolated(unsafe) var identifiers: [Set<NSManagedObjectID>] = []
        let names: [Notification.Name] = [
            .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave,
            .NSManagedObjectContextDidSaveObjectIDs,
        ]
        let tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
                if let set = note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> { objects.append(set) }
                if let set = note.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> {
                    identifiers.append(set)
                }
            }
        }
        defer { tokens.forEach(NotificationCenter.default.removeObserver) }
        try context.performAndWait {
            var tags: [Set<NSManagedObject>] = []
            for count in [1, 2, 1, 3, 20, 1] {
                tags.append(Set((0..<count).map { context.insert("Tag", ["word": "\($0)"]) }))
                try context.save()
            }
            // Two notifications for each save.
            #expect(objects == tags.flatMap { [$0, $0] })
            #expect(identifiers == tags.map { Set($0.map(\.objectID)) })
        }
    }

    /// What hooks change once rows are written belongs to the next save.
    @Test func hooksDoNotChangeWhatASaveReports() throws {
        let zoo = try Zoo()
        let context = zoo.context
        nonisolated(unsafe) var saved: [Set<NSManagedObject>] = []
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { saved.append($0.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []) }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.performAndWait {
            let written = try zoo.saved(), other = try zoo.saved()
            saved = []
            zoo.journal.onDidSave = { creature in
                zoo.journal.onDidSave = nil
                #expect(creature === written)
                other.setValue("changed by a hook", forKey: "name")
                context.processPendingChanges()
            }
            written.setValue("changed", forKey: "name")
            try context.save()
            #expect(saved == [[written]])
            #expect(other.hasChanges && !written.hasChanges)
            try context.save()
            #expect(saved == [[written], [other]])
        }
    }

    private static func count(_ note: Notification) -> Int {
        (note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
    }

    @Test func observersMaySaveWhileChangesAreReported() throws {
        let library = try Library()
        let context = library.context
        nonisolated(unsafe) var reported: [Int] = []
        nonisolated(unsafe) var saved: [Int] = []
        let tokens = [
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { note in
                let before = Self.count(note)
                if reported.count < 3 {
                    reported.append(before)
                    context.insert("Tag", ["word": "answer"])
                    context.insert("Tag", ["word": "second answer"])
                    try? context.save()
                }
                #expect(Self.count(note) == before)
            },
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { saved.append(Self.count($0)) },
        ]
        defer { tokens.forEach(NotificationCenter.default.removeObserver) }
        try context.performAndWait {
            context.insert("Tag", ["word": "first"])
            try context.save()
            #expect(!context.hasChanges)
            #expect(reported == [1, 2, 2])
            #expect(saved.reduce(0, +) == 7)
            context.insert("Tag", ["word": "last"])
            try context.save()
            #expect(saved.last == 1)
            #expect(try context.fetchAll("Tag").count == 8)
        }
    }
}

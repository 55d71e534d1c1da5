import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Run these under the Thread Sanitizer as well: `swift test --sanitize=thread --filter Concurrency`.
@Suite("Concurrency of contexts")
struct ContextConcurrencyTests {
    /// A context looks objects up while their last references go on other threads: a look-up gives the living object or a
    /// new one, never a dying one.
    @Test func lastReferencesMayGoOnAnyThread() throws {
        let library = try SQLiteLibrary()
        let context = library.context
        let ids = try context.performAndWait { () -> [NSManagedObjectID] in
            let tags = (0..<50).map { context.insert("Tag", ["word": "\($0)"]) }
            try context.save()
            return tags.map(\.objectID)
        }
        context.performAndWait { context.reset() }
        for round in 0..<100 {
            let objects = context.performAndWait {
                Dropped(ids.map { context.object(with: $0) })
            }
            let dropper = Thread { objects.drop() }
            dropper.start()
            context.performAndWait {
                for id in ids {
                    let object = context.object(with: id)
                    #expect(object.objectID == id)
                    if round % 10 == 0 { #expect(object.value(forKey: "word") != nil) }
                }
            }
        }
        context.performAndWait { context.refreshAllObjects() }
    }

    /// Programs set a context up where they make it, and ask it for its settings wherever they are: Apple's documentation
    /// sets them beside `perform`, not in it.
    @Test func settingsMayBeSetOnAnyThread() throws {
        let library = try SQLiteLibrary()
        let context = library.context
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        let policies = [NSMergePolicy.error, .mergeByPropertyObjectTrump, .overwrite]
        let managers = Managers()
        let group = DispatchGroup()
        for thread in 0..<2 {
            DispatchQueue.global().async(group: group) {
                for round in 0..<2000 {
                    context.name = "context \(thread) \(round)"
                    context.transactionAuthor = round % 3 == 0 ? nil : "author \(thread) \(round)"
                    context.mergePolicy = policies[round % 3]
                    context.automaticallyMergesChangesFromParent.toggle()
                    context.undoManager = round % 2 == 0 ? managers.all[thread] : nil
                    context.propagatesDeletesAtEndOfEvent = round % 2 == 0
                    _ = (context.name, context.transactionAuthor, context.mergePolicy, context.undoManager)
                    _ = (context.automaticallyMergesChangesFromParent, context.shouldDeleteInaccessibleFaults)
                }
            }
        }
        for round in 0..<100 {
            try context.performAndWait {
                context.insert("Tag", ["word": "\(round)"])
                try context.save()
            }
            try other.performAndWait {
                other.insert("Tag", ["word": "other \(round)"])
                try other.save()
            }
        }
        group.wait()
        context.undoManager = nil
        let count = try context.performAndWait { try context.fetchAll("Tag").count }
        #expect(count == 200)
    }

    /// Objects outlive their context, or its reset, and the last of them go on several threads at once.
    @Test(arguments: [false, true])
    func objectsOutliveTheirContext(resets: Bool) throws {
        let library = try SQLiteLibrary()
        try library.context.performAndWait {
            for index in 0..<64 { library.context.insert("Tag", ["word": "\(index)"]) }
            try library.context.save()
        }
        for _ in 0..<25 {
            let parts = try heldObjects(of: library.makeContext(), resets: resets)
            DispatchQueue.concurrentPerform(iterations: parts.count) { parts[$0].drop() }
        }
    }

    /// Objects of a context nobody else holds, in four parts.
    private func heldObjects(of context: NSManagedObjectContext, resets: Bool) throws -> [Dropped] {
        try context.performAndWait {
            var tags = try context.fetchAll("Tag")
            #expect(tags.count == 64)
            tags[0].setValue("changed", forKey: "word")
            tags.append(context.insert("Tag", ["word": "new"]))
            tags.append(context.object(with: tags[1].objectID))
            if resets { context.reset() }
            var parts: [[NSManagedObject]] = [[], [], [], []]
            for (index, tag) in tags.enumerated() { parts[index % 4].append(tag) }
            return parts.map { Dropped($0) }
        }
    }

    /// References handed to another thread to be let go there.
    private final class Dropped: @unchecked Sendable {
        private var objects: [NSManagedObject]
        init(_ objects: [NSManagedObject]) { self.objects = objects }
        func drop() {
            while !objects.isEmpty { objects.removeLast() }
        }
    }

    /// Writers and readers on queues of their own, one store: everything written is there in the end.
    @Test func contextsWorkSideBySide() async throws {
        let library = try SQLiteLibrary()
        let coordinator = library.coordinator
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                    context.persistentStoreCoordinator = coordinator
                    for batch in 0..<10 {
                        try await context.perform {
                            for index in 0..<10 { context.insert("Tag", ["word": "\(writer)-\(batch)-\(index)"]) }
                            try context.save()
                        }
                    }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                    context.persistentStoreCoordinator = coordinator
                    for _ in 0..<20 {
                        try await context.perform {
                            let tags = try context.fetchAll("Tag")
                            #expect(tags.count % 10 == 0)
                            #expect(tags.allSatisfy { $0.value(forKey: "word") != nil })
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try library.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 400)
    }

    /// A main context follows what background contexts save, on its own queue.
    @Test func changesAreMergedAsTheyAreSaved() async throws {
        let library = try SQLiteLibrary()
        let follower = library.makeContext()
        follower.automaticallyMergesChangesFromParent = true
        let id = try library.context.performAndWait {
            let tag = library.context.insert("Tag", ["word": "0"])
            try library.context.save()
            return tag.objectID
        }
        let seen = await follower.perform {
            let object = follower.object(with: id)
            // Read, so that only a merge can bring it up to date.
            #expect(object.value(forKey: "word") as? String == "0")
            return Dropped([object])
        }
        for round in 1...20 {
            try library.context.performAndWait {
                library.context.object(with: id).setValue("\(round)", forKey: "word")
                try library.context.save()
            }
        }
        // Merges were enqueued before this block.
        let word = await follower.perform { follower.object(with: id).value(forKey: "word") as? String }
        #expect(word == "20")
        await follower.perform { seen.drop() }
    }
}

/// Undo managers, which are touched by one context only.
private final class Managers: @unchecked Sendable {
    let all = [UndoManager(), UndoManager()]
}

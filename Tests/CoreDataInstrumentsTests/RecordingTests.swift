import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Recordings")
struct RecordingTests {
    private let library: Library

    init() throws {
        library = try Library(store: .sqlite)
        let context = library.context
        try context.performAndWait {
            for number in 0..<10 {
                let author = context.insert("Author", ["name": "Author \(number)"])
                for volume in 0..<3 {
                    context.insert("Book", ["title": "Book \(number).\(volume)", "pages": 100 + volume])
                        .setValue(author, forKey: "author")
                }
            }
            try context.save()
        }
    }

    private func reader() -> NSManagedObjectContext {
        let context = library.makeContext()
        context.name = "reader"
        // Opens the connection for reading, which is an event itself.
        context.performAndWait { _ = try? context.fetchAll("Tag") }
        return context
    }

    @Test func aFetchSaysWhatWasAskedAndWhatItCost() throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: "pages > %d", 100)
                request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
                request.fetchLimit = 5
                return try context.fetch(request).count
            }
        }
        let fetch = try #require(recording.events.first)
        #expect(recording.events.count == 1)
        #expect(fetch.kind == .fetch && fetch.source == .store)
        #expect(fetch.entity == "Book" && fetch.predicate == "pages > 100")
        #expect(fetch.sortOrder == ["title descending"] && fetch.fetchLimit == 5)
        #expect(fetch.objects == 5 && fetch.rows == 5)
        #expect(fetch.context == "reader" && fetch.parentID == nil && fetch.failure == nil)
        #expect(fetch.duration > .zero && fetch.sqlDuration > .zero && fetch.sqlDuration <= fetch.duration)
        #expect(fetch.start >= recording.start && fetch.duration <= recording.duration)
        #expect(fetch.statementCount == 1)
        let sql = try #require(fetch.statements.first?.sql)
        #expect(
            sql.hasPrefix("SELECT t0.Z_PK, ")
                && sql.hasSuffix("FROM ZBOOK t0 WHERE (t0.ZPAGES > ?1) ORDER BY t0.ZTITLE DESC, t0.Z_PK LIMIT ?2"))
        #expect(recording.totals.fetches == 1 && recording.totals.queries == 1 && recording.totals.rows == 5)
        #expect(recording.fetches.map(\.id) == [fetch.id])
    }

    @Test(arguments: [
        (NSFetchRequestResultType.managedObjectIDResultType, Instruments.Event.Kind.objectIDs),
        (.dictionaryResultType, .dictionaries), (.countResultType, .count), (.managedObjectResultType, .fetch),
    ])
    func everyFormOfAFetchIsAnEvent(_ type: NSFetchRequestResultType, _ kind: Instruments.Event.Kind) throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
                request.resultType = type
                _ = try context.fetch(request)
            }
        }
        #expect(recording.events.map(\.kind) == [kind])
        #expect(recording.events.first?.objects == 10)
        #expect(recording.totals.fetches == 1)
    }

    @Test func faultsFromMemoryAreCountedTogether() throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                for book in try context.fetchAll("Book") { _ = book.value(forKey: "title") }
            }
        }
        #expect(recording.events.map(\.kind) == [.fetch, .fault])
        #expect(recording.events.last?.source == .memory && recording.events.last?.objects == 30)
        #expect(recording.events.last?.entity == "Book")
        #expect(recording.totals.cacheHits == 30 && recording.totals.cacheMisses == 0)
        #expect(recording.cacheHits.count == 1 && recording.faults.isEmpty)
    }

    @Test func faultsFromTheStoreAreEventsOfTheirOwn() throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                request.includesPropertyValues = false
                for author in try context.fetch(request) { _ = author.value(forKey: "name") }
            }
        }
        #expect(recording.faults.count == 10 && recording.totals.faults == 10 && recording.totals.cacheHits == 0)
        #expect(recording.faults.allSatisfy { $0.entity == "Author" && $0.objects == 1 && $0.rows == 1 })
        #expect(Set(recording.faults.compactMap(\.objectID)).count == 10)
    }

    @Test func relationshipFaultsNameTheirRelationship() throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                let authors = try context.fetchAll("Author")
                _ = (authors.first?.value(forKey: "books") as? NSSet)?.count
            }
        }
        let fault = try #require(recording.events(of: .relationshipFault).first)
        #expect(fault.entity == "Author" && fault.keyPath == "books" && fault.objects == 3 && fault.rows == 3)
        #expect(fault.source == .store && recording.totals.relationshipFaults == 1)
    }

    @Test func prefetchedRelationshipsFaultNoMore() throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                request.relationshipKeyPathsForPrefetching = ["books"]
                for author in try context.fetch(request) { _ = (author.value(forKey: "books") as? NSSet)?.count }
            }
        }
        let prefetch = try #require(recording.events(of: .prefetch).first)
        let fetch = try #require(recording.fetches.first)
        #expect(prefetch.keyPath == "books" && prefetch.parentID == fetch.id && prefetch.objects == 30)
        #expect(recording.events(of: .relationshipFault).isEmpty)
    }

    @Test func aSaveCountsItsChangesAndStatements() throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                let books = try context.fetchAll("Book")
                // Its author loses a book, which is an update.
                context.delete(books[0])
                books[1].setValue("New", forKey: "title")
                context.insert("Book", ["title": "Newer"])
                context.insert("Book", ["title": "Newest"])
                try context.save()
            }
        }
        let save = try #require(recording.saves.first)
        #expect(save.changes == Instruments.Event.Changes(inserted: 2, updated: 2, deleted: 1))
        #expect(save.source == .store && save.commitDuration > .zero)
        #expect(save.statements.contains { $0.sql == "BEGIN IMMEDIATE" && $0.count == 1 })
        let insert = try #require(save.statements.first { $0.sql.hasPrefix("INSERT INTO ZBOOK") })
        #expect(insert.count == 2)
        #expect(recording.totals.changes.total == 5)
    }

    @Test func savesOfChildrenGoToTheirParents() throws {
        let child = library.makeChild()
        let recording = try Instruments.record {
            try child.performAndWait {
                child.insert("Tag", ["word": "new"])
                try child.save()
            }
        }
        let save = try #require(recording.saves.first)
        #expect(save.source == .parent && save.statementCount == 0 && save.changes.inserted == 1)
    }

    @Test func fetchesThroughAParentCountOnce() throws {
        let child = library.makeChild()
        try child.performAndWait { _ = try child.fetchAll("Tag") }
        let recording = try Instruments.record {
            try child.performAndWait { _ = try child.fetchAll("Author") }
        }
        #expect(recording.events.map(\.source) == [.parent, .store])
        #expect(recording.events.last?.parentID == recording.events.first?.id)
        #expect(recording.fetches.count == 1 && recording.totals.fetches == 1)
    }

    @Test func batchesOfAResultAreEvents() throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.fetchBatchSize = 10
                for book in try context.fetch(request) { _ = book.value(forKey: "title") }
            }
        }
        let batches = recording.events(of: .batch)
        #expect(!batches.isEmpty && batches.map(\.objects).reduce(0, +) == 30)
    }

    @Test func requestsWithoutObjectsAreEvents() throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                let update = NSBatchUpdateRequest(entityName: "Book")
                update.predicate = NSPredicate(format: "pages == 100")
                update.propertiesToUpdate = ["pages": 1]
                try context.execute(update)
                try context.execute(
                    NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")))
            }
        }
        #expect(recording.events.map(\.kind) == [.batchUpdate, .batchDelete])
        #expect(recording.events.first?.entity == "Book" && recording.events.first?.predicate == "pages == 100")
    }

    @Test func failuresAreEventsToo() throws {
        let context = reader()
        let recording = Instruments.record {
            context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: "nothing == 1")
                _ = try? context.fetch(request)
            }
        }
        #expect(recording.events.count == 1 && recording.events.first?.failure?.isEmpty == false)
    }

    @Test func plansAreRecordedOnRequest() throws {
        let context = reader()
        let recording = try Instruments.record(plans: true) {
            try context.performAndWait { _ = try context.fetchAll("Book") }
        }
        #expect(recording.events.first?.queryPlan == ["SCAN t0"])
    }

    @Test func predicatesWithObjectsArePrinted() throws {
        let context = reader()
        let recording = try Instruments.record {
            try context.performAndWait {
                let author = try #require(context.fetchAll("Author").first)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: "author == %@", author)
                #expect(try context.fetch(request).count == 3)
            }
        }
        #expect(recording.fetches.last?.predicate?.hasPrefix("author == ") == true)
    }

    // MARK: Limits

    @Test func overTheLimitOnlyTotalsAreKept() throws {
        let context = reader()
        let recording = try Instruments.record(limit: 3) {
            try context.performAndWait {
                for _ in 0..<10 { _ = try context.fetchAll("Tag") }
                for book in try context.fetchAll("Book") { _ = book.value(forKey: "title") }
                try context.save()
            }
        }
        #expect(recording.events.count == 3 && recording.droppedEvents == 10)
        #expect(recording.totals.events == 13 && recording.totals.fetches == 11 && recording.totals.saves == 1)
        #expect(recording.totals.cacheHits == 30 && recording.totals.queries == 11)
    }

    // MARK: Tasks

    @Test func aRecordingCoversTheTasksItStarts() async throws {
        let contexts = (0..<4).map { _ in library.makeContext() }
        let recording = try await Instruments.record {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for context in contexts {
                    group.addTask { try await context.perform { try context.fetchAll("Author").count } }
                }
                for try await count in group { #expect(count == 10) }
            }
        }
        #expect(recording.fetches.count == 4)
        #expect(recording.fetches.allSatisfy { $0.task != nil })
    }

    @Test func otherTasksAreLeftOut() async throws {
        let context = reader(), other = library.makeContext()
        let recording = try await Instruments.record {
            try await context.perform { _ = try context.fetchAll("Author") }
            _ = try await Task.detached { try await other.perform { try other.fetchAll("Book").count } }.value
        }
        #expect(recording.fetches.map(\.entity) == ["Author"])
    }

    @Test func recordingsNest() throws {
        let context = reader()
        var inner: Instruments.Recording?
        let outer = try Instruments.record {
            try context.performAndWait {
                _ = try context.fetchAll("Author")
                inner = try Instruments.record { _ = try context.fetchAll("Book") }
            }
        }
        #expect(inner?.fetches.map(\.entity) == ["Book"])
        #expect(outer.fetches.map(\.entity) == ["Author", "Book"])
    }

    /// In a process of its own: other tests count the statements of theirs.
    @Test func theWholeProcessIsRecordedBetweenStartAndStop() async throws {
        await #expect(processExitsWith: .success) {
            let library = try Library(store: .sqlite)
            let context = library.makeContext()
            _ = try await context.perform { try context.fetchAll("Tag").count }
            Instruments.start()
            _ = try await Task.detached { try await context.perform { try context.fetchAll("Author").count } }.value
            let recording = Instruments.stop()
            precondition(recording.events.map(\.kind) == [.fetch])
            _ = try await context.perform { try context.fetchAll("Author").count }
            precondition(Instruments.stop().events.isEmpty)
        }
    }
}

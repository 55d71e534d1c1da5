import CoreData
import CoreDataRuntimeSupport
import CoreDataTestSupport
import Foundation
import Testing

/// Observers are the process's, so each test is a process of its own.
@Suite("Observers of operations")
struct ObserverTests {
    /// Traces as a tracing system keeps them: in a task local.
    private enum Request {
        @TaskLocal static var path: String?
    }

    /// Writes down paths of operations, such as “request/save/fault Book”.
    private final class Paths: Instruments.Observer {
        private let lines = Locked<(began: [String], ended: [String])>(([], []))

        var currentTrace: String? { Request.path }

        func began(_ operation: Instruments.Event, in trace: String?) -> String? {
            let name = operation.kind.rawValue + (operation.entity.map { " \($0)" } ?? "")
            let path = trace.map { "\($0)/\(name)" } ?? name
            lines.withLock { $0.began.append(path) }
            return path
        }

        func ended(_ operation: Instruments.Event, in trace: String?) {
            lines.withLock { $0.ended.append(trace ?? "none") }
        }

        /// What has ended since this was asked for last. Everything that began has.
        func take() -> [String] {
            lines.withLock { lines in
                #expect(lines.began.sorted() == lines.ended.sorted())
                defer { lines = ([], []) }
                return lines.ended
            }
        }
    }

    private static func books() -> NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Book") }

    @Test func operationsBelongToTheTaskThatAsksForThem() async {
        await #expect(processExitsWith: .success) {
            let library = try Library(store: .sqlite)
            let context = library.context
            let paths = Paths()
            try await context.perform {
                context.insert("Book", ["title": "Emma", "author": context.insert("Author", ["name": "Jane"])])
                try context.save()
            }
            Instruments.add(paths)
            Instruments.add(paths)
            _ = try await Request.$path.withValue("first") {
                try await context.perform { try context.fetchAll("Book").count }
            }
            // The first use of a connection sets it up.
            #expect(paths.take() == ["first/fetch Book/maintenance", "first/fetch Book"])
            try Request.$path.withValue("second") {
                context.performAndWait { context.reset() }
                let titles = try context.performAndWait {
                    try context.fetchAll("Book").map { $0.value(forKeyPath: "author.name") as? String }
                }
                #expect(titles == ["Jane"])
            }
            #expect(paths.take() == ["second/fetch Book", "second/fault Author"])
            // A block has the trace of where it was passed to the queue, unless it has one of its own.
            try await Request.$path.withValue("outer") {
                try await context.perform {
                    _ = try Request.$path.withValue("inner") { try context.count(for: Self.books()) }
                    _ = try context.count(for: Self.books())
                }
            }
            #expect(paths.take() == ["inner/count Book", "outer/count Book"])
            _ = try context.performAndWait { try context.fetchAll("Book") }
            #expect(paths.take() == ["fetch Book"])
            Instruments.remove(paths)
            _ = try context.performAndWait { try context.fetchAll("Book") }
            #expect(paths.take().isEmpty)
        }
    }

    @Test func operationsWithinOthersAndThoseTheyLeadTo() async {
        await #expect(processExitsWith: .success) {
            let library = try Library(store: .sqlite)
            let (context, other) = (library.context, library.makeContext())
            other.automaticallyMergesChangesFromParent = true
            let held = Locked<[NSManagedObject]>([])
            try await context.perform {
                let author = context.insert("Author", ["name": "Jane"])
                for title in ["Emma", "Persuasion"] { context.insert("Book", ["title": title, "author": author]) }
                try context.save()
            }
            try await other.perform {
                let books = try other.fetchAll("Book")
                held.withLock { $0 = books }
            }
            let paths = Paths()
            Instruments.add(paths)
            try await Request.$path.withValue("edit") {
                try await context.perform {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                    request.relationshipKeyPathsForPrefetching = ["books"]
                    let authors = try context.fetch(request)
                    (authors[0].value(forKey: "books") as? Set<NSManagedObject>)?.first?.setValue(
                        "New", forKey: "title")
                    try context.save()
                }
            }
            await other.perform {}
            let ended = paths.take()
            #expect(ended.contains("edit/fetch Author/prefetch Author"))
            #expect(ended.contains("edit/fetch Author"))
            #expect(ended.contains("edit/save"))
            // On the queue of the other context, which was told of the save within it.
            #expect(ended.contains("edit/save/merge"), "\(ended)")
            #expect(ended.allSatisfy { $0.hasPrefix("edit/") }, "\(ended)")
            Instruments.remove(paths)
        }
    }

    /// Counts and times operations; it has no use for traces.
    private final class Figures: Instruments.Observer {
        let events = Locked<[Instruments.Event]>([])

        func ended(_ operation: Instruments.Event, in trace: Never?) { events.withLock { $0.append(operation) } }
    }

    @Test func metricsNeedOnlyTheEnds() async {
        await #expect(processExitsWith: .success) {
            let library = try Library(store: .sqlite)
            let context = library.context
            let figures = Figures()
            Instruments.add(figures)
            let refusal = try context.performAndWait {
                context.insert("Tag", ["word": "red"])
                try context.save()
                context.insert("Tag", ["word": "blue"])
                context.reset()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.predicate = NSPredicate(format: "colour == 'a secret'")
                let error = #expect(throws: (any Error).self) { try context.fetch(request) }
                let tag = try #require(context.fetchAll("Tag").first)
                _ = tag.value(forKey: "word")
                return error.map { $0 as NSError }
            }
            Instruments.remove(figures)
            let events = figures.events.withLock { $0 }
            // The fault's values are in memory.
            #expect(events.map(\.kind) == [.maintenance, .save, .fetch, .maintenance, .fetch])
            let save = events[1], failed = events[2]
            #expect(save.changes == .init(inserted: 1) && save.statementCount > 0 && save.duration > .zero)
            #expect(failed.failure?.isEmpty == false && failed.failureType == refusal.map { "\($0.domain) \($0.code)" })
            #expect(events[4].failureType == nil && events[4].objects == 1)
        }
    }

    @Test func twoObserversHaveTracesOfTheirOwn() async {
        await #expect(processExitsWith: .success) {
            let library = try Library(store: .sqlite)
            let (first, second, figures) = (Paths(), Paths(), Figures())
            Instruments.add(first)
            _ = try await Request.$path.withValue("both") {
                try await library.context.perform { [context = library.context] in
                    _ = try context.fetchAll("Tag")
                    Instruments.add(second)
                    Instruments.add(figures)
                    return try context.fetchAll("Tag").count
                }
            }
            #expect(first.take() == ["both/fetch Tag", "both/fetch Tag"])
            // It came after the block had been passed to the queue.
            #expect(second.take() == ["fetch Tag"])
            #expect(figures.events.withLock { $0.count } == 1)
        }
    }
}

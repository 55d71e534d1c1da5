import CoreData
import CoreDataTestSupport
import PredicateFormat
import Synchronization
import Testing

/// Fetches that run in the background.
@Suite
struct AsynchronousFetchTests {
    private let library: FetchLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws { library = try FetchLibrary() }

    /// Runs a request to its end.
    private func run<Result>(
        _ fetch: NSFetchRequest<Result>, prepare: (NSPersistentStoreAsynchronousResult) -> Void = { _ in }
    ) throws -> NSAsynchronousFetchResult<Result> {
        let done = DispatchSemaphore(value: 0)
        let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { _ in done.signal() }
        request.estimatedResultCount = 40
        let result = try context.performAndWait {
            let result = try #require(try context.execute(request) as? NSAsynchronousFetchResult<Result>)
            // The queue is busy with this block: the fetch has not begun.
            #expect(result.finalResult == nil && result.operationError == nil)
            #expect(result.progress?.totalUnitCount == 40)
            prepare(result)
            return result
        }
        #expect(done.wait(timeout: .now() + 10) == .success)
        return result
    }

    @Test func givesItsResultLater() throws {
        let result = try run(FetchLibrary.books("pages < 4"))
        context.performAndWait {
            #expect(result.finalResult.map(FetchLibrary.pages) == [1, 2, 3])
            #expect(result.operationError == nil)
            #expect(result.managedObjectContext === context)
            #expect(result.progress?.isFinished == true)
        }
    }

    @Test func completesOnTheContextsQueue() throws {
        let isOnQueue = Mutex(false)
        let done = DispatchSemaphore(value: 0)
        let context = context
        let request = NSAsynchronousFetchRequest(fetchRequest: FetchLibrary.books("pages == 1")) { result in
            // Re-entrant only on the queue itself.
            context.performAndWait { isOnQueue.withLock { $0 = result.finalResult?.count == 1 } }
            done.signal()
        }
        try context.performAndWait { _ = try context.execute(request) }
        #expect(done.wait(timeout: .now() + 10) == .success)
        #expect(isOnQueue.withLock { $0 })
    }

    @Test func otherResultTypes() throws {
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        #expect(try run(ids).finalResult?.count == 40)
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
        dictionaries.resultType = .dictionaryResultType
        #expect(try run(dictionaries).finalResult?.count == 40)
    }

    @Test func leavesUnsavedChangesOut() throws {
        try context.performAndWait {
            context.insert("Book", ["pages": 0])
            context.delete(try context.fetch(FetchLibrary.books("pages == 1"))[0])
        }
        let result = try run(FetchLibrary.books("pages < 3"))
        context.performAndWait { #expect(result.finalResult?.count == 2) }
    }

    @Test func cancelledBeforeItBegins() throws {
        let result = try run(FetchLibrary.books()) { $0.cancel() }
        #expect(result.finalResult == nil)
        #expect((result.operationError as? CocoaError)?.code == .userCancelled)
        #expect(result.progress?.isCancelled == true)
    }

    /// Cancelled somewhere in the middle, or too late: either the whole result or none.
    @Test func cancelledWhileItRuns() throws {
        context.performAndWait {
            for number in 0..<5000 { context.insert("Book", ["pages": 1000 + number]) }
            try? context.save()
            context.reset()
        }
        for delay in [0, 200, 1000, 5000] {
            let result = try run(FetchLibrary.books()) { result in
                let progress = result.progress
                DispatchQueue.global().async {
                    usleep(UInt32(delay))
                    progress?.cancel()
                }
            }
            context.performAndWait {
                if let books = result.finalResult {
                    #expect(books.count == 5040 && result.operationError == nil)
                } else {
                    #expect((result.operationError as? CocoaError)?.code == .userCancelled)
                }
                context.reset()
            }
        }
    }

    @Test func failures() throws {
        let result = try run(FetchLibrary.books("colour == 1"))
        #expect(result.finalResult == nil)
        #expect((result.operationError as? NSError)?.code == NSCoreDataError)
    }
}

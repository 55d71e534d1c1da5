import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Fetches that run in the background: results come on the context's queue, and may be called off.
@Suite("Asynchronous requests")
struct AsynchronousRequestTests {
    private func library() throws -> SQLiteLibrary {
        let library = try SQLiteLibrary()
        try library.context.performAndWait {
            for index in 0..<20 { library.context.insert("Tag", ["word": "\(index)"]) }
            try library.context.save()
        }
        return library
    }

    @Test func resultsComeLater() async throws {
        let library = try library()
        let context = library.context
        let count: Int? = try await withCheckedThrowingContinuation { continuation in
            context.perform {
                let request = NSAsynchronousFetchRequest<NSManagedObject>(
                    fetchRequest: NSFetchRequest(entityName: "Tag")
                ) { result in
                    #expect(result.operationError == nil && result.managedObjectContext === context)
                    continuation.resume(returning: result.finalResult?.count)
                }
                request.estimatedResultCount = 20
                do {
                    let result = try context.execute(request) as? NSAsynchronousFetchResult<NSManagedObject>
                    #expect(result?.finalResult == nil && result?.progress != nil)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(count == 20)
    }

    @Test func failuresAndCancellationsAreReported() async throws {
        let library = try library()
        let context = library.context
        let codes: [Int] = await withCheckedContinuation { continuation in
            context.perform {
                nonisolated(unsafe) var codes: [Int] = []
                let wrong = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                wrong.predicate = NSPredicate(format: "nonsense == 1")
                let failing = NSAsynchronousFetchRequest<NSManagedObject>(fetchRequest: wrong) { result in
                    codes.append(result.operationError == nil ? 0 : 1)
                }
                let cancelled = NSAsynchronousFetchRequest<NSManagedObject>(
                    fetchRequest: NSFetchRequest(entityName: "Tag")
                ) { result in
                    codes.append((result.operationError as NSError?)?.code ?? 0)
                    continuation.resume(returning: codes)
                }
                _ = try? context.execute(failing)
                (try? context.execute(cancelled) as? NSAsynchronousFetchResult<NSManagedObject>)?.cancel()
            }
        }
        #expect(codes == [1, CocoaError.userCancelled.rawValue])
    }
}

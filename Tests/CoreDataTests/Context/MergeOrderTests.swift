import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Programs that wait for a save and then read another context expect its automatic merge to have been queued before the
/// notification was posted.
@Suite("The order of merges and notifications")
struct MergeOrderTests {
    @Test func mergesAreQueuedBeforeObserversAreTold() async throws {
        let library = try SQLiteLibrary()
        let writer = library.context, reader = library.makeContext()
        reader.automaticallyMergesChangesFromParent = true
        let id = try await writer.perform {
            let book = writer.insert("Book", ["title": "old"])
            try writer.save()
            return book.objectID
        }
        nonisolated(unsafe) let book = try await reader.perform { try reader.existingObject(with: id) }
        for number in 0..<20 {
            let title = "title \(number)"
            let seen = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<String?, any Error>) in
                let observer = Observer()
                observer.token = NotificationCenter.default.addObserver(
                    forName: .NSManagedObjectContextDidSave, object: writer, queue: nil
                ) { _ in
                    observer.end()
                    reader.perform { continuation.resume(returning: book.value(forKey: "title") as? String) }
                }
                writer.perform {
                    do {
                        try writer.existingObject(with: id).setValue(title, forKey: "title")
                        try writer.save()
                    } catch {
                        observer.end()
                        continuation.resume(throwing: error)
                    }
                }
            }
            #expect(seen == title)
        }
    }

    private final class Observer: @unchecked Sendable {
        var token: (any NSObjectProtocol)?

        func end() { token.map(NotificationCenter.default.removeObserver) }
    }
}

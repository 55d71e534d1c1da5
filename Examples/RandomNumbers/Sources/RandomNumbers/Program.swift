import Foundation
import MagicalRecord

@main
@MainActor
struct Program {
    let options: Options

    static func main() async {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            if options.wantsHelp {
                print(Options.help)
            } else {
                try await Program(options: options).run()
            }
        } catch {
            let text = (error as? Failure)?.description ?? (error as NSError).localizedDescription
            FileHandle.standardError.write(Data("RandomNumbers: \(text)\n".utf8))
            exit(1)
        }
    }

    private func run() async throws {
        let container = try Self.makeContainer()
        let context = container.viewContext
        context.automaticallyMergesChangesFromParent = true

        // One element for each group of changes that the list has shown.
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let list = try NumberList(context) { arrival.yield() }
        let heartbeat = Heartbeat()
        heartbeat.start()
        if options.isBlocking {
            print("Making \(options.count) numbers on the main queue:")
            for _ in 0..<options.count { try RandomNumber.make(in: context, after: options.pause) }
        } else {
            print("Making \(options.count) numbers in the background:")
            try await makeInBackground(container.persistentStoreCoordinator)
        }
        context.processPendingChanges()
        var waiting = arrivals.makeAsyncIterator()
        while list.rows.count < options.count, await waiting.next() != nil {}
        heartbeat.stop()

        print("The list: \(list.rows.joined(separator: ", "))")
        let silence =
            Double(heartbeat.longestSilence.components.attoseconds) / 1e18
            + Double(heartbeat.longestSilence.components.seconds)
        print(
            "The interface answered \(heartbeat.count) times; the longest it was silent was "
                + String(format: "%.2f s.", silence))
        guard list.isRight, list.rows.count == options.count else {
            throw Failure(description: "The list does not show what is in the store.")
        }
    }

    private func makeInBackground(_ coordinator: NSPersistentStoreCoordinator) async throws {
        let operation = RandomOperation(coordinator: coordinator, count: options.count, pause: options.pause)
        let queue = OperationQueue()
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            queue.addOperation(operation)
        }
        if let error = operation.error { throw error }
    }

    /// Returns a container with a store in memory, so that every run begins with an empty list.
    private static func makeContainer() throws -> NSPersistentContainer {
        guard let url = Bundle.module.url(forResource: "RandomNumbers", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: url)
        else { throw Failure(description: "The model that comes with this program is missing.") }
        let container = NSPersistentContainer(name: "RandomNumbers", managedObjectModel: model)
        container.persistentStoreDescriptions[0].url = URL(fileURLWithPath: "/dev/null")
        nonisolated(unsafe) var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }
}

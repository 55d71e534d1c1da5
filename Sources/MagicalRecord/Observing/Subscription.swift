import CoreData

/// The observation of an iterator, which ends when the iterator is released or has delivered its last value.
final class Subscription<Value>: Sendable {
    private let watcher: ContextWatcher<Value>

    init(_ watcher: ContextWatcher<Value>) {
        self.watcher = watcher
        watcher.start()
    }

    deinit { watcher.stop() }

    func next() async throws -> Unchecked<Value>? {
        do {
            if let value = try await watcher.mailbox.next({ watcher.ask() }) { return value }
        } catch {
            watcher.stop()
            throw error
        }
        watcher.stop()
        return nil
    }
}

/// The parts of a sequence of live values: a context, or the error of finding one, and an observer for each iterator.
struct WatchPlan<Value>: Sendable {
    private let context: Result<NSManagedObjectContext, any Error>
    private let source: @Sendable () -> WatchedSource<Value>

    init(
        _ context: Result<NSManagedObjectContext, any Error>, _ source: @escaping @Sendable () -> WatchedSource<Value>
    ) {
        self.context = context
        self.source = source
    }

    func subscribe() -> Result<Subscription<Value>, any Error> {
        context.map { Subscription(ContextWatcher($0, source())) }
    }
}

/// Checks that trap when a context or an object is used off its queue.
///
/// Enabled by the argument `-com.apple.CoreData.ConcurrencyDebug 1`, as in Apple's framework, or the environment variable
/// `COREDATA_CONCURRENCY_DEBUG=1`. Free of cost if disabled: objects then read their values directly.
public enum ConcurrencyChecks {
    @usableFromInline
    static let isOn: Bool = {
        if let value = getenv("COREDATA_CONCURRENCY_DEBUG") { return String(cString: value) != "0" }
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: "-com.apple.CoreData.ConcurrencyDebug") else { return false }
        return index + 1 < arguments.count && arguments[index + 1] != "0"
    }()

    static func verify(_ context: NSManagedObjectContext, _ object: NSManagedObject?) {
        guard !context.executor.isCurrent else { return }
        let current =
            NSManagedObjectContext.current.map { "the queue of \($0)" }
            ?? (Thread.isMainThread ? "the main thread" : "no context's queue")
        fatalError(
            "Core Data multithreading violation: \(object.map { "object \($0.objectID) of " } ?? "")\(context) was used on \(current). Use it inside perform(_:) or performAndWait(_:) of its context only; pass object IDs between contexts."
        )
    }
}

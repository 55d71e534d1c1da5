import Dispatch
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The queue of a context, and the knowledge of which contexts the current thread is working for.
final class ContextQueue: @unchecked Sendable {
    let queue: DispatchQueue?
    private let isMain: Bool
    private let owner = pthread_self()
    var label: String?

    init(_ type: NSManagedObjectContextConcurrencyType) {
        switch type {
        case .privateQueueConcurrencyType:
            queue = DispatchQueue(label: "NSManagedObjectContext", autoreleaseFrequency: .workItem)
            isMain = false
        case .mainQueueConcurrencyType:
            queue = .main
            isMain = true
            MainQueue.mark()
        case .confinementConcurrencyType:
            queue = nil
            isMain = false
        }
    }

    /// Whether the current thread is inside a block of this queue (or is the main thread, for the main queue).
    var isCurrent: Bool {
        if isMain { return MainQueue.isCurrent }
        guard queue != nil else { return pthread_equal(owner, pthread_self()) != 0 }
        return CurrentContexts.contains(self)
    }

    func async(_ context: NSManagedObjectContext, _ block: @escaping @Sendable () -> Void) {
        guard let queue else {
            preconditionFailure("Can only use perform(_:) with a context that was created with a queue.")
        }
        queue.async { self.run(context, block) }
    }

    func sync<T>(_ context: NSManagedObjectContext, _ block: () throws -> T) rethrows -> T {
        if isCurrent {
            // Re-entered: the block that is running ends the event.
            return try CurrentContexts.with(context, self, block)
        }
        guard let queue else {
            preconditionFailure("Can only use performAndWait(_:) with a context that was created with a queue.")
        }
        return try queue.sync { try CurrentContexts.with(context, self, block) }
    }

    private func run(_ context: NSManagedObjectContext, _ block: () -> Void) {
        CurrentContexts.with(context, self) {
            block()
            context.processPendingChanges()
        }
    }
}

/// The main queue, which is not bound to the main thread once that waits in `dispatchMain()`, as it does below an
/// asynchronous `main()`.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let marked: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    static func mark() { _ = marked }

    static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}

/// The contexts the current thread is working for, innermost last.
enum CurrentContexts {
    private final class Stack {
        var entries: [(queue: ContextQueue, context: NSManagedObjectContext)] = []
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            guard let pointer = pointer as UnsafeMutableRawPointer? else { return }
            Unmanaged<AnyObject>.fromOpaque(pointer).release()
        }
        return key
    }()

    private static var stack: Stack {
        if let pointer = pthread_getspecific(key) { return Unmanaged<Stack>.fromOpaque(pointer).takeUnretainedValue() }
        let stack = Stack()
        pthread_setspecific(key, Unmanaged.passRetained(stack).toOpaque())
        return stack
    }

    static func contains(_ queue: ContextQueue) -> Bool {
        stack.entries.contains { $0.queue === queue }
    }

    static var innermost: NSManagedObjectContext? { stack.entries.last?.context }

    static func with<T>(
        _ context: NSManagedObjectContext, _ queue: ContextQueue, _ body: () throws -> T
    ) rethrows -> T {
        let stack = stack
        stack.entries.append((queue, context))
        defer { stack.entries.removeLast() }
        return try body()
    }
}

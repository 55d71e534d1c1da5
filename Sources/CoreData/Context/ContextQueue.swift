import CoreDataRowStorage
import Dispatch
import Synchronization
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The queue of a context. ``CurrentContexts`` tracks the contexts that the current thread works for.
final class ContextQueue: @unchecked Sendable {
    let queue: DispatchQueue?
    private let isMain: Bool
    private let owner = pthread_self()
    private let hasBegun = Atomic<Bool>(false)

    init(_ type: NSManagedObjectContextConcurrencyType) {
        switch type {
        case .privateQueueConcurrencyType:
            queue = DispatchQueue(label: "NSManagedObjectContext", autoreleaseFrequency: .workItem)
            isMain = false
        case .mainQueueConcurrencyType:
            queue = .main
            isMain = true
        case .confinementConcurrencyType:
            queue = nil
            isMain = false
        }
    }

    /// True if the current thread is inside a block of this queue (or is the main thread, for the main queue).
    var isCurrent: Bool {
        if isMain { return MainQueue.isCurrent }
        guard queue != nil else { return pthread_equal(owner, pthread_self()) != 0 }
        return CurrentContexts.contains(self)
    }

    /// True if the program uses the context in blocks of its queue, so that this module may use it there at any time. Many
    /// programs use a context on its thread instead, which is safe as long as nothing else accesses it.
    var isUsed: Bool { isMain || hasBegun.load(ordering: .relaxed) }

    /// Records that a block of the program begins.
    @inline(__always)
    private func noteUse(of context: NSManagedObjectContext) {
        if !hasBegun.load(ordering: .relaxed) { begin(context) }
    }

    @inline(never)
    private func begin(_ context: NSManagedObjectContext) {
        hasBegun.store(true, ordering: .relaxed)
        // From now on the parent and the coordinator notify it on its queue. Apply what they queued before.
        context.applyParentChanges()
        context.handleRemovals()
    }

    /// Runs a block asynchronously, then processes the changes it made.
    func async(_ context: NSManagedObjectContext, _ block: @escaping @Sendable () -> Void) {
        guard let queue else {
            preconditionFailure("Can only use perform(_:) with a context that was created with a queue.")
        }
        let origin = Probe.isOn ? InstrumentOrigin.ofLaterBlock : nil
        queue.async {
            self.asCurrent(context, from: origin) {
                self.noteUse(of: context)
                block()
                context.processAllPendingChanges()
            }
        }
    }

    /// Runs a block of this module asynchronously, if there is a queue. The block marks itself as current where it needs to.
    func asyncQuietly(_ block: @escaping @Sendable () -> Void) {
        queue?.async(execute: block)
    }

    /// Runs a block of the program asynchronously. The block must process its changes.
    func enqueue(_ context: NSManagedObjectContext, _ block: @escaping @Sendable () -> Void) {
        let origin = Probe.isOn ? InstrumentOrigin.ofLaterBlock : nil
        queue?.async {
            self.asCurrent(context, from: origin) {
                self.noteUse(of: context)
                block()
            }
        }
    }

    /// Runs a block on the queue and waits for it. Runs it directly if the current thread is already in a block of the queue.
    ///
    /// - Parameter isUse: Whether the block is the program's, rather than one for a child's fetch or save.
    func sync<T>(
        _ context: NSManagedObjectContext, isUse: Bool = true, _ block: () throws -> T
    ) rethrows -> T {
        // Re-entrant call: the running block processes the changes.
        if isCurrent { return try asCurrent(context, block) }
        guard let queue else {
            preconditionFailure("Can only use performAndWait(_:) with a context that was created with a queue.")
        }
        // The block may run on another thread. The contexts of this thread wait meanwhile and may be used there.
        let waiting = CurrentContexts.entries
        let holdsMainQueue = !isMain && MainQueue.isHeld
        let origin = Probe.isOn ? InstrumentOrigin.current : nil
        return try queue.sync {
            try CurrentContexts.with(waiting + [(self, context)], holdsMainQueue: holdsMainQueue) {
                if isUse { noteUse(of: context) }
                guard let origin else { return try block() }
                return try origin.run(isAwaited: true, block)
            }
        }
    }

    /// Runs a block that was added to the queue earlier.
    ///
    /// - Parameter origin: The place where the block was added, if instruments were on then.
    private func asCurrent(
        _ context: NSManagedObjectContext, from origin: InstrumentOrigin?, _ block: () -> Void
    ) {
        guard let origin else { return asCurrent(context, block) }
        asCurrent(context) { origin.run(isAwaited: false, block) }
    }

    /// Runs a block on the current thread as one of the context's.
    func asCurrent<T>(_ context: NSManagedObjectContext, _ block: () throws -> T) rethrows -> T {
        try CurrentContexts.pushing((self, context), block)
    }
}

/// The main queue. It is not bound to the main thread once that waits in `dispatchMain()`, as it does below an asynchronous
/// `main()`.
package enum MainQueue {
    /// The key that marks the main queue, set on first access.
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    package static var isCurrent: Bool {
        if known.load(ordering: .relaxed) == handle { return true }
        if Thread.isMainThread {
            known.store(handle, ordering: .relaxed)
            return true
        }
        return isHeld
    }

    /// True if this thread is in a block of the main queue, or in a block that such a block runs synchronously on a context's
    /// queue, where Dispatch reports that queue only.
    static var isHeld: Bool { DispatchQueue.getSpecific(key: key) == true || CurrentContexts.holdsMainQueue }

    /// The main thread's handle, cached because finding it takes a system call. No other thread ever gets the same handle.
    private static let known = Atomic<UInt>(0)

    private static var handle: UInt { withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) } }
}

/// The contexts that the current thread works for, innermost last.
enum CurrentContexts {
    typealias Entry = (queue: ContextQueue, context: NSManagedObjectContext)

    private final class Stack {
        @exclusivity(unchecked) var entries: ContiguousArray<Entry> = []
        @exclusivity(unchecked) var holdsMainQueue = false
        @exclusivity(unchecked) var exclusive = ExclusiveSessions()
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            guard let pointer = pointer as UnsafeMutableRawPointer? else { return }
            Unmanaged<AnyObject>.fromOpaque(pointer).release()
        }
        return key
    }()

    private static var stack: Stack { unretainedStack.takeUnretainedValue() }

    /// The thread's stack of contexts, created on first access and kept until the thread ends.
    private static var unretainedStack: Unmanaged<Stack> {
        if let pointer = pthread_getspecific(key) { return Unmanaged<Stack>.fromOpaque(pointer) }
        let stack = Unmanaged.passRetained(Stack())
        pthread_setspecific(key, stack.toOpaque())
        return stack
    }

    static var entries: ContiguousArray<Entry> { stack.entries }

    /// True if a block of the main queue waits for the block that runs on this thread.
    static var holdsMainQueue: Bool { stack.holdsMainQueue }

    static func contains(_ queue: ContextQueue) -> Bool {
        stack.entries.contains { $0.queue === queue }
    }

    static var innermost: NSManagedObjectContext? { stack.entries.last?.context }

    static func pushing<T>(_ entry: Entry, _ body: () throws -> T) rethrows -> T {
        try unretainedStack._withUnsafeGuaranteedRef { stack in
            let isOutermost = stack.entries.isEmpty
            stack.entries.append(entry)
            defer {
                stack.entries.removeLast()
                if isOutermost { entry.context.sessions.rest() }
            }
            return try body()
        }
    }

    static func with<T>(
        _ entries: ContiguousArray<Entry>, holdsMainQueue: Bool, _ body: () throws -> T
    ) rethrows -> T {
        let stack = stack
        let outer = stack.entries
        let outerHolds = stack.holdsMainQueue
        stack.entries = entries
        stack.holdsMainQueue = holdsMainQueue
        defer {
            stack.entries = outer
            stack.holdsMainQueue = outerHolds
            if outer.isEmpty { entries.first?.context.sessions.rest() }
        }
        return try body()
    }

    // MARK: Sessions

    /// Returns the session for reading and writing a store on this thread: that of an exclusive write, or of the outermost
    /// context.
    ///
    /// - Parameter isAlone: Set to true if the context is used outside of blocks; such a session caches nothing between calls.
    static func session(
        of store: any RowStore, for context: NSManagedObjectContext, _ isAlone: inout Bool
    ) throws -> any StoreSession {
        try unretainedStack._withUnsafeGuaranteedRef { stack in
            if !stack.exclusive.isEmpty, let session = stack.exclusive.session(of: store) { return session }
            if stack.entries.isEmpty {
                isAlone = true
                return try context.sessions.session(of: store)
            }
            return try stack.entries[0].context.sessions.session(of: store)
        }
    }

    static func renewSessions(of context: NSManagedObjectContext) {
        let stack = stack
        stack.exclusive.renew()
        (stack.entries.first?.context ?? context).sessions.renew()
    }

    /// Releases the read transactions and caches of this thread's sessions. Called before an operation that may wait for them.
    static func restSessions() { stack.entries.first?.context.sessions.rest() }

    /// Runs `body` while this thread holds exclusive write access to the stores.
    static func writingExclusively<T>(to stores: [any RowStore], _ body: () throws -> T) throws -> T {
        guard let store = stores.first else { return try body() }
        let stack = stack
        try stack.exclusive.begin(with: store)
        let result: T
        do {
            result = try writingExclusively(to: Array(stores.dropFirst()), body)
        } catch {
            // The first error matters more than one of ending the session.
            try? stack.exclusive.endLast()
            throw error
        }
        try stack.exclusive.endLast()
        return result
    }
}

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

/// The queue of a context, and the knowledge of which contexts the current thread is working for.
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

    /// Whether the current thread is inside a block of this queue (or is the main thread, for the main queue).
    var isCurrent: Bool {
        if isMain { return MainQueue.isCurrent }
        guard queue != nil else { return pthread_equal(owner, pthread_self()) != 0 }
        return CurrentContexts.contains(self)
    }

    /// Whether the context is used in blocks of its queue, where it may be used by this module at any time as well. Many programs
    /// use one on their own thread instead, which goes well as long as nothing else touches it.
    var isUsed: Bool { isMain || hasBegun.load(ordering: .relaxed) }

    /// At the beginning of a block of the program's.
    @inline(__always)
    private func noteUse(of context: NSManagedObjectContext) {
        if !hasBegun.load(ordering: .relaxed) { begin(context) }
    }

    @inline(never)
    private func begin(_ context: NSManagedObjectContext) {
        hasBegun.store(true, ordering: .relaxed)
        // From now on it is told of mail and removed stores on its queue. What came before lies there still.
        context.readMail()
        context.heedRemovals()
    }

    /// Runs a block later, and processes the changes it made.
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

    /// Runs a block of this module later, if there is a queue. It marks itself as current where it needs to.
    func asyncQuietly(_ block: @escaping @Sendable () -> Void) {
        queue?.async(execute: block)
    }

    /// Runs a block of the program's later, which processes the changes by itself.
    func enqueue(_ context: NSManagedObjectContext, _ block: @escaping @Sendable () -> Void) {
        let origin = Probe.isOn ? InstrumentOrigin.ofLaterBlock : nil
        queue?.async {
            self.asCurrent(context, from: origin) {
                self.noteUse(of: context)
                block()
            }
        }
    }

    /// - Parameter isUse: Whether the block is the program's, rather than a child's on its way to the store.
    func sync<T>(
        _ context: NSManagedObjectContext, isUse: Bool = true, _ block: () throws -> T
    ) rethrows -> T {
        // Re-entered: the block that is running ends the event.
        if isCurrent { return try asCurrent(context, block) }
        guard let queue else {
            preconditionFailure("Can only use performAndWait(_:) with a context that was created with a queue.")
        }
        // The block may run on another thread. The contexts this thread works for wait meanwhile, and may be used there.
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

    /// Runs a block that was passed to the queue earlier.
    ///
    /// - Parameter origin: where the block comes from, if instruments listened then.
    private func asCurrent(
        _ context: NSManagedObjectContext, from origin: InstrumentOrigin?, _ block: () -> Void
    ) {
        guard let origin else { return asCurrent(context, block) }
        asCurrent(context) { origin.run(isAwaited: false, block) }
    }

    /// Runs a block here and now as one of the context's.
    func asCurrent<T>(_ context: NSManagedObjectContext, _ block: () throws -> T) rethrows -> T {
        try CurrentContexts.pushing((self, context), block)
    }
}

/// The main queue, which is not bound to the main thread once that waits in `dispatchMain()`, as it does below an
/// asynchronous `main()`.
package enum MainQueue {
    /// Marks the main queue when that is asked for first.
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

    /// Whether this thread is in a block of the main queue, or in one that such a block runs synchronously on the queue of
    /// a context, where Dispatch knows of that queue only.
    static var isHeld: Bool { DispatchQueue.getSpecific(key: key) == true || CurrentContexts.holdsMainQueue }

    /// The main thread's handle, once it has asked: to find out takes a system call. No other thread ever gets the same one.
    private static let known = Atomic<UInt>(0)

    private static var handle: UInt { withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) } }
}

/// The contexts the current thread is working for, innermost last.
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

    /// The thread keeps it until it ends.
    private static var unretainedStack: Unmanaged<Stack> {
        if let pointer = pthread_getspecific(key) { return Unmanaged<Stack>.fromOpaque(pointer) }
        let stack = Unmanaged.passRetained(Stack())
        pthread_setspecific(key, stack.toOpaque())
        return stack
    }

    static var entries: ContiguousArray<Entry> { stack.entries }

    /// Whether a block of the main queue waits for the one that runs on this thread.
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

    /// The session in which a store is asked and written to on this thread: that of an exclusive write, or of the outermost
    /// context.
    ///
    /// - Parameter isAlone: is set for a context that is used outside of blocks, which keeps nothing from one question to the next.
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

    /// Gives back what the reads of this thread have kept, before something that may wait for it.
    static func restSessions() { stack.entries.first?.context.sessions.rest() }

    /// Runs `body` while this thread alone writes to the stores.
    static func writingExclusively<T>(to stores: [any RowStore], _ body: () throws -> T) throws -> T {
        guard let store = stores.first else { return try body() }
        let stack = stack
        try stack.exclusive.begin(with: store)
        let result: T
        do {
            result = try writingExclusively(to: Array(stores.dropFirst()), body)
        } catch {
            // Its own failure matters less.
            try? stack.exclusive.endLast()
            throw error
        }
        try stack.exclusive.endLast()
        return result
    }
}

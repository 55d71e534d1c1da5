import CoreData

/// Tracks the closures running on this thread and determines the context of functions called without one: that of the save
/// or read, else, on the main thread, the default stack's main context. Elsewhere it is an error. (The original created a hidden
/// context per thread there; the save block around it did not see that context's objects.)
enum ContextScope {
    /// The kind of work that a running closure belongs to, the less exclusive first.
    enum Role: Comparable {
        /// A read, or a save by the legacy functions.
        case other
        /// A save by the modern functions, which excludes others of its kind.
        case exclusiveSave
        /// A modern save with its transaction begun.
        case exclusiveWrite
    }

    /// A running closure, linked to the one around it.
    private final class Entry {
        let context: NSManagedObjectContext
        let role: Role
        let outer: Entry?

        init(_ context: NSManagedObjectContext, _ role: Role, outer: Entry?) {
            (self.context, self.role, self.outer) = (context, role, outer)
        }
    }

    private static let thread = ThreadValue<Entry>()

    private static var entries: some Sequence<Entry> {
        sequence(state: thread.current) { entry in
            defer { entry = entry?.outer }
            return entry
        }
    }

    /// The context of the innermost save or read that runs on this thread.
    static var current: NSManagedObjectContext? { thread.current?.context }

    /// Runs `body` with `context` as the context of functions called without one.
    static func with<Result>(
        _ context: NSManagedObjectContext, as role: Role = .other, _ body: () throws -> Result
    ) rethrows -> Result {
        try thread.with(Entry(context, role, outer: thread.current), body)
    }

    /// Returns the context of the exclusive save that runs on this thread, if the innermost closure on the same coordinator
    /// belongs to one.
    static func exclusiveContext(on coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext? {
        let nearest = entries.first { $0.context.persistentStoreCoordinator === coordinator }
        return nearest.flatMap { $0.role == .other ? nil : $0.context }
    }

    /// Returns whether the thread runs a closure of the coordinator's stack, or of any for nil, that is at least as exclusive.
    static func isInside(_ coordinator: NSPersistentStoreCoordinator?, atLeast role: Role = .other) -> Bool {
        entries.contains {
            $0.role >= role && (coordinator == nil || $0.context.persistentStoreCoordinator === coordinator)
        }
    }

    /// Returns the given context, else that of the current save or read, else the default stack's main context.
    ///
    /// - Throws: ``MagicalRecordError/Code/missingContext`` if only a main-queue context is left and this is not the main
    ///   queue; ``MagicalRecordError/Code/notSetUp`` without a default stack.
    static func resolve(_ context: NSManagedObjectContext?) throws -> NSManagedObjectContext {
        if let context = context ?? current { return context }
        let main = try MagicalRecord.requireStack().mainContext
        guard MainQueue.isCurrent || main.concurrencyType != .mainQueueConcurrencyType else {
            throw MagicalRecordError(
                .missingContext, "No context was given, and this is neither the main thread nor inside a save.",
                advice: "Pass the context (in:), or work inside MagicalRecord.save { context in … }.")
        }
        return main
    }

    /// Returns the context to observe: the given one or the default stack's main context, on every thread and inside saves as
    /// well, since a save's context is short-lived.
    static func forWatching(_ context: NSManagedObjectContext?) throws -> NSManagedObjectContext {
        try context ?? MagicalRecord.requireStack().mainContext
    }
}

/// Tracks the stores that this thread is writing, so that a save inside a hook or an observer does not wait for the save that
/// called it.
enum WriteScope {
    private final class Entry {
        let coordinator: NSPersistentStoreCoordinator
        let outer: Entry?
        /// The context that is discarded or reset after the save in progress. Not retained: valid during the save.
        unowned(unsafe) var lastSave: NSManagedObjectContext?

        init(_ coordinator: NSPersistentStoreCoordinator, outer: Entry?) {
            (self.coordinator, self.outer) = (coordinator, outer)
        }
    }

    private static let thread = ThreadValue<Entry>()

    private static func hasEntry(where isMatch: (Entry) -> Bool) -> Bool {
        guard let innermost = thread.current else { return false }
        return sequence(first: innermost, next: \.outer).contains(where: isMatch)
    }

    static func contains(_ coordinator: NSPersistentStoreCoordinator) -> Bool {
        hasEntry { $0.coordinator === coordinator }
    }

    static func with<Value>(_ coordinator: NSPersistentStoreCoordinator, _ body: () throws -> Value) rethrows -> Value {
        try thread.with(Entry(coordinator, outer: thread.current), body)
    }

    /// Runs the save of a context that is discarded or reset after it.
    static func withLastSave<Value>(of context: NSManagedObjectContext, _ body: () throws -> Value) rethrows -> Value {
        let entry = thread.current
        entry?.lastSave = context
        defer { entry?.lastSave = nil }
        return try body()
    }

    /// Returns whether the running save is the last one of the context.
    static func isLastSave(of context: NSManagedObjectContext) -> Bool { hasEntry { $0.lastSave === context } }
}

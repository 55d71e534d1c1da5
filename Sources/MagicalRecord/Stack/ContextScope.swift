import CoreData

/// Which context a function means that was given none, and whose closures run on this thread.
///
/// Inside the closure of one of MagicalRecord's saves it is the context of that save; on the main thread it is the
/// default stack's main context. Anywhere else there is none to assume, and a clear error says so. (The original
/// made up a hidden context per thread there; its objects were not seen by the save block around them.)
enum ContextScope {
    /// What a closure is that runs on this thread.
    enum Role {
        /// A save of the modern functions, which excludes others of its kind.
        case exclusiveSave
        /// The same, with the transaction begun.
        case exclusiveWrite
        /// A read, or a save of the legacy functions.
        case other

        var isExclusive: Bool { self != .other }
    }

    /// A closure that runs on this thread, inside of others.
    private final class Entry {
        let context: NSManagedObjectContext
        let role: Role
        let outer: Entry?

        init(_ context: NSManagedObjectContext, _ role: Role, outer: Entry?) {
            self.context = context
            self.role = role
            self.outer = outer
        }
    }

    private static let thread = ThreadValue<Entry>()

    private static var innermost: Entry? { thread.current }

    private static var entries: some Sequence<Entry> {
        sequence(first: innermost, next: { $0?.outer }).lazy.compactMap(\.self)
    }

    /// The context whose save closure is running on this thread.
    static var current: NSManagedObjectContext? { innermost?.context }

    /// Runs `body` with `context` as the one that functions without a context argument mean.
    static func with<Result>(
        _ context: NSManagedObjectContext, as role: Role = .other, _ body: () throws -> Result
    ) rethrows -> Result {
        try thread.with(Entry(context, role, outer: innermost), body)
    }

    /// The context of the exclusive save in whose closure the thread is, where no other closure of the same stack lies
    /// between.
    static func exclusiveContext(on coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext? {
        let nearest = entries.first { $0.context.persistentStoreCoordinator === coordinator }
        return nearest?.role.isExclusive ?? false ? nearest?.context : nil
    }

    /// Whether the thread is inside an exclusive save of that stack, or, with `nil`, of any.
    static func isInExclusiveSave(on coordinator: NSPersistentStoreCoordinator?) -> Bool {
        entries.contains {
            $0.role.isExclusive
                && (coordinator == nil || $0.context.persistentStoreCoordinator === coordinator)
        }
    }

    /// Whether the thread is inside an exclusive save of that stack.
    static func isInExclusiveWrite(on coordinator: NSPersistentStoreCoordinator) -> Bool {
        entries.contains { $0.role == .exclusiveWrite && $0.context.persistentStoreCoordinator === coordinator }
    }

    /// Whether the thread is inside a closure that works on that stack.
    static func isInside(_ coordinator: NSPersistentStoreCoordinator) -> Bool {
        entries.contains { $0.context.persistentStoreCoordinator === coordinator }
    }

    static func resolve(_ context: NSManagedObjectContext?) throws -> NSManagedObjectContext {
        if let context { return context }
        if let current { return current }
        let main = try MagicalRecord.requireStack().mainContext
        guard MainQueue.isCurrent || main.concurrencyType != .mainQueueConcurrencyType else {
            throw MagicalRecordError(
                .missingContext, "No context was given, and this is neither the main thread nor inside a save.",
                advice: "Pass the context (in:), or work inside MagicalRecord.save { context in … }.")
        }
        return main
    }

    /// The context to watch: whatever the thread, and inside a save, whose context does not last.
    static func forWatching(_ context: NSManagedObjectContext?) throws -> NSManagedObjectContext {
        try context ?? MagicalRecord.requireStack().mainContext
    }
}

/// The stacks whose stores this thread is writing, so that a save in a hook or an observer does not wait for the save it
/// is part of.
enum WriteScope {
    private final class Entry {
        let coordinator: NSPersistentStoreCoordinator
        let outer: Entry?
        /// A context that is not used any more after the save that it is in.
        unowned(unsafe) var lastSave: NSManagedObjectContext?

        init(_ coordinator: NSPersistentStoreCoordinator, outer: Entry?) {
            self.coordinator = coordinator
            self.outer = outer
        }
    }

    private static let thread = ThreadValue<Entry>()

    static func contains(_ coordinator: NSPersistentStoreCoordinator) -> Bool {
        var entry = thread.current
        while let present = entry, present.coordinator !== coordinator { entry = present.outer }
        return entry != nil
    }

    static func with<Result>(_ coordinator: NSPersistentStoreCoordinator, _ body: () throws -> Result) rethrows
        -> Result
    {
        try thread.with(Entry(coordinator, outer: thread.current), body)
    }

    /// Runs the save of a context that is not used any more after it, or only once it has been reset.
    static func withLastSave<Result>(of context: NSManagedObjectContext, _ body: () throws -> Result) rethrows -> Result
    {
        let entry = thread.current
        entry?.lastSave = context
        defer { entry?.lastSave = nil }
        return try body()
    }

    /// Whether this is the save of such a context.
    static func isLastSave(of context: NSManagedObjectContext) -> Bool {
        var entry = thread.current
        while let present = entry, present.lastSave !== context { entry = present.outer }
        return entry != nil
    }
}

import CoreData

extension MagicalRecord {
    /// A set of named contexts on one stack, each with a private queue, that follow each other's saves and the main context's.
    ///
    /// Subclass it for the queries of a domain:
    /// ```swift
    /// final class AddressBook: MagicalRecord.Database, @unchecked Sendable {
    ///     private var users: NSManagedObjectContext { context(named: "users") }
    ///
    ///     func friends(matching filter: String) async throws -> [Friend] {
    ///         try await read("users") { context in
    ///             try User.findAll(where: { $0.isFriend && $0.name.contains(filter) }, in: context).map(Friend.init)
    ///         }
    ///     }
    /// }
    /// let friends = try await AddressBook.shared.friends(matching: "ann")
    /// ```
    /// A named context is attached to the coordinator directly: its saves write the store at once, pass no other queue,
    /// and are merged into the stack's main context and into the other named contexts. It lives as long as the database.
    /// Every subclass has one shared instance, on the default stack; others can be made for other stacks. All
    /// functions may be called from any thread.
    open class Database: @unchecked Sendable {
        private static let instances = Locked<[ObjectIdentifier: MagicalRecord.Database]>([:])

        private let givenStack: MagicalRecord.Stack?
        private let named = Locked<[NamedContexts]>([])

        /// The contexts on one stack. Several tasks may use different default stacks at the same time.
        private struct NamedContexts {
            weak var stack: MagicalRecord.Stack?
            var byName: [String: NSManagedObjectContext] = [:]
        }

        /// Creates a database on a stack; without one, on the stack that is the default one at each use.
        public required init(stack: MagicalRecord.Stack? = nil) { givenStack = stack }

        /// The one instance of this class, on the default stack. Made when first asked for.
        public class var shared: Self {
            instances.withLock { instances in
                let instance = instances[ObjectIdentifier(self)] as? Self ?? Self()
                instances[ObjectIdentifier(self)] = instance
                return instance
            }
        }

        /// Returns the stack, or throws ``MagicalRecordError/Code/notSetUp``.
        public func stack() throws -> MagicalRecord.Stack { try givenStack ?? MagicalRecord.requireStack() }

        /// Returns the stack's main context.
        public func mainContext() throws -> NSManagedObjectContext { try stack().mainContext }

        /// Returns the context of that name, creating it at first use. On one stack a name always stands for the same context.
        public func context(named name: String) throws -> NSManagedObjectContext {
            let stack = try stack()
            try stack.checkOpen()
            return named.withLock { named in
                named.removeAll { $0.stack?.isTornDown ?? true }
                let index = named.firstIndex { $0.stack === stack } ?? named.endIndex
                if index == named.endIndex { named.append(NamedContexts(stack: stack)) }
                let context = named[index].byName[name] ?? stack.newFollowingContext(named: name)
                named[index].byName[name] = context
                return context
            }
        }

        /// Runs `body` on the named context's queue, for reading: all it reads is one state of the stores, that of the first read.
        ///
        /// What the context has not saved is seen as well. Objects that are held from before are read again, and told of as
        /// refreshed. A context that is pinned to a query generation keeps to that. Otherwise as ``MagicalRecord/Stack/read(_:)``.
        public func read<Value: Sendable>(
            _ name: String, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
        ) async throws -> Value {
            try await stack().read(in: context(named: name), body)
        }

        /// Reads as ``read(_:_:)``, blocking the thread until the named context's queue is free and `body` has ended. Not for the main
        /// thread where other work in that context waits for the main queue.
        public func readAndWait<Value>(_ name: String, _ body: (NSManagedObjectContext) throws -> Value) throws -> Value
        {
            let (context, stack) = (try context(named: name), try stack())
            try stack.beginActivity()
            defer { stack.activity.end() }
            return try context.runAndWait { try context.readingOneState(body) }
        }
    }
}

import CoreData

extension MagicalRecord {
    /// The arrangement of a stack's contexts.
    ///
    /// | Shape | Writes the store | Main context | Worker contexts |
    /// | --- | --- | --- | --- |
    /// | ``mainOnly`` | main | on the coordinator | main-queue children of main |
    /// | ``rootSaving`` | private root | child of the root | private children of the root |
    /// | ``parentChild`` | main | on the coordinator | private children of main |
    /// | ``siblings`` | every context | on the coordinator | private, on the coordinator, merged by notification |
    /// | ``server`` | every context | private queue, on the coordinator | private, on the coordinator |
    ///
    /// ``rootSaving`` is MagicalRecord's own and the default: the store is never written on the main queue, and saves of
    /// workers do not pass through the main context. ``siblings`` costs least for large imports. ``server`` is for programs
    /// that do not run the main queue.
    ///
    /// A context attached to the coordinator resolves conflicts by the stack's ``Stack/mergePolicy``. A child's conflicts are
    /// detected when its parent saves: duplicate unique values, and rows that have changed since the parent has read them,
    /// which may be later than its child did. ``Stack/save(onConflict:isolation:_:)->_`` with `onConflict` or exclusive
    /// isolation uses a context attached to the coordinator.
    public struct Shape: Sendable {
        /// The contexts that a shape builds on a coordinator.
        public struct Contexts: Sendable {
            /// The context for the user interface.
            public var main: NSManagedObjectContext
            /// The context that writes the store, if that is not the main one.
            public var root: NSManagedObjectContext?
            /// Creates a context for one unit of work.
            public var makeWorker: @Sendable () -> NSManagedObjectContext

            /// Creates the contexts of a custom shape.
            public init(
                main: NSManagedObjectContext, root: NSManagedObjectContext? = nil,
                makeWorker: @escaping @Sendable () -> NSManagedObjectContext
            ) {
                self.main = main
                self.root = root
                self.makeWorker = makeWorker
            }
        }

        /// The name: that of the static property, or the one given to ``custom(_:_:)``.
        public let name: String
        let build: @Sendable (NSPersistentStoreCoordinator, NSMergePolicy) -> Contexts

        /// Returns a custom shape. `build` gets the coordinator and returns the contexts, with their merge policies set. The stack
        /// merges changes saved by any context on the coordinator into its other contexts.
        public static func custom(
            _ name: String = "custom", _ build: @escaping @Sendable (NSPersistentStoreCoordinator) -> Contexts
        ) -> Shape {
            Shape(name: name) { coordinator, _ in build(coordinator) }
        }

        /// Everything on the main queue: simple, and sufficient for small amounts of data.
        public static let mainOnly = withoutRoot("mainOnly", children: .mainQueueConcurrencyType)

        /// A private root context writes; the main context and the workers are its children. The default.
        public static let rootSaving = Shape(name: "rootSaving") { coordinator, policy in
            let root = attached(to: coordinator, named: "MagicalRecord Root Saving Context", policy)
            let main = child(of: root, .mainQueueConcurrencyType)
            main.magicalName = mainName
            return Contexts(main: main, root: root) { child(of: root) }
        }

        /// The main context writes; workers are its children, so that it shows their saves immediately.
        public static let parentChild = withoutRoot("parentChild", children: .privateQueueConcurrencyType)

        /// Independent contexts on one coordinator, merged by notification.
        public static let siblings = withoutRoot("siblings")

        /// Like ``siblings``, but independent of the main queue: the stack's main context has a private queue.
        public static let server = withoutRoot("server", main: .privateQueueConcurrencyType)

        private static let mainName = "MagicalRecord Default Context"

        /// Returns a shape with the main context on the coordinator, and the workers too, unless they are its children.
        private static func withoutRoot(
            _ name: String, main type: NSManagedObjectContextConcurrencyType = .mainQueueConcurrencyType,
            children: NSManagedObjectContextConcurrencyType? = nil
        ) -> Shape {
            Shape(name: name) { coordinator, policy in
                let main = attached(type, to: coordinator, named: mainName, policy)
                let policy = Unchecked(policy)
                return Contexts(main: main) {
                    children.map { child(of: main, $0) } ?? attached(to: coordinator, policy.value)
                }
            }
        }

        /// Creates a context attached to the coordinator, with a merge policy.
        static func attached(
            _ type: NSManagedObjectContextConcurrencyType = .privateQueueConcurrencyType,
            to coordinator: NSPersistentStoreCoordinator, named name: String? = nil, _ policy: NSMergePolicy
        ) -> NSManagedObjectContext {
            let context = NSManagedObjectContext(concurrencyType: type)
            context.persistentStoreCoordinator = coordinator
            context.mergePolicy = policy
            context.undoManager = nil
            if let name { context.magicalName = name }
            return context
        }

        static func child(
            of parent: NSManagedObjectContext,
            _ type: NSManagedObjectContextConcurrencyType = .privateQueueConcurrencyType
        ) -> NSManagedObjectContext {
            let context = NSManagedObjectContext(concurrencyType: type)
            context.parent = parent
            context.undoManager = nil
            return context
        }
    }
}

extension NSManagedObjectContext {
    private static let workingNameKey = "MagicalRecordContextWorkingName"

    /// The name in logs: the working name in `userInfo`, as in the original, otherwise Core Data's. Must be used on the
    /// context's queue, or before the context is shared.
    var magicalName: String {
        get { userInfo[Self.workingNameKey] as? String ?? name ?? "Untitled Context" }
        set {
            userInfo[Self.workingNameKey] = newValue
            name = newValue
        }
    }
}

import CoreData

extension MagicalRecord {
    /// How the contexts of a stack hang together.
    ///
    /// | Shape | Writes the store | Main context | Contexts for work |
    /// | --- | --- | --- | --- |
    /// | ``mainOnly`` | main | on the store | main-queue children of main |
    /// | ``rootSaving`` | private root | child of the root | private children of the root |
    /// | ``parentChild`` | main | on the store | private children of main |
    /// | ``siblings`` | each for itself | on the store | private, on the store, merged by notification |
    /// | ``server`` | each for itself | none on the main queue | private, on the store |
    ///
    /// ``rootSaving`` is MagicalRecord's own and the default: the disk is never written on the main queue, and work
    /// never passes through it. ``siblings`` costs least for large imports. ``server`` is for programs whose main
    /// queue nobody serves.
    ///
    /// A context on the store decides conflicts by the stack's ``Stack/mergePolicy``. A child's changes meet others' only
    /// when its parent saves: unique values that are taken are a conflict then, and rows that have changed since the parent
    /// has read them, which may be later than its child did. ``Stack/save(onConflict:isolation:_:)->_`` works on the store itself.
    public struct Shape: Sendable {
        /// The contexts a shape builds on a coordinator.
        public struct Contexts: Sendable {
            /// The context for the user interface.
            public var main: NSManagedObjectContext
            /// The context that writes the store, where that is not the main one.
            public var root: NSManagedObjectContext?
            /// Makes a context for one piece of work.
            public var makeWorker: @Sendable () -> NSManagedObjectContext

            /// The contexts of a stack, as a custom shape makes them.
            public init(
                main: NSManagedObjectContext,
                root: NSManagedObjectContext? = nil,
                makeWorker: @escaping @Sendable () -> NSManagedObjectContext
            ) {
                self.main = main
                self.root = root
                self.makeWorker = makeWorker
            }
        }

        /// The name, as ``custom(_:_:)`` was given it.
        public let name: String
        let build: @Sendable (NSPersistentStoreCoordinator, NSMergePolicy) -> Contexts

        /// A shape of your own: `build` gets the coordinator and returns the contexts, with the merge policies they are to
        /// have.
        ///
        /// Changes saved by any context that is attached to the coordinator are merged into the others of the stack
        /// by the stack itself.
        public static func custom(
            _ name: String = "custom",
            _ build: @escaping @Sendable (NSPersistentStoreCoordinator) -> Contexts
        ) -> Shape {
            Shape(name: name) { coordinator, _ in build(coordinator) }
        }

        /// Everything on the main queue: simple, and enough for little data.
        public static let mainOnly = Shape(name: "mainOnly") { coordinator, policy in
            let main = attached(.mainQueueConcurrencyType, to: coordinator, named: mainName, policy)
            return Contexts(main: main) { child(of: main, .mainQueueConcurrencyType) }
        }

        /// A private root writes, the main context is its child, and so are the contexts for work. The default.
        public static let rootSaving = Shape(name: "rootSaving") { coordinator, policy in
            let root = attached(.privateQueueConcurrencyType, to: coordinator, named: rootName, policy)
            let main = child(of: root, .mainQueueConcurrencyType)
            main.magicalName = mainName
            return Contexts(main: main, root: root) { child(of: root, .privateQueueConcurrencyType) }
        }

        /// The main context writes; contexts for work are its children, so that their saves show at once.
        public static let parentChild = Shape(name: "parentChild") { coordinator, policy in
            let main = attached(.mainQueueConcurrencyType, to: coordinator, named: mainName, policy)
            return Contexts(main: main) { child(of: main, .privateQueueConcurrencyType) }
        }

        /// Independent contexts on one coordinator, kept in step by notification.
        public static let siblings = Shape(name: "siblings") { coordinator, policy in
            let main = attached(.mainQueueConcurrencyType, to: coordinator, named: mainName, policy)
            let policy = Unchecked(policy)
            return Contexts(main: main) {
                attached(.privateQueueConcurrencyType, to: coordinator, named: nil, policy.value)
            }
        }

        /// As ``siblings``, but nothing depends on the main queue: the stack's main context has a private queue.
        public static let server = Shape(name: "server") { coordinator, policy in
            let main = attached(.privateQueueConcurrencyType, to: coordinator, named: mainName, policy)
            let policy = Unchecked(policy)
            return Contexts(main: main) {
                attached(.privateQueueConcurrencyType, to: coordinator, named: nil, policy.value)
            }
        }

        static let mainName = "MagicalRecord Default Context"
        static let rootName = "MagicalRecord Root Saving Context"

        /// A context on the coordinator, which decides by that policy between what it has in memory and what others wrote.
        static func attached(
            _ type: NSManagedObjectContextConcurrencyType, to coordinator: NSPersistentStoreCoordinator,
            named name: String?, _ policy: NSMergePolicy
        ) -> NSManagedObjectContext {
            let context = NSManagedObjectContext(concurrencyType: type)
            context.persistentStoreCoordinator = coordinator
            context.mergePolicy = policy
            context.undoManager = nil
            if let name { context.magicalName = name }
            return context
        }

        static func child(of parent: NSManagedObjectContext, _ type: NSManagedObjectContextConcurrencyType)
            -> NSManagedObjectContext
        {
            let context = NSManagedObjectContext(concurrencyType: type)
            context.parent = parent
            context.undoManager = nil
            return context
        }
    }
}

extension NSManagedObjectContext {
    /// The key of the working name in the context's `userInfo`, as in the original.
    static let workingNameKey = "MagicalRecordContextWorkingName"

    /// The name used in logs: the working name, else Core Data's. To be touched on the context's queue, or before anybody else has
    /// the context.
    var magicalName: String {
        get { userInfo[NSManagedObjectContext.workingNameKey] as? String ?? name ?? "Untitled Context" }
        set {
            userInfo[NSManagedObjectContext.workingNameKey] = newValue
            name = newValue
        }
    }
}

import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// A model, a coordinator, its stores and a main-queue context, set up in one go.
///
/// ```swift
/// let container = NSPersistentContainer(name: "AddressBook")
/// container.loadPersistentStores { description, error in … }
/// ```
/// Thread-safe, except that descriptions are to be set before stores are loaded.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name the container was made with: of the model looked for, and of the store's file.
    open internal(set) var name: String
    /// The model.
    open internal(set) var managedObjectModel: NSManagedObjectModel
    /// The coordinator of all contexts of the container.
    open internal(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// A main-queue context without an undo manager.
    open internal(set) var viewContext: NSManagedObjectContext

    private let lock = Lock()
    /// Why the model could not be loaded. Set while the container is made.
    private nonisolated(unsafe) final var modelFailure: (any Error)?
    /// nil as long as the usual one has not been asked for.
    private nonisolated(unsafe) final var descriptions: [NSPersistentStoreDescription]?
    /// By the addresses of the descriptions.
    private nonisolated(unsafe) final var loads: [Int: Load] = [:]

    /// How far the loading of a description's store is.
    private enum Load {
        /// Also that of a store which a coordinator of another class has added in its own way.
        case running
        case done(WeakHandle<NSPersistentStore>)
    }

    /// Finds the compiled model `name` (`.momd`, `.mom` or `.xcdatamodeld`) in the main bundle or in a resource bundle beside
    /// the program, else merges all models found there.
    ///
    /// Where models found cannot be merged, the container has an empty model, and loading stores gives the error. Traps when
    /// there is no model at all.
    public convenience init(name: String) {
        let named = ModelSearch.url(forModelNamed: name).flatMap { NSManagedObjectModel(contentsOf: $0) }
        if named == nil { NSLog("CoreData: error: Failed to load model named %@", name) }
        do {
            guard let model = try named ?? ModelMerge.model(in: nil) else {
                fatalError(
                    "Failed to load model named \(name). Add \(name).xcdatamodeld to the target's resources, or pass the model "
                        + "to NSPersistentContainer(name:managedObjectModel:).")
            }
            self.init(name: name, managedObjectModel: model)
        } catch {
            self.init(name: name, managedObjectModel: NSManagedObjectModel())
            modelFailure = error
        }
    }

    /// Makes coordinator and context; stores are added by ``loadPersistentStores(completionHandler:)``.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.name = name
        managedObjectModel = model
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        persistentStoreCoordinator.name = name
        viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
        viewContext.undoManager = nil
        super.init()
    }

    /// The folder stores go to unless told otherwise. Made when a store is loaded. Override to choose another.
    ///
    /// Off Apple's platforms: a folder named after the program in `$XDG_DATA_HOME` or `~/.local/share`, as the XDG base
    /// directory specification has it.
    open class func defaultDirectoryURL() -> URL { DataFolder.url }

    /// What stores to load: one SQLite store called after the container, unless replaced.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get {
            if let descriptions = lock.withLock({ descriptions }) { return descriptions }
            let file = type(of: self).defaultDirectoryURL().appendingPathComponent(name + ".sqlite")
            let usual = [NSPersistentStoreDescription(url: file)]
            return lock.withLock {
                let descriptions = descriptions ?? usual
                self.descriptions = descriptions
                return descriptions
            }
        }
        set { lock.withLock { descriptions = newValue } }
    }

    /// Adds the stores of all descriptions not loaded yet, making folders that are missing.
    ///
    /// The handler is called once for each of these descriptions; before this returns, unless the description asks for
    /// asynchronous loading. A description that failed, or whose store has been removed or destroyed since, is tried again by
    /// the next call.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        if let modelFailure {
            for description in persistentStoreDescriptions { block(description, modelFailure) }
            return
        }
        for description in persistentStoreDescriptions {
            let id = Int(bitPattern: ObjectIdentifier(description))
            let stores = persistentStoreCoordinator.persistentStores
            let isNew = lock.withLock {
                switch loads[id] {
                case .running: return false
                case .done(let loaded): if stores.contains(where: { $0 === loaded.object }) { return false }
                case nil: break
                }
                loads[id] = .running
                return true
            }
            guard isNew else { continue }
            do {
                if let url = description.url, !description.isReadOnly { try StoreFiles.makeFolder(of: url) }
            } catch {
                lock.withLock { _ = loads.removeValue(forKey: id) }
                block(description, error)
                continue
            }
            persistentStoreCoordinator.addPersistentStore(with: description) { description, error in
                self.lock.withLock {
                    if error != nil {
                        self.loads[id] = nil
                    } else if let store = description.addedStore {
                        self.loads[id] = .done(store)
                    }
                }
                block(description, error)
            }
        }
    }

    // MARK: Background work

    /// A private-queue context on the coordinator; not a child of the view context.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block on the queue of a new private-queue context and returns at once.
    open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        let work = Unchecked(block)
        context.perform { work.value(context) }
    }

    /// Runs a block on the queue of a new private-queue context and gives what it returns or throws.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, filled in by the compiler. The caller waits on its own actor, so that block and
    ///     result need not be `Sendable`, as with Apple's method.
    ///   - block: What to run. It runs on the context's queue, whatever actor the caller is on.
    public func performBackgroundTask<T>(
        isolation: isolated (any Actor)? = #isolation, _ block: @escaping (NSManagedObjectContext) throws -> T
    ) async rethrows -> T {
        func wait(isolation: isolated (any Actor)?, rescue: (any Error) throws -> T) async rethrows -> T {
            let context = newBackgroundContext()
            let work = Unchecked(block)
            let outcome: Unchecked<Result<T, any Error>> = await withCheckedContinuation { continuation in
                context.perform {
                    continuation.resume(returning: Unchecked(Result { try work.value(context) }))
                }
            }
            switch outcome.value {
            case .success(let value): return value
            case .failure(let error): return try rescue(error)
            }
        }
        return try await wait(isolation: isolation) { throw $0 }
    }

    /// A container of an empty model, for code written against Objective-C's `init`.
    public convenience override init() { self.init(name: "", managedObjectModel: NSManagedObjectModel()) }
}

/// Where programs keep their data by default.
enum DataFolder {
    static var url: URL {
        let environment = ProcessInfo.processInfo.environment
        let base: URL
        if let home = environment["XDG_DATA_HOME"], home.hasPrefix("/") {
            base = URL(fileURLWithPath: home, isDirectory: true)
        } else {
            base = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
                ".local/share", isDirectory: true)
        }
        return base.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
    }
}

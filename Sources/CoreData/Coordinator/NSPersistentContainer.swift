import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataStoreFiles
import Foundation

/// A model with its coordinator, stores and a main-queue context.
///
/// ```swift
/// let container = NSPersistentContainer(name: "AddressBook")
/// container.loadPersistentStores { description, error in … }
/// ```
/// Thread-safe, except that store descriptions must be set before stores are loaded.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name passed to the initializer: the base name of the model file searched for and of the default store's file.
    open internal(set) var name: String
    /// The model.
    open internal(set) var managedObjectModel: NSManagedObjectModel
    /// The coordinator of all contexts of the container.
    open internal(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// A main-queue context without an undo manager.
    open internal(set) var viewContext: NSManagedObjectContext

    private let lock = Lock()
    /// The error of loading the model, set during initialization and reported by `loadPersistentStores`.
    private nonisolated(unsafe) final var modelFailure: (any Error)?
    /// The store descriptions; nil until they are first read or set.
    private nonisolated(unsafe) final var descriptions: [NSPersistentStoreDescription]?
    /// The loading state of each description, keyed by the description's address.
    private nonisolated(unsafe) final var loads: [Int: Load] = [:]

    /// The loading state of a store description.
    private enum Load {
        /// The store is being added, or a subclass of the coordinator has added it without reporting the store.
        case running
        case done(WeakHandle<NSPersistentStore>)
    }

    /// Creates a container with the compiled model `name` (`.momd`, `.mom` or `.xcdatamodeld`), searched for in the main bundle
    /// and in the resource bundles beside the program. If there is no such model, merges all models found there.
    ///
    /// If the models cannot be merged, the container has an empty model, and loading stores reports the error. Traps if no
    /// model is found at all.
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

    /// Creates the coordinator and the view context; stores are added by ``loadPersistentStores(completionHandler:)``.
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

    /// Returns the folder of the default store. Override it to choose another; the folder is created when a store is loaded.
    ///
    /// Off Apple's platforms: a folder named after the program in `$XDG_DATA_HOME` or `~/.local/share`, as the XDG base
    /// directory specification prescribes.
    open class func defaultDirectoryURL() -> URL { DataFolder.url }

    /// The descriptions of the stores to load; by default one SQLite store, named after the container, in the default folder.
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

    /// Adds the stores of all descriptions that are not loaded yet and creates missing folders.
    ///
    /// The handler is called once for each of these descriptions, before this function returns unless the description asks for
    /// asynchronous loading. The next call retries a description that failed, or that describes a store removed or destroyed
    /// since.
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

    /// Returns a new private-queue context connected to the coordinator; it is not a child of the view context.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block on the queue of a new private-queue context and returns immediately.
    open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        let work = Unchecked(block)
        context.perform { work.value(context) }
    }

    /// Runs a block on the queue of a new private-queue context and returns its result, or throws its error.
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, filled in by the compiler. The caller stays isolated to its actor, so neither the
    ///     block nor its result needs to be `Sendable`, as with Apple's method.
    ///   - block: The block to run. It runs on the context's queue, regardless of the caller's actor.
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

    /// Creates a container with an empty model, for code that uses Objective-C's `init`.
    public convenience override init() { self.init(name: "", managedObjectModel: NSManagedObjectModel()) }
}

/// The default folder for the program's data.
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

import CoreDataRuntimeSupport
import Synchronization

/// Whether contexts have to be told of each other's saves at all.
enum ContextMerging {
    private static let somebodyMerges = Atomic<Bool>(false)
    /// Whether any context has ever been told to merge by itself.
    static var mayHappen: Bool { somebodyMerges.load(ordering: .relaxed) }
    static func note() { somebodyMerges.store(true, ordering: .relaxed) }
}

extension NSPersistentStoreCoordinator {
    /// The live contexts directly on the coordinator, so that a save can reach those that merge automatically.
    var liveContexts: [NSManagedObjectContext] {
        contexts.all.filter { $0.parent == nil && $0.persistentStoreCoordinator === self }
    }
}

/// A list of contexts that does not keep them alive.
final class WeakContexts: @unchecked Sendable {
    private let lock = Lock()
    @exclusivity(unchecked) private var handles: ContiguousArray<SharedHandle> = []

    func add(_ context: NSManagedObjectContext) {
        let handle = context.handle.shared
        lock.withLock {
            handles.removeAll { $0 === handle || Self.context($0) == nil }
            handles.append(handle)
        }
    }

    var all: [NSManagedObjectContext] { lock.withLock { handles }.compactMap(Self.context) }
    var isEmpty: Bool { lock.withLock { handles }.allSatisfy { Self.context($0) == nil } }

    private static func context(_ handle: SharedHandle) -> NSManagedObjectContext? { WeakHandle(handle).object }
}

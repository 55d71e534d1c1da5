import CoreDataRuntimeSupport
import Synchronization

/// Tracks whether any context merges other contexts' saves automatically.
enum ContextMerging {
    private static let hasMerging = Atomic<Bool>(false)
    /// True if a context has ever been set to merge automatically.
    static var mayHappen: Bool { hasMerging.load(ordering: .relaxed) }
    static func note() { hasMerging.store(true, ordering: .relaxed) }
}

extension NSPersistentStoreCoordinator {
    /// The live contexts directly on the coordinator, so that a save can reach those that merge automatically.
    var liveContexts: [NSManagedObjectContext] {
        contexts.all.filter { $0.parent == nil && $0.persistentStoreCoordinator === self }
    }
}

/// A list of contexts that are not retained.
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

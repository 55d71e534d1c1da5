import Synchronization

/// Contexts by coordinator, so that a save can reach those that merge automatically.
final class ContextRegistry: @unchecked Sendable {
    static let shared = ContextRegistry()

    private static let somebodyMerges = Atomic<Bool>(false)
    /// Whether any context has ever been told to merge by itself.
    static var mayMerge: Bool { somebodyMerges.load(ordering: .relaxed) }
    static func noteMerging() { somebodyMerges.store(true, ordering: .relaxed) }

    private let lock = Lock()
    /// By the address of the coordinator.
    private var contexts: [Int: WeakContexts] = [:]

    func add(_ context: NSManagedObjectContext, to coordinator: NSPersistentStoreCoordinator) {
        lock.withLock {
            let key = Int(bitPattern: ObjectIdentifier(coordinator))
            contexts = contexts.filter { $0.key == key || !$0.value.isEmpty }
            let entry = contexts[key] ?? WeakContexts()
            contexts[key] = entry
            entry.add(context)
        }
    }

    /// The live contexts directly on a coordinator.
    func contexts(of coordinator: NSPersistentStoreCoordinator) -> [NSManagedObjectContext] {
        lock.withLock { contexts[Int(bitPattern: ObjectIdentifier(coordinator))] }?.all.filter {
            $0.parent == nil && $0.persistentStoreCoordinator === coordinator
        } ?? []
    }
}

/// A list of contexts that does not keep them alive.
final class WeakContexts: @unchecked Sendable {
    private let lock = Lock()
    @exclusivity(unchecked) private var handles: [WeakHandle<NSManagedObjectContext>] = []

    func add(_ context: NSManagedObjectContext) {
        lock.withLock {
            handles.removeAll { $0 === context.handle || $0.object == nil }
            handles.append(context.handle)
        }
    }

    var all: [NSManagedObjectContext] { lock.withLock { handles }.compactMap(\.object) }
    var isEmpty: Bool { lock.withLock { handles }.allSatisfy { $0.object == nil } }
}

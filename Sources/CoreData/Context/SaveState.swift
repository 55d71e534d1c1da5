/// The state that a context's saves need besides the changes: locked objects, conflicts, versions not yet sent to the children;
/// and buffers that one save leaves for the next.
///
/// Used on the context's queue only. No mutating function releases an object, for the reason given in ``ChangeTracker``.
struct SaveState {
    private(set) var isSaving = false
    /// Unchanged objects that the next save checks for conflicts.
    private(set) var locked: Set<NSManagedObject> = []
    /// The properties that objects had changed when their conflicts were first met, while a save resolves conflicts.
    private(set) var keysInConflict: [NSManagedObject: Set<String>] = [:]
    /// True if rows may refer to objects by outdated keys.
    private(set) var needsResolving = false
    /// The versions of saved rows that have not been sent to the children.
    private(set) var versions: [SavedVersion] = []
    private var sparePlans: [SavePlan] = []
    private var spareIdentifiers = NoticeSets<NSManagedObjectID>()

    // MARK: A save

    mutating func begin() { isSaving = true }
    mutating func end() { isSaving = false }

    /// Ends a successful write: clears the locks.
    ///
    /// - Returns: The objects that were locked, so that the caller releases them.
    @discardableResult
    mutating func didWrite() -> Set<NSManagedObject> {
        needsResolving = false
        return unlockAll()
    }

    /// Makes the next save resolve the references of all rows.
    mutating func requireResolving() { needsResolving = true }

    /// The state that remains when the context is reset, possibly in the middle of a save.
    var afterReset: SaveState {
        var state = SaveState()
        state.isSaving = isSaving
        state.keysInConflict = keysInConflict
        state.versions = versions
        return state
    }

    // MARK: Locks

    mutating func lock(_ object: NSManagedObject) { locked.insert(object) }

    @discardableResult
    mutating func unlock(_ object: NSManagedObject) -> NSManagedObject? {
        locked.isEmpty ? nil : locked.remove(object)
    }

    /// Unlocks all objects.
    ///
    /// - Returns: The objects that were locked, so that the caller releases them.
    @discardableResult
    mutating func unlockAll() -> Set<NSManagedObject> {
        defer { locked = [] }
        return locked
    }

    // MARK: Conflicts

    mutating func note(_ keys: some Sequence<String>, inConflictFor object: NSManagedObject) {
        keysInConflict[object, default: []].formUnion(keys)
    }

    /// Clears the recorded conflicts.
    ///
    /// - Returns: The conflicts, so that the caller releases their objects.
    @discardableResult
    mutating func forgetConflicts() -> [NSManagedObject: Set<String>] {
        defer { keysInConflict = [:] }
        return keysInConflict
    }

    // MARK: Versions

    mutating func note(_ version: SavedVersion) { versions.append(version) }
    mutating func note(_ more: [SavedVersion]) { versions += more }

    mutating func takeVersions() -> [SavedVersion] {
        defer { versions = [] }
        return versions
    }

    // MARK: Reuse

    mutating func takePlans() -> [SavePlan] {
        defer { sparePlans = [] }
        return sparePlans
    }

    mutating func recycle(plans: [SavePlan]) { sparePlans = plans }

    mutating func takeIdentifiers() -> NoticeSets<NSManagedObjectID> {
        defer { spareIdentifiers = NoticeSets() }
        return spareIdentifiers
    }

    mutating func recycle(identifiers: consuming NoticeSets<NSManagedObjectID>) { spareIdentifiers = identifiers }
}

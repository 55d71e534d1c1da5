/// What a context's saves need beside what has changed: objects that are locked, what conflicts have met, versions on their way to
/// the children; and what one save leaves behind for the next to use again.
///
/// Used on the context's queue only. Nothing is let go inside, as in ``ChangeTracker``.
struct SaveState {
    private(set) var isSaving = false
    /// Unchanged objects whose rows are checked for conflicts in the next save.
    private(set) var locked: Set<NSManagedObject> = []
    /// What objects had changed when their conflicts were met first, while a save resolves conflicts.
    private(set) var keysInConflict: [NSManagedObject: Set<String>] = [:]
    /// Rows may name objects by keys that are outdated.
    private(set) var needsResolving = false
    /// Versions of saved rows that the children have not been told of.
    private(set) var versions: [SavedVersion] = []
    private var sparePlans: [SavePlan] = []
    private var spareIdentifiers = NoticeSets<NSManagedObjectID>()

    // MARK: A save

    mutating func begin() { isSaving = true }
    mutating func end() { isSaving = false }

    /// Everything has been written.
    ///
    /// - Returns: the objects that were locked.
    @discardableResult
    mutating func didWrite() -> Set<NSManagedObject> {
        needsResolving = false
        return unlockAll()
    }

    /// Looks after all references in the next save.
    mutating func requireResolving() { needsResolving = true }

    /// What stays when the context forgets its objects, be it in the middle of a save.
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

    /// - Returns: the objects that were locked.
    @discardableResult
    mutating func unlockAll() -> Set<NSManagedObject> {
        defer { locked = [] }
        return locked
    }

    // MARK: Conflicts

    mutating func note(_ keys: some Sequence<String>, inConflictFor object: NSManagedObject) {
        keysInConflict[object, default: []].formUnion(keys)
    }

    /// - Returns: what had been noted.
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

    // MARK: Used again

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

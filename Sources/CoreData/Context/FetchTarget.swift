import CoreDataRowStorage

/// The layout, store and table for a fetch of an entity that a single store holds.
///
/// Programs fetch few entities repeatedly, so a context caches some targets.
final class FetchTarget {
    let layout: EntityLayout
    let table: EntityTable
    let store: any RowStore

    init(_ layout: EntityLayout, _ table: EntityTable, _ store: any RowStore) {
        self.layout = layout
        self.table = table
        self.store = store
    }
}

/// The targets of a context's last fetches.
struct FetchTargets {
    private var all: ContiguousArray<FetchTarget> = []
    /// The version of the coordinator's set of stores that the targets are valid for.
    private var version = 0

    private static let limit = 8

    @inline(__always)
    func find(_ request: FetchRequestBase, version: Int) -> FetchTarget? {
        guard version == self.version else { return nil }
        if let entity = request.settings.entity {
            for index in all.indices where all[index].layout.entity === entity { return all[index] }
        } else if let name = request.settings.entityName {
            for index in all.indices where all[index].layout.name == name { return all[index] }
        }
        return nil
    }

    mutating func remember(_ target: FetchTarget, version: Int) {
        if version != self.version || all.count >= Self.limit { all.removeAll() }
        self.version = version
        guard !all.contains(where: { $0.layout === target.layout }) else { return }
        all.append(target)
    }

    mutating func removeAll() { all.removeAll() }
}

extension NSManagedObjectContext {
    /// Returns the cached target of a request, if a recent request had the same.
    @inline(__always)
    final func knownTarget(of request: FetchRequestBase) -> FetchTarget? {
        guard let ownCoordinator, request.affectedStores == nil,
            let target = targets.find(request, version: ownCoordinator.storesVersion.load(ordering: .acquiring))
        else { return nil }
        if request.settings.entity == nil, !request.isFrozen { request.settings.entity = target.layout.entity }
        return target
    }

    /// Caches the target of a request.
    ///
    /// - Parameter version: The version of the set of stores, read before the target was looked up.
    final func remember(_ target: FetchTarget, _ version: Int, for request: FetchRequestBase) {
        guard request.affectedStores == nil else { return }
        targets.remember(target, version: version)
    }
}

import CoreDataRowStorage

/// The stores of a coordinator at one moment. Immutable, so that readers need no lock beyond the one for loading the reference.
final class StoreSnapshot: Sendable {
    let all: [NSPersistentStore]
    let rowStores: [any RowStore]
    /// Whether there is one store for all entities, as in most programs. The tables below are empty in this case.
    private let isOneForAll: Bool
    private let isWritable: Bool
    /// By entity number: the indexes in ``rowStores`` of the stores that have the entity in their configuration.
    private let holding: [[Int]]
    /// By entity number: the index of the first writable store among them, or -1.
    private let forNew: [Int]

    init(_ stores: [NSPersistentStore], model: NSManagedObjectModel) {
        all = stores
        rowStores = stores.compactMap(\.rowStore)
        isOneForAll = rowStores.count == 1 && rowStores[0].requestedConfiguration == nil
        isWritable = isOneForAll && !rowStores[0].isReadOnly
        guard !stores.isEmpty, !isOneForAll else {
            holding = []
            forNew = []
            return
        }
        let layouts = model.layouts
        var holding = [[Int]](repeating: [], count: layouts.byNumber.count)
        var forNew = [Int](repeating: -1, count: layouts.byNumber.count)
        for (place, store) in rowStores.enumerated() {
            let entities = model.entities(forConfigurationName: store.requestedConfiguration) ?? []
            for layout in Self.layouts(of: entities, in: layouts) {
                holding[layout.number].append(place)
                if forNew[layout.number] < 0, !store.isReadOnly { forNew[layout.number] = place }
            }
        }
        self.holding = holding
        self.forNew = forNew
    }

    func stores(holding layout: EntityLayout) -> [any RowStore] {
        if isOneForAll { return rowStores }
        guard layout.number < holding.count else { return [] }
        let places = holding[layout.number]
        return places.count == rowStores.count ? rowStores : places.map { rowStores[$0] }
    }

    func store(forNew layout: EntityLayout) -> (any RowStore)? {
        if isOneForAll { return isWritable ? rowStores[0] : nil }
        guard layout.number < forNew.count, forNew[layout.number] >= 0 else { return nil }
        return rowStores[forNew[layout.number]]
    }

    /// Returns the layouts of entities and of their ancestors: a fetch for a parent entity must include the stores of its
    /// subentities.
    private static func layouts(of entities: [NSEntityDescription], in layouts: ModelLayouts) -> [EntityLayout] {
        var seen = Set<Int>(minimumCapacity: layouts.byNumber.count)
        var result: [EntityLayout] = []
        for entity in entities {
            var layout = entity.name.flatMap { layouts.byName[$0] }
            while let current = layout, seen.insert(current.number).inserted {
                result.append(current)
                layout = current.superlayout
            }
        }
        return result
    }
}

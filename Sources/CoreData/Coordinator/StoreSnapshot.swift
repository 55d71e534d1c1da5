/// The stores of a coordinator at one moment. Immutable, so that readers need no lock beyond fetching the reference.
final class StoreSnapshot: Sendable {
    let all: [NSPersistentStore]
    let rowStores: [any RowStore]
    /// By entity number: the stores whose configuration holds the entity.
    private let holding: ContiguousArray<[any RowStore]>
    /// By entity number: the first of them that is writable.
    private let forNew: ContiguousArray<(any RowStore)?>

    init(_ stores: [NSPersistentStore], model: NSManagedObjectModel) {
        all = stores
        rowStores = stores.compactMap(\.rowStore)
        guard !stores.isEmpty else {
            holding = []
            forNew = []
            return
        }
        let layouts = model.layouts
        var holding = ContiguousArray<[any RowStore]>(repeating: [], count: layouts.byNumber.count)
        for store in rowStores {
            let entities = model.entities(forConfigurationName: store.requestedConfiguration) ?? []
            for layout in Self.layouts(of: entities, in: layouts) { holding[layout.number].append(store) }
        }
        self.holding = holding
        forNew = ContiguousArray(holding.map { stores in stores.first { !$0.isReadOnly } })
    }

    func stores(holding layout: EntityLayout) -> [any RowStore] {
        layout.number < holding.count ? holding[layout.number] : []
    }

    func store(forNew layout: EntityLayout) -> (any RowStore)? {
        layout.number < forNew.count ? forNew[layout.number] : nil
    }

    /// The entities a configuration names, and their ancestors: a fetch for a parent must look wherever children may be.
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

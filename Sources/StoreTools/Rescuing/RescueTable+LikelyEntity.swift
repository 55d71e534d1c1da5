extension RescueOperation {
    /// Returns the entity that a row of a table is likely to have; nil if several are equally likely.
    func likelyEntity(_ values: [StoredValue], in table: RescueTable) -> StoreEntity? {
        let concrete = table.entities.values.filter { !$0.isAbstract }.sorted { $0.number < $1.number }
        if concrete.count == 1 { return concrete[0] }
        let used = Set(
            table.columns.indices.filter {
                $0 < values.count && values[$0] != .null && table.columns[$0].property != nil
            }
            .map { table.columns[$0].name })
        let fitting = concrete.filter { entity in
            let columns = Set(
                entity.attributes.map(\.column)
                    + entity.toOnes.flatMap { [$0.column, $0.entityColumn, $0.orderColumn].compactMap { $0 } })
            let isComplete = (table.requirements[Int64(entity.number)] ?? []).allSatisfy {
                $0.column < values.count && values[$0.column] != .null
            }
            return used.isSubset(of: columns) && isComplete
        }
        func size(_ entity: StoreEntity) -> Int { entity.attributes.count + entity.toOnes.count }
        guard let smallest = fitting.map(size).min() else { return nil }
        let best = fitting.filter { size($0) == smallest }
        return best.count == 1 ? best[0] : nil
    }
}

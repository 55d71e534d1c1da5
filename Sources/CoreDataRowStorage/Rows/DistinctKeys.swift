extension ContiguousArray<Int64> {
    /// The keys without duplicates, in the same order.
    package var distinct: Self {
        // Most lists ascend, in the order in which rows were inserted.
        if zip(self, dropFirst()).allSatisfy({ $0 < $1 }) { return self }
        var seen = Set<Int64>(minimumCapacity: count)
        return filter { seen.insert($0).inserted }
    }
}

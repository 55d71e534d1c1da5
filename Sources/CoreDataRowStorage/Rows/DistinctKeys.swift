extension ContiguousArray<Int64> {
    /// The same keys in the same order, each once.
    package var distinct: Self {
        // Most come in the order in which rows were inserted.
        if zip(self, dropFirst()).allSatisfy({ $0 < $1 }) { return self }
        var seen = Set<Int64>(minimumCapacity: count)
        return filter { seen.insert($0).inserted }
    }
}

extension MagicalRecord {
    /// One group of objects: what they share, and the value computed over them.
    ///
    /// With several keys, `key` is a tuple of them.
    public struct AggregateGroup<Key, Value> {
        /// The value that the objects of the group share; a tuple for several keys.
        public let key: Key
        /// The value computed over the objects of the group.
        public let value: Value

        /// Creates a group, for comparisons in tests.
        public init(key: Key, value: Value) {
            self.key = key
            self.value = value
        }
    }
}

extension MagicalRecord.AggregateGroup: Sendable where Key: Sendable, Value: Sendable {}
extension MagicalRecord.AggregateGroup: Equatable where Key: Equatable, Value: Equatable {}
extension MagicalRecord.AggregateGroup: Hashable where Key: Hashable, Value: Hashable {}

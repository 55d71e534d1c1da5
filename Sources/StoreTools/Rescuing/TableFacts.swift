/// The keys of one table's rows and those that they refer to, collected in one scan: enough to see whether anything needs to be
/// mended.
final class TableFacts {
    /// An order-independent sum of pairs of keys. Equal sums are those of equal pairs, but for a chance of 1 in 2¹²⁸.
    struct PairSum: Equatable {
        private var first: UInt64 = 0
        private var second: UInt64 = 0

        mutating func add(_ left: Int64, _ right: Int64) {
            let (left, right) = (UInt64(bitPattern: left), UInt64(bitPattern: right))
            first &+= Self.mix(Self.mix(left &+ 0x9e37_79b9_7f4a_7c15) ^ right)
            second &+= Self.mix(Self.mix(right &+ 0xd1b5_4a32_d192_ed03) &+ left)
        }

        private static func mix(_ value: UInt64) -> UInt64 {
            var value = value
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return value ^ (value >> 31)
        }
    }

    /// One column with keys of other rows.
    struct Reference {
        let column: Int
        let entityColumn: Int?
        /// The column of the other key of the pairs that are added up: the row's own for a one-to-one relationship, the
        /// other one for a join table that is its own inverse. Nil if pairs do not matter.
        let pairColumn: Int?
        /// The keys in the column, if no entity number is beside it.
        var targets = KeySet()
        /// The keys in the column by the entity number beside it.
        var targetsByEntity: [Int64: KeySet] = [:]
        /// True if a key has no entity number beside it, a number no key, or a pair of a join table only one key.
        var hasHalf = false
        /// The pairs of that key and the one in the column.
        var pairs = PairSum()
        /// The same pairs in the other order.
        var inversePairs = PairSum()
    }

    let keyColumn: Int?
    let entityColumn: Int?
    private let isJoin: Bool
    private(set) var references: [Reference]
    /// The keys of the rows by entity number.
    private var keysByEntity: [Int64: KeySet] = [:]
    /// The entity of the row that was added last, and its keys.
    private var recent: (entity: Int64, keys: KeySet) = (0, KeySet())

    init(_ table: RescueTable, _ all: [StoredReference]) {
        func place(_ name: String) -> Int? { table.columns.firstIndex { $0.name == name } }
        keyColumn = table.keyColumn
        entityColumn = table.entityColumn
        isJoin = table.join != nil
        if let join = table.join {
            let (first, second) = (place(join.first.column), place(join.second.column))
            references = [(first, join.isReflexive ? second : nil), (second, nil)].compactMap { column, other in
                column.map { Reference(column: $0, entityColumn: nil, pairColumn: other) }
            }
        } else {
            references = all.filter { $0.table == table.name }.compactMap { reference in
                place(reference.column).map {
                    Reference(
                        column: $0, entityColumn: reference.entityColumn.flatMap(place),
                        pairColumn: reference.inverse != nil && !reference.isInverseToMany ? table.keyColumn : nil)
                }
            }
        }
    }

    /// The columns of the table that are looked at, in the order of ``add(_:_:)``.
    var columns: [Int] {
        Array(
            Set(
                [keyColumn, entityColumn].compactMap { $0 }
                    + references.flatMap { [$0.column, $0.entityColumn].compactMap { $0 } })
        ).sorted()
    }

    /// Adds the current row of a statement with the first columns of the table.
    func add(_ row: Statement, _ count: Int) {
        var key: Int64 = 0
        if let keyColumn, let entityColumn, keyColumn < count, entityColumn < count {
            key = row.integer(keyColumn)
            let entity = row.integer(entityColumn)
            if entity != recent.entity { select(entity) }
            recent.keys.insert(key)
        }
        for index in references.indices where references[index].column < count {
            let column = references[index].column
            let kind = references[index].entityColumn.flatMap { $0 < count ? $0 : nil }
            if row.isNull(column) {
                if isJoin || kind.map({ !row.isNull($0) }) == true { references[index].hasHalf = true }
                continue
            }
            let target = row.integer(column)
            if references[index].entityColumn != nil {
                if kind.map({ row.isNull($0) }) ?? true { references[index].hasHalf = true }
                let entity = kind.map { row.integer($0) } ?? 0
                references[index].targetsByEntity[entity, default: KeySet()].insert(target)
            } else {
                references[index].targets.insert(target)
            }
            if let other = references[index].pairColumn {
                let key = other == keyColumn ? key : row.integer(other)
                references[index].pairs.add(key, target)
                references[index].inversePairs.add(target, key)
            }
        }
    }

    private func select(_ entity: Int64) {
        if !recent.keys.isEmpty { keysByEntity[recent.entity] = recent.keys }
        recent = (entity, keysByEntity.removeValue(forKey: entity) ?? KeySet())
    }

    /// Returns the keys of the rows of an entity.
    func keys(of entity: Int64) -> KeySet {
        entity == recent.entity ? recent.keys : keysByEntity[entity] ?? KeySet()
    }

    /// Returns whether a row has a key.
    func contains(_ key: Int64) -> Bool {
        recent.keys.contains(key) || keysByEntity.contains { $0.value.contains(key) }
    }

    /// Returns what is known about a column; nil if the table has none of that name.
    func reference(_ column: String, in table: RescueTable) -> Reference? {
        references.first { table.columns[$0.column].name == column }
    }
}

/// A statement and how often it ran.
struct StatementUse {
    let sql: String
    var count: Int
}

/// The statements of an operation, in the order of their first use. Most operations have one, which needs no memory of its own.
struct StatementUses: RandomAccessCollection {
    private var single: StatementUse?
    private var others: ContiguousArray<StatementUse> = []

    let startIndex = 0
    var endIndex: Int { single == nil ? 0 : 1 + others.count }

    subscript(position: Int) -> StatementUse {
        if position == 0, let single { return single }
        return others[position - 1]
    }

    /// Counts an execution. Operations run few different statements, often the last one again.
    mutating func count(_ sql: String) {
        guard let single else {
            self.single = StatementUse(sql: sql, count: 1)
            return
        }
        if let index = others.lastIndex(where: { $0.sql == sql }) {
            others[index].count += 1
        } else if single.sql == sql {
            self.single?.count += 1
        } else {
            others.append(StatementUse(sql: sql, count: 1))
        }
    }
}

/// A statement and the number of its executions.
package struct StatementUse {
    package let sql: String
    package var count: Int

    package init(sql: String, count: Int) {
        self.sql = sql
        self.count = count
    }
}

/// The statements of an operation, in the order of their first use. A single statement, the usual case, is stored inline.
package struct StatementUses: RandomAccessCollection {
    private var single: StatementUse?
    private var others: ContiguousArray<StatementUse> = []

    package let startIndex = 0
    package var endIndex: Int { single == nil ? 0 : 1 + others.count }

    package subscript(position: Int) -> StatementUse {
        if position == 0, let single { return single }
        return others[position - 1]
    }

    /// Counts an execution. Operations run few different statements, often the last one again.
    package mutating func count(_ sql: String) {
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

import CoreDataRowStorage

/// An operation stored in a recording.
struct KeptEvent: EventFacts {
    let table: EventTable
    let index: Int

    private var question: EventTable.Question { table.questions[Int(table[index].question)] }
    private var rarity: EventTable.Rarity? {
        let rarity = table[index].rarity
        return rarity == 0 ? nil : table.rarities[Int(rarity) - 1]
    }
    private var context: ContextLabel? {
        let context = table[index].context
        return context == 0 ? nil : table.contexts[Int(context) - 1]
    }

    var number: Int { table[index].number }
    var parentNumber: Int { table[index].parentNumber }
    var kind: EventKind { table[index].kind }
    var source: EventSource { table[index].source }
    var entity: String? { table.text(question.entity) }
    var keyPath: String? { table.text(question.keyPath) }
    var predicateText: String? { table.text(table[index].predicate) }
    var sortOrder: [String] { question.sortOrder.compactMap(table.text) }
    var limit: Int { question.limit }
    var objects: Int { table[index].objects }
    var rowCount: Int { table[index].rowCount }
    var changes: EventChanges { rarity?.changes ?? EventChanges() }
    var start: UInt64 { table[index].start }
    var nanoseconds: Int64 { table[index].nanoseconds }
    var waitingNanoseconds: Int64 { rarity?.waitingNanoseconds ?? 0 }
    var sqlNanoseconds: Int64 { table[index].sqlNanoseconds }
    var commitNanoseconds: Int64 { rarity?.commitNanoseconds ?? 0 }
    var plan: [String] { question.plan.compactMap(table.text) }
    var contextName: String? { context?.name }
    var contextNumber: Int? { context?.number }
    var thread: Int { Int(table[index].thread) }
    var task: Int { table[index].task }
    var store: String? { table.text(question.store) }
    var failure: String? { rarity.flatMap { table.text($0.failure) } }
    var failureType: String? { rarity.flatMap { table.text($0.failureType) } }

    var objectID: NSManagedObjectID? {
        let row = table[index]
        guard row.identity != 0 else { return nil }
        return NSManagedObjectID(identity: table.identities[Int(row.identity) - 1], key: row.key)
    }

    var statementUses: [StatementUse] {
        if let sql = table.text(question.statement) { return [StatementUse(sql: sql, count: 1)] }
        return rarity?.statements.compactMap { use in
            table.text(use.text).map { StatementUse(sql: $0, count: use.count) }
        } ?? []
    }
}

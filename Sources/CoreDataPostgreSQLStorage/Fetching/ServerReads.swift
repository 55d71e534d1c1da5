#if PostgreSQL
import CoreDataRowStorage
import CoreDataSQLQueries
import Foundation

/// The reads of a session, over a connection that the session provides.
struct ServerReads {
    let engine: PostgreSQLEngine
    let connection: PostgreSQLConnection
    private var deadline: Deadline { Deadline(after: engine.options.statementTimeout) }

    // MARK: Fetches

    func rows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        let (compiled, parameters) = try prepare(fetch, .rows)
        guard let selection = compiled.selection else { return }
        let delivery = RowDelivery(selection, expected: fetch.limit, into: sink)
        try connection.run(
            [
                PipelineRequest(compiled.statement, parameters) { rows in
                    try delivery.deliver(rows) { try Self.look(at: fetch.interruption, $0) }
                }
            ], until: deadline, checking: fetch.interruption)
    }

    func references(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        let (compiled, parameters) = try prepare(fetch, .references)
        var references: ContiguousArray<RowReference> = []
        try connection.run(
            [
                PipelineRequest(compiled.statement, parameters) { rows in
                    try Self.check(rows, compiled.entityColumn != nil)
                    references.reserveCapacity(rows.count)
                    for row in 0..<rows.count {
                        try Self.look(at: fetch.interruption, row)
                        references.append(
                            try rows.reference(row, entity: compiled.entityColumn, of: fetch.layout, engine.layouts))
                    }
                }
            ], until: deadline, checking: fetch.interruption)
        return references
    }

    /// Ends a fetch early, now and then while its rows are read.
    private static func look(at interruption: FetchInterruption?, _ row: Int) throws {
        if row % 512 == 0 { try interruption?.check() }
    }

    func count(_ fetch: StoreFetch) throws -> Int {
        let (compiled, parameters) = try prepare(fetch, .count)
        var count = 0
        try connection.run(
            [PipelineRequest(compiled.statement, parameters) { count = try $0.number(0, 0) }], until: deadline,
            checking: fetch.interruption)
        return count
    }

    private func prepare(
        _ fetch: StoreFetch, _ purpose: FetchStatement.Purpose
    ) throws -> (CompiledFetch, ParameterList) {
        try fetch.interruption?.check()
        let (compiled, constants) = try engine.compiled(fetch, purpose)
        return (compiled, try compiled.parameters(fetch, constants, engine))
    }

    /// Checks the types of a result of references.
    private static func check(_ rows: ServerRows, _ selectsEntity: Bool) throws {
        try ColumnType.requireKeys(rows)
        if selectsEntity { try ColumnType.requireText(rows, 1) }
    }

    // MARK: Rows by key

    /// The highest number of keys in one statement.
    static let keysAtOnce = 1000

    func rows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        let root = layout.root
        let selection = try engine.selection(of: root)
        let statement = try engine.keyedStatements.value(for: .rows(root.number)) {
            ServerStatement(try KeyQuery(selecting: selection.list, of: root, engine.tables).many.text)
        }
        let delivery = RowDelivery(selection, expected: keys.count, into: sink)
        var requests: [PipelineRequest] = []
        for start in stride(from: 0, to: keys.count, by: Self.keysAtOnce) {
            var parameters = ParameterList()
            parameters.add(keys[start..<min(start + Self.keysAtOnce, keys.count)])
            requests.append(PipelineRequest(statement, parameters) { try delivery.deliver($0) })
        }
        try connection.run(requests, until: deadline)
    }

    // MARK: To-many relationships

    /// The highest number of owners in one statement: while their rows are decoded, the server reads those of the next.
    private static let ownersAtOnce = 250

    func members(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        guard let query = try toMany(relationship, of: layout) else { return [] }
        let name = relationship.name
        let statement = try engine.keyedStatements.value(for: .members(layout.number, relationship: name)) {
            ServerStatement(try query.references().text)
        }
        var parameters = ParameterList()
        parameters.add(key)
        var references: ContiguousArray<RowReference> = []
        try connection.run(
            [
                PipelineRequest(statement, parameters) { rows in
                    try Self.check(rows, query.selectsEntity)
                    let entityColumn = query.selectsEntity ? 1 : nil
                    for row in 0..<rows.count {
                        references.append(
                            try rows.reference(row, entity: entityColumn, of: query.destination, engine.layouts))
                    }
                }
            ], until: deadline)
        return references
    }

    func memberRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        guard let query = try toMany(relationship, of: layout) else { return }
        let selection = try engine.selection(of: query.destination)
        let name = relationship.name
        let statement = try engine.keyedStatements.value(for: .memberRows(layout.number, relationship: name)) {
            ServerStatement(try query.rowsOfMany(selecting: selection.list, selectsOwner: true).text)
        }
        let delivery = RowDelivery(selection, into: sink)
        try withoutActuallyEscaping(group) { group in
            var requests: [PipelineRequest] = []
            for start in stride(from: 0, to: keys.count, by: Self.ownersAtOnce) {
                var parameters = ParameterList()
                parameters.add(keys[start..<min(start + Self.ownersAtOnce, keys.count)])
                requests.append(PipelineRequest(statement, parameters) { try delivery.deliver($0, byOwner: group) })
            }
            try connection.run(requests, until: deadline)
        }
    }

    private func toMany(_ relationship: EntityLayout.Relationship, of layout: EntityLayout) throws -> ToManyQuery? {
        guard let columns = engine.tables.columns(of: relationship, in: layout),
            let destination = engine.layouts.byNumber[relationship.destinationNumber]
        else { return nil }
        return try ToManyQuery(columns, to: destination, engine.tables)
    }
}
#endif

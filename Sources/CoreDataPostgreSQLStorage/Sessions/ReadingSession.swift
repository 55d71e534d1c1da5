#if PostgreSQL
import CoreDataRowStorage

/// A session that reads as the engine does, over a connection that the session provides.
protocol ReadingSession: StoreSession {
    /// Runs reads over a connection.
    ///
    /// - Throws: Errors of the server as `NSError`s.
    func reading<Result>(_ body: (ServerReads) throws -> Result) throws -> Result
}

extension ReadingSession {
    func history(_ query: HistoryQuery) throws -> HistoryAnswer {
        try reading { reads in
            let history = try reads.engine.requireHistory()
            return try HistoryReading(query, history, reads.engine).answer(on: reads.connection)
        }
    }
    func historyReaders() throws -> [HistoryReader] {
        try reading { try $0.engine.historyReaders(on: $0.connection) }
    }
    func unreportedHistoryAge() throws -> Double? {
        try reading { try $0.engine.unreportedHistoryAge(on: $0.connection) }
    }
    func lastHistoryMark() throws -> HistoryMark? {
        try reading { try $0.engine.lastHistoryMark(on: $0.connection) }
    }
    func fetchRows(_ fetch: StoreFetch, into sink: any RowSink) throws {
        try reading { try $0.rows(fetch, into: sink) }
    }
    func fetchReferences(_ fetch: StoreFetch) throws -> ContiguousArray<RowReference> {
        try reading { try $0.references(fetch) }
    }
    func countRows(_ fetch: StoreFetch) throws -> Int { try reading { try $0.count(fetch) } }
    func fetchDictionaries(
        _ fetch: StoreFetch, object: @escaping (RowReference) -> Any
    ) throws -> [[String: Any]] {
        try reading { try $0.dictionaries(fetch, object: object) }
    }
    func readRows(keys: ContiguousArray<Int64>, of layout: EntityLayout, into sink: any RowSink) throws {
        try reading { try $0.rows(keys: keys, of: layout, into: sink) }
    }
    func readToMany(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, key: Int64
    ) throws -> ContiguousArray<RowReference> {
        try reading { try $0.members(relationship, of: layout, key: key) }
    }
    func readToManyRows(
        _ relationship: EntityLayout.Relationship, of layout: EntityLayout, keys: ContiguousArray<Int64>,
        into sink: any RowSink, group: (Int64) -> Void
    ) throws {
        try reading { try $0.memberRows(relationship, of: layout, keys: keys, into: sink, group: group) }
    }
}
#endif

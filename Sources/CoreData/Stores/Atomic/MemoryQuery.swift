import Foundation

/// A fetch over rows in memory.
struct MemoryQuery {
    typealias Match = (key: Int64, row: MemoryRow)

    let fetch: StoreFetch
    let state: MemoryState

    init(_ fetch: StoreFetch, in state: MemoryState, of store: NSPersistentStore) throws {
        self.fetch = fetch
        self.state = state
        guard fetch.predicate == nil, fetch.sortDescriptors.isEmpty else {
            throw StoreErrors.invalidRequest("In-memory stores cannot filter and sort yet.", entity: fetch.layout)
        }
    }

    /// The rows of the result in order.
    func matches() throws -> ArraySlice<Match> {
        let needed = fetch.limit > 0 ? fetch.offset + fetch.limit : nil
        return cut(try candidates(stoppingAt: needed))
    }

    func count() throws -> Int {
        if fetch.predicate == nil, fetch.includesSubentities, fetch.layout.isRoot {
            return cutCount(table.count)
        }
        let needed = fetch.limit > 0 ? fetch.offset + fetch.limit : nil
        return cutCount(try candidates(stoppingAt: needed).count)
    }

    private var table: MemoryTable { state.tables[fetch.layout.root.number] }

    /// The rows that match, by key.
    private func candidates(stoppingAt needed: Int?) throws -> [Match] {
        let table = table
        var wanted = [Bool](repeating: false, count: state.layouts.byNumber.count)
        for number in fetch.includesSubentities ? fetch.layout.familyNumbers : [fetch.layout.number] {
            wanted[number] = true
        }
        var found: [Match] = []
        for position in table.keys.indices {
            let row = table.rows[position]
            guard wanted[row.entityNumber] else { continue }
            let key = table.keys[position]
            found.append((key, row))
            if found.count == needed { break }
        }
        return found
    }

    private func cut(_ matches: [Match]) -> ArraySlice<Match> {
        let rest = matches.dropFirst(fetch.offset)
        return fetch.limit > 0 ? rest.prefix(fetch.limit) : rest
    }

    private func cutCount(_ count: Int) -> Int {
        let rest = max(0, count - fetch.offset)
        return fetch.limit > 0 ? min(rest, fetch.limit) : rest
    }
}

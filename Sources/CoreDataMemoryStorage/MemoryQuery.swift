import CoreDataRowStorage
import Foundation
import PredicateFormat

/// A fetch over rows in memory.
package struct MemoryQuery {
    typealias Match = (key: Int64, row: MemoryRow)

    private(set) var fetch: StoreFetch
    let world: MemoryObject.World

    init(_ fetch: StoreFetch, in world: MemoryObject.World) throws {
        try fetch.interruption?.check()
        self.fetch = fetch
        self.world = world
        let layouts = world.state.layouts
        self.fetch.predicate = try fetch.predicate.map {
            try ConditionResolver.resolve($0, for: fetch.layout, layouts, isStrict: true)
        }
        for descriptor in fetch.sortDescriptors { try KeyPathCheck(fetch.layout, layouts).check(descriptor) }
    }

    /// Returns the rows of the result in order.
    func matches() throws -> ArraySlice<Match> {
        guard fetch.sortDescriptors.isEmpty else { return cut(try sorted(candidates(stoppingAt: 0))) }
        return cut(try candidates(stoppingAt: fetch.rowsToRead()))
    }

    func count() throws -> Int {
        if fetch.predicate == nil, fetch.includesSubentities, fetch.layout.isRoot {
            return cutCount(table.count)
        }
        return cutCount(try candidates(stoppingAt: fetch.rowsToRead()).count)
    }

    private var table: MemoryTable { world.state.tables[fetch.layout.root.number] }

    /// Returns the matching rows by key, at most `needed` unless that is 0.
    private func candidates(stoppingAt needed: Int) throws -> [Match] {
        try MatchingBudget.shared { try scan(stoppingAt: needed) }
    }

    private func scan(stoppingAt needed: Int) throws -> [Match] {
        let table = table
        var wanted = [Bool](repeating: false, count: world.state.layouts.byNumber.count)
        let layout = fetch.layout
        for number in fetch.includesSubentities ? layout.familyNumbers : layout.number..<layout.number + 1 {
            wanted[number] = true
        }
        var found: [Match] = []
        let interruption = fetch.interruption
        for position in table.keys.indices {
            if position & 0xff == 0 { try interruption?.check() }
            let row = table.rows[position]
            guard wanted[row.entityNumber] else { continue }
            let key = table.keys[position]
            if let predicate = fetch.predicate,
                try !predicate.holds(for: MemoryObject(world, row, key: key))
            {
                continue
            }
            found.append((key, row))
            if found.count == needed { break }
        }
        if let (key, entity) = world.undefinedKey { throw Self.undefined(key, entity, fetch.predicate) }
        return found
    }

    /// Returns the error for an unknown key found while a predicate was evaluated.
    package static func undefined(_ key: String, _ entity: String, _ predicate: NSPredicate?) -> NSError {
        CoreDataError.make(
            NSCoreDataError, description: "keypath \(key) not found in entity \(entity)",
            reason:
                "The predicate \(predicate?.node.predicateFormat ?? "") asks \(entity) for \"\(key)\", which is none of its "
                + "properties.",
            advice: "Name a property of the model in the predicate.", entity: entity, key: key)
    }

    private func sorted(_ matches: [Match]) throws -> [Match] {
        let objects = matches.map { MemoryObject(world, $0.row, key: $0.key) }
        return try MemorySort(fetch.sortDescriptors, fetch.interruption).order(objects).map { matches[$0] }
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

/// A stable sort by sort descriptors.
struct MemorySort {
    private let descriptors: [NSSortDescriptor]
    private let interruption: FetchInterruption?

    init(_ descriptors: [NSSortDescriptor], _ interruption: FetchInterruption?) {
        self.descriptors = descriptors
        self.interruption = interruption
    }

    /// Returns the positions of the objects in sorted order.
    func order(_ objects: [any AnyObject]) throws -> [Int] {
        var comparisons = 0
        return try objects.indices.sorted { a, b in
            comparisons += 1
            if comparisons & 0xff == 0 { try interruption?.check() }
            for descriptor in descriptors {
                switch descriptor.compare(objects[a], to: objects[b]) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return a < b
        }
    }
}

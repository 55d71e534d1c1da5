import Foundation

/// The associations between source and destination objects, for every mapping.
struct Associations {
    private struct Table {
        var destinations: [ObjectIdentifier: [NSManagedObject]] = [:]
        var sources: [ObjectIdentifier: [NSManagedObject]] = [:]
        var allDestinations: [NSManagedObject] = []
        var allSources: [NSManagedObject] = []
    }

    private var tables: [String: Table] = [:]
    /// The names of the mappings by source object, in the order in which they were applied to it.
    private var names: [ObjectIdentifier: [String]] = [:]

    mutating func add(_ source: NSManagedObject, _ destination: NSManagedObject, mapping: String) {
        let (from, to) = (ObjectIdentifier(source), ObjectIdentifier(destination))
        tables[mapping, default: Table()].destinations[from, default: []].append(destination)
        if tables[mapping]?.sources[to] == nil { tables[mapping]?.allDestinations.append(destination) }
        if tables[mapping]?.destinations[from]?.count == 1 { tables[mapping]?.allSources.append(source) }
        tables[mapping]?.sources[to, default: []].append(source)
        if names[from]?.contains(mapping) != true { names[from, default: []].append(mapping) }
    }

    func destinations(mapping: String, of sources: [NSManagedObject]?) -> [NSManagedObject] {
        guard let table = tables[mapping] else { return [] }
        guard let sources else { return table.allDestinations }
        return sources.flatMap { table.destinations[ObjectIdentifier($0)] ?? [] }
    }

    func sources(mapping: String, of destinations: [NSManagedObject]?) -> [NSManagedObject] {
        guard let table = tables[mapping] else { return [] }
        guard let destinations else { return table.allSources }
        return destinations.flatMap { table.sources[ObjectIdentifier($0)] ?? [] }
    }

    /// Returns the destination objects of a source object, for all mappings.
    func destinations(of source: NSManagedObject) -> [NSManagedObject] {
        let id = ObjectIdentifier(source)
        return (names[id] ?? []).flatMap { tables[$0]?.destinations[id] ?? [] }
    }

    // MARK: Between passes

    /// Associations kept after the stores are closed, as pairs of URIs.
    struct Saved {
        var pairs: [(mapping: String, source: URL, destination: URL)] = []
    }

    /// Returns the associations in a form that does not depend on the contexts. Destination objects must have been saved.
    func saved() -> Saved {
        var saved = Saved()
        for (mapping, table) in tables.sorted(by: { $0.key < $1.key }) {
            for source in table.allSources {
                for destination in table.destinations[ObjectIdentifier(source)] ?? [] {
                    saved.pairs.append(
                        (
                            mapping, source.objectID.uriRepresentation(), destination.objectID.uriRepresentation()
                        ))
                }
            }
        }
        return saved
    }

    /// Creates the associations of an earlier pass with objects of these contexts.
    init(_ saved: Saved, source: NSManagedObjectContext, destination: NSManagedObjectContext) {
        func object(_ uri: URL, _ context: NSManagedObjectContext) -> NSManagedObject? {
            (context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)).map {
                context.object(with: $0)
            }
        }
        for (mapping, from, to) in saved.pairs {
            guard let from = object(from, source), let to = object(to, destination) else { continue }
            add(from, to, mapping: mapping)
        }
    }

    init() {}
}

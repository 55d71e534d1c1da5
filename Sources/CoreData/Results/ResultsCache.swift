import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The sections of a fetched-results controller on disk: names and numbers of objects, so that the next launch need not read
/// every object to group them.
///
/// A cache belongs to one request and one state of the store files, and is valid only while both are unchanged.
struct ResultsCache {
    /// The contents of a cache file.
    private struct Contents: Codable {
        var identity: String
        var stamp: [Int64]
        var names: [String]
        var counts: [Int]
    }

    private let file: URL
    private let identity: String
    private let sectionNameKeyPath: String?

    /// Creates a cache, or nil if the results cannot be cached: without a name, in a child or pinned context, and for requests
    /// with a predicate or an order defined by code.
    init?(name: String?, request: FetchRequestBase, sectionNameKeyPath: String?, context: NSManagedObjectContext) {
        guard let name, sectionNameKeyPath != nil, context.parent == nil, context.pin == nil,
            let coordinator = context.persistentStoreCoordinator,
            let identity = Self.identity(of: request, sectionNameKeyPath, coordinator)
        else { return nil }
        file = Self.file(named: name)
        self.identity = identity
        self.sectionNameKeyPath = sectionNameKeyPath
    }

    // MARK: Reading and writing

    /// Returns the sections if the cache was written for this state of the files.
    ///
    /// - Throws: `NSCoreDataError` if the cache of this name belongs to another request. Apple's framework raises an exception
    ///   in this case.
    func sections(of stamp: StoreStamp, count: Int) throws -> SectionBuilder? {
        guard let data = try? Data(contentsOf: file),
            let contents = try? PropertyListDecoder().decode(Contents.self, from: data)
        else { return nil }
        guard contents.identity == identity else {
            throw CoreDataError.make(
                NSCoreDataError, description: "The fetched results cannot use their cache.",
                reason: "The persistent cache of section information does not match the current configuration. "
                    + "You have illegally mutated the NSFetchedResultsController's fetch request, its predicate, or its "
                    + "sort descriptor without either disabling caching or using +deleteCacheWithName:",
                advice: "Call NSFetchedResultsController.deleteCache(withName:) before fetching, or use another name.",
                key: sectionNameKeyPath)
        }
        guard contents.stamp == stamp.values, contents.names.count == contents.counts.count,
            contents.counts.allSatisfy({ $0 > 0 }), contents.counts.reduce(0, +) == count
        else { return nil }
        var sections = SectionBuilder(hasFixedSection: false)
        for (name, count) in zip(contents.names, contents.counts) { sections.append(name, count: count) }
        return sections
    }

    /// Writes the sections to the cache. Write errors are ignored.
    func write(_ results: ResultsSnapshot, _ stamp: StoreStamp) {
        let contents = Contents(
            identity: identity, stamp: stamp.values, names: results.sectionNames,
            counts: results.sectionNames.indices.map { results.range(ofSection: $0).count })
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode(contents) else { return }
        try? FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        try? data.write(to: file, options: .atomic)
    }

    /// Deletes one cache, or all caches of this program if the name is nil.
    static func delete(name: String?) {
        try? FileManager.default.removeItem(at: name.map(file) ?? folder)
    }

    // MARK: Locations

    private static let folder: URL = {
        let manager = FileManager.default
        let caches = manager.urls(for: .cachesDirectory, in: .userDomainMask).first ?? manager.temporaryDirectory
        let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return caches.appendingPathComponent(program).appendingPathComponent("CoreData.FetchedResults")
    }()

    private static func file(named name: String) -> URL {
        let safe = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
        return folder.appendingPathComponent("section-\(safe)")
    }

    // MARK: Identity

    /// Returns the properties that a cache must match besides the data, or nil if they cannot be compared.
    private static func identity(
        of request: FetchRequestBase, _ sectionNameKeyPath: String?, _ coordinator: NSPersistentStoreCoordinator
    ) -> String? {
        guard let entity = try? request.resolveEntity(in: coordinator.managedObjectModel) else { return nil }
        var parts = [
            entity.name ?? "", entity.versionHash.base64EncodedString(), "\(request.includesSubentities)",
            "\(request.fetchLimit) \(request.fetchOffset)", sectionNameKeyPath ?? "",
        ]
        if let predicate = request.predicate {
            guard !predicate.node.holdsCode else { return nil }
            parts.append(predicate.node.predicateFormat)
        }
        for descriptor in request.sortDescriptors ?? [] {
            let key = descriptor.sortKey
            switch key.comparison {
            case .natural: parts.append("\(key.key ?? "self") \(key.ascending)")
            case .collation(let collation): parts.append("\(key.key ?? "self") \(key.ascending) \(collation)")
            case .unknownSelector, .comparator: return nil
            }
        }
        parts += coordinator.persistentStores.map { $0.identifier as String }.sorted()
        return parts.joined(separator: "\n")
    }
}

/// The state of the files of a coordinator's stores: their sizes, modification times and inode numbers.
struct StoreStamp: Equatable {
    private(set) var values: [Int64] = []

    /// The age in nanoseconds from which a modification time is reliable: file times have a limited resolution.
    private static let certainty: Int64 = 100_000_000

    /// Creates the stamp of the current state; nil if a store is not a file, or was written to just now.
    init?(_ coordinator: NSPersistentStoreCoordinator) {
        var newest: Int64 = 0
        for store in coordinator.persistentStores {
            guard let url = store.url, url.isFileURL, url.path != "/dev/null", store.type != NSInMemoryStoreType else {
                return nil
            }
            for path in [url.path, url.path + "-wal"] {
                var status = stat()
                guard stat(path, &status) == 0 else {
                    values.append(-1)
                    continue
                }
                let time = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
                values += [Int64(status.st_size), time, Int64(status.st_ino)]
                newest = max(newest, time)
            }
        }
        guard Int64(Date().timeIntervalSince1970 * 1e9) - newest > Self.certainty else { return nil }
    }
}

extension PredicateNode {
    /// True if a part of the predicate is code, which cannot be compared with that of another run.
    fileprivate var holdsCode: Bool {
        switch self {
        case .constant, .comparison: false
        case .opaque: true
        case .and(let nodes), .or(let nodes): nodes.contains(where: \.holdsCode)
        case .not(let node): node.holdsCode
        }
    }
}

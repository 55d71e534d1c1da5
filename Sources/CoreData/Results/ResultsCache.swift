import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The sections of a fetched-results controller, kept on disk: names and numbers of objects, so that the next start need
/// not look at every object to group them.
///
/// A cache belongs to one request and one state of the store files. It is used only while both are the same.
struct ResultsCache {
    /// What a cache file holds.
    private struct Contents: Codable {
        var identity: String
        var stamp: [Int64]
        var names: [String]
        var counts: [Int]
    }

    private let file: URL
    private let identity: String
    private let sectionNameKeyPath: String?

    /// nil where results cannot be cached: without a name, in a child or pinned context, and for requests whose
    /// predicate or order is code.
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

    /// The sections, if the cache is of this state of the files.
    ///
    /// - Throws: `NSCoreDataError` when the cache of this name belongs to another request: as Apple's framework does, which
    ///   raises an exception.
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

    /// Keeps the sections. A cache that cannot be written is done without.
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

    /// Removes one cache, or with nil all of this program.
    static func delete(name: String?) {
        try? FileManager.default.removeItem(at: name.map(file) ?? folder)
    }

    // MARK: Places

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

    /// What has to be the same for a cache to be right, apart from the data.
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

/// A state of the files of a coordinator's stores: sizes, times and numbers of the files.
struct StoreStamp: Equatable {
    private(set) var values: [Int64] = []

    /// How long a file must have been left alone for its time to be trusted, in nanoseconds: file times advance in steps.
    private static let certainty: Int64 = 100_000_000

    /// nil when a store is not a file, or was written to just now.
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
    /// Whether a part of it is code, which cannot be compared with that of another run.
    fileprivate var holdsCode: Bool {
        switch self {
        case .constant, .comparison: false
        case .opaque: true
        case .and(let nodes), .or(let nodes): nodes.contains(where: \.holdsCode)
        case .not(let node): node.holdsCode
        }
    }
}

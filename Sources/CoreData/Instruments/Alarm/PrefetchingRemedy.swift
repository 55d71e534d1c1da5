import CoreDataRowStorage

/// The remedy of prefetching key paths in the fetches that objects were reached from.
struct PrefetchingRemedy {
    let text: String

    init(_ tally: FindingTally) {
        let ways = tally.advisedWays ?? tally.ways
        guard let first = ways.first else {
            text = ""
            return
        }
        if tally.isPrefetched {
            text =
                "A fetch prefetches \(first.entity).\(first.path), but these objects came from elsewhere, or were refreshed "
                + "since. Use the fetched objects before they are refreshed, or fetch these objects in the same way."
            return
        }
        var fetches: [(entity: String, paths: [String])] = []
        for way in ways {
            if let index = fetches.firstIndex(where: { $0.entity == way.entity }) {
                // Different lines may have used the same path.
                if !fetches[index].paths.contains(way.path) { fetches[index].paths.append(way.path) }
            } else if fetches.count < Self.mostFetches {
                fetches.append((way.entity, [way.path]))
            }
        }
        text = fetches.enumerated().map { index, fetch in
            Self.text(fetch.entity, Self.longest(of: fetch.paths), isFirst: index == 0)
        }.joined(separator: " ")
    }

    private static let mostFetches = 3

    private static func text(_ entity: String, _ paths: [String], isFirst: Bool) -> String {
        let texts = paths.map { "\"\($0)\"" }
        return "\(isFirst ? "Prefetch it with" : "With") the fetch of \(entity): "
            + "request.relationshipKeyPathsForPrefetching = [\(texts.joined(separator: ", "))], or MagicalRecord's "
            + ".prefetching(\(texts.map { ".path(\($0))" }.joined(separator: ", ")))."
    }

    /// Returns the paths that are not prefixes of others: a key path prefetches its intermediate steps too.
    private static func longest(of paths: [String]) -> [String] {
        paths.filter { path in !paths.contains { $0.hasPrefix(path + ".") } }
    }
}

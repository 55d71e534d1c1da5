/// The target of a workload, as a multiple of the baseline: plain SQLite, or in M… the same work with Core Data's functions.
///
/// The figures were set before the engine was written, from measurements of a minimal object graph. They are goals, not
/// results.
public struct Target: Sendable {
    /// The ratio to reach, which is below that of every other library.
    public var must: Double
    /// The ratio that the parts (SQLite's time, one object per row, one copy) allow.
    public var stretch: Double

    init(_ must: Double, _ stretch: Double) {
        self.must = must
        self.stretch = stretch
    }
}

/// The figure that a target or a line of the table refers to.
public enum Metric: String, Codable, Sendable {
    /// The time of the workload.
    case time
    /// The median and the 99th percentile of page reads during concurrent writes.
    case medianLatency, tailLatency
    /// The growth of the resident set per row held. The target is a number of bytes.
    case bytesPerRow
}

extension Workload {
    /// The metrics of the workload, one line of the table each.
    public var metrics: [Metric] {
        switch self {
        case .readWhileWriting: [.medianLatency, .tailLatency]
        case .hold: [.time, .bytesPerRow]
        default: [.time]
        }
    }

    /// Returns the target of a metric, or nil if there is none.
    public func target(_ metric: Metric) -> Target? {
        switch (self, metric) {
        case (.hold, .bytesPerRow): Target(310, 285)
        case (.readWhileWriting, _): Target(1.6, 1.4)
        case (_, .time): timeTarget
        default: nil
        }
    }

    /// Returns the target of a metric over a PostgreSQL server, as a multiple of libpq's time, or nil if there is none.
    public func serverTarget(_ metric: Metric) -> Target? {
        guard metric == .time else { return nil }
        return switch self {
        case .insert, .update, .delete, .toManyPrefetched, .importJSON: Target(1.3, 1.15)
        case .fetchThree, .fetchTwelve: Target(1.25, 1.1)
        case .fetchIdentifiers, .insertEach: Target(1.2, 1.1)
        case .findTogether, .findEach: Target(1.15, 1.05)
        default: nil
        }
    }

    private var timeTarget: Target? {
        switch self {
        case .insert: Target(1.6, 1.35)
        case .insertInBatches, .insertInBatchesFull: Target(1.6, 1.3)
        case .insertEach: Target(1.4, 1.2)
        case .insertEachFull: Target(1.2, 1.05)
        case .fetchThree: Target(4.8, 4.2)
        case .fetchTwelve: Target(1.85, 1.6)
        case .fetchIdentifiers: Target(2.6, 2.2)
        case .count: Target(1.05, 1.02)
        case .findTogether: Target(1.8, 1.4)
        case .findEach: Target(1.6, 1.3)
        case .findInOneState: Target(1.8, 1.4)
        case .search: Target(1.1, 1.05)
        case .update: Target(1.2, 1.15)
        case .delete: Target(1.25, 1.15)
        case .deleteNullifying: Target(2.0, 1.6)
        case .toMany: Target(1.65, 1.55)
        case .toManyPrefetched: Target(1.9, 1.7)
        case .importJSON: Target(1.5, 1.4)
        case .importBatch: Target(1.1, 1.0)
        case .group: Target(1.03, 1.01)
        case .openCold: Target(2.6, 1.6)
        case .hold: Target(1.1, 1.0)
        case .iterate: Target(1.45, 1.35)
        case .faceFindTogether, .faceFindEach, .faceFindInOneRead, .faceSearch, .faceFindOrCreate, .faceSaveEach:
            Target(1.3, 1.1)
        case .faceImport: Target(1.5, 1.3)
        case .faceWatch: Target(1.2, 1.1)
        default: nil
        }
    }
}

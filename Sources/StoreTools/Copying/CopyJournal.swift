#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation

/// The progress of a copy, in the metadata of the destination: written in the transaction of each step.
struct CopyJournal: Equatable {
    enum Phase: Int {
        /// Rows with their attributes, and with the relationships to rows that were copied before.
        case rows
        /// The other to-one relationships.
        case references
        /// To-many relationships that the rows do not hold, and positions.
        case links
        /// Comparison.
        case comparison
    }

    /// The UUID of the source.
    var source: String
    /// True if values that the destination cannot hold are written otherwise.
    var isLossy: Bool
    var phase = Phase.rows
    /// The number of the hierarchy or relationship within the phase.
    var step = 0
    /// The highest key that is done within the step.
    var key: Int64 = 0

    init(source: String, isLossy: Bool) {
        self.source = source
        self.isLossy = isLossy
    }

    /// Reads the journal; returns nil if there is none.
    init?(in metadata: [String: Any]) {
        guard let values = metadata[UnfinishedCopy.key] as? [String: Any], let source = values["source"] as? String
        else { return nil }
        func number(_ key: String) -> Int { (values[key] as? NSNumber)?.intValue ?? values[key] as? Int ?? 0 }
        self.source = source
        isLossy = number("lossy") != 0
        phase = Phase(rawValue: number("phase")) ?? .rows
        step = number("step")
        key = Int64(number("key"))
    }

    /// Throws if the unfinished copy with some metadata is that of another source.
    static func requireSource(_ identifier: String, in metadata: [String: Any], place: String) throws {
        guard let journal = CopyJournal(in: metadata), journal.source != identifier else { return }
        throw StoreToolError(
            .destination, "There is an unfinished copy of another store in \(place).",
            advice: "Finish that one, or pass --restart to remove it.")
    }

    var entry: [String: Any] {
        ["source": source, "lossy": isLossy ? 1 : 0, "phase": phase.rawValue, "step": step, "key": Int(key)]
    }

    /// Returns whether a step is done completely.
    func isPast(_ phase: Phase, _ step: Int) -> Bool {
        (self.phase.rawValue, self.step) > (phase.rawValue, step)
    }

    /// Returns the highest key that is done in a step.
    func lastKey(_ phase: Phase, _ step: Int) -> Int64 {
        self.phase == phase && self.step == step ? key : 0
    }

    func at(_ phase: Phase, _ step: Int, _ key: Int64) -> CopyJournal {
        var journal = self
        (journal.phase, journal.step, journal.key) = (phase, step, key)
        return journal
    }
}
#endif

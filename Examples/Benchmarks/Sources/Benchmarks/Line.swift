import Foundation
import Workloads

/// One line of the table: one metric of a workload for all engines.
struct Line: Codable {
    var workload: Workload
    var rows: Int
    var metric: Metric
    var baseline: String
    var figures: [String: Figure]

    /// The medians over the rounds: times in nanoseconds, memory in bytes per row.
    struct Figure: Codable {
        var median: Double
        var ratio: Double
        var lowestRatio: Double
        var highestRatio: Double
    }

    enum Verdict: String, Codable {
        case stretch, must, miss
    }

    var target: Target? {
        Engines.servers.contains { $0.name == baseline } ? workload.serverTarget(metric) : workload.target(metric)
    }

    /// Returns the value shown in the table and compared with the target: the ratio, or bytes for a target in bytes.
    func shown(_ engine: String) -> Double? {
        metric == .bytesPerRow ? figures[engine]?.median : figures[engine]?.ratio
    }

    var verdict: Verdict? {
        guard let target, let value = shown(Engines.ours(in: workload, baseline: baseline)) else { return nil }
        if value <= target.stretch { return .stretch }
        return value <= target.must ? .must : .miss
    }
}

/// The result as JSON.
struct Report: Encodable {
    var rounds: Int
    var lines: [Line]

    private struct Entry: Encodable {
        var workload: String
        var title: String
        var rows: Int
        var metric: Metric
        var baseline: String
        var must: Double?
        var stretch: Double?
        var verdict: Line.Verdict?
        var engines: [String: Line.Figure]
    }

    private enum CodingKeys: String, CodingKey {
        case system, processors, rounds, results
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ProcessInfo.processInfo.operatingSystemVersionString, forKey: .system)
        try container.encode(ProcessInfo.processInfo.activeProcessorCount, forKey: .processors)
        try container.encode(rounds, forKey: .rounds)
        try container.encode(
            lines.map { line in
                Entry(
                    workload: line.workload.rawValue, title: line.workload.title, rows: line.rows,
                    metric: line.metric, baseline: line.baseline, must: line.target?.must,
                    stretch: line.target?.stretch, verdict: line.verdict, engines: line.figures)
            }, forKey: .results)
    }

    func print() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}

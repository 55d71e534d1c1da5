import Synchronization

/// Histograms of durations, written as text for Prometheus.
public final class Metrics: Sendable {
    /// A name of a histogram, with its limits in seconds.
    struct Name: Hashable {
        let text: String
        let help: String
        let limits: [Double]
    }

    private struct Histogram {
        var counts: [Int]
        var sum = 0.0
    }

    /// The histograms by name, and of each name by labels.
    private let histograms = Mutex<[Name: [String: Histogram]]>([:])

    /// Creates metrics without measurements.
    public init() {}

    /// Adds a duration.
    ///
    /// - Parameter labels: names and values; the values are names of routes, entities and classes, never input of users.
    func record(_ duration: Duration, _ name: Name, _ labels: KeyValuePairs<String, String?>) {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        let bucket = name.limits.firstIndex { seconds <= $0 } ?? name.limits.count
        let key = labels.compactMap { name, value in value.map { "\(name)=\"\($0)\"" } }.joined(separator: ",")
        histograms.withLock { histograms in
            let empty = Histogram(counts: Array(repeating: 0, count: name.limits.count + 1))
            histograms[name, default: [:]][key, default: empty].counts[bucket] += 1
            histograms[name, default: [:]][key]?.sum += seconds
        }
    }

    /// All histograms in Prometheus' text format.
    public var text: String {
        let histograms = histograms.withLock { $0 }
        var text = ""
        for (name, series) in histograms.sorted(by: { $0.key.text < $1.key.text }) {
            text += "# HELP \(name.text) \(name.help)\n# TYPE \(name.text) histogram\n"
            for (labels, histogram) in series.sorted(by: { $0.key < $1.key }) {
                var count = 0
                for (index, added) in histogram.counts.enumerated() {
                    count += added
                    let limit = index < name.limits.count ? "\(name.limits[index])" : "+Inf"
                    text += "\(name.text)_bucket{\(labels),le=\"\(limit)\"} \(count)\n"
                }
                text += "\(name.text)_sum{\(labels)} \(histogram.sum)\n\(name.text)_count{\(labels)} \(count)\n"
            }
        }
        return text
    }
}

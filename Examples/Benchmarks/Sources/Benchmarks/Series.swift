import Foundation
import Workloads

/// All samples of one workload with one number of rows.
struct Series {
    let entry: PlanEntry
    private var samples: [String: [Sample]] = [:]
    /// The samples of each engine, paired with the adjacent samples of the baseline.
    private var pairs: [String: [(own: Sample, base: Sample)]] = [:]

    init(entry: PlanEntry) {
        self.entry = entry
    }

    mutating func add(_ sample: Sample) {
        samples[sample.engine, default: []].append(sample)
    }

    mutating func add(_ own: Sample, beside base: Sample) {
        add(own)
        add(base)
        pairs[own.engine, default: []].append((own, base))
    }

    /// Checks that all engines have read the same values and left the same store in all rounds.
    ///
    /// - Throws: ``BenchmarkError`` for the first sample that differs.
    func checkAgreement() throws {
        let all = entry.engines.flatMap { samples[$0] ?? [] }
        guard let first = all.first else { return }
        for sample in all {
            guard sample.checksum == first.checksum else {
                throw BenchmarkError(
                    "\(entry.workload.rawValue): \(sample.engine) has not read what \(first.engine) has: "
                        + "\(sample.checksum) instead of \(first.checksum)")
            }
            guard sample.storeChecksum == first.storeChecksum else {
                throw BenchmarkError(
                    "\(entry.workload.rawValue): \(sample.engine) has not left the store that \(first.engine) has: "
                        + "\(String(describing: sample.storeChecksum)) instead of "
                        + "\(String(describing: first.storeChecksum))")
            }
        }
    }

    func lines(processorTime: Bool) -> [Line] {
        entry.workload.metrics.map { metric in
            var figures: [String: Line.Figure] = [:]
            for engine in entry.engines {
                figures[engine] = figure(of: engine, metric, processorTime)
            }
            return Line(
                workload: entry.workload, rows: entry.rows, metric: metric,
                baseline: entry.baseline, figures: figures
            )
        }
    }

    private func figure(of engine: String, _ metric: Metric, _ processorTime: Bool) -> Line.Figure? {
        func value(_ sample: Sample) -> Double? {
            processorTime && metric == .time ? sample.cpuNanoseconds : sample.value(metric)
        }
        let values = (samples[engine] ?? []).compactMap(value)
        let ratios =
            engine == entry.baseline
            ? [1]
            : (pairs[engine] ?? []).compactMap { own, base -> Double? in
                guard let above = value(own), let below = value(base), below > 0 else { return nil }
                return above / below
            }
        guard let median = values.median else { return nil }
        return Line.Figure(
            median: median, ratio: ratios.median ?? .nan, lowestRatio: ratios.min() ?? .nan,
            highestRatio: ratios.max() ?? .nan)
    }
}

extension [Double] {
    var median: Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        let middle = count / 2
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

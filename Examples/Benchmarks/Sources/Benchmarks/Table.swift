import Foundation
import Workloads

/// The result as a Markdown table, printed line by line when workloads end.
enum Table {
    static func printHeading(rounds: Int, processorTime: Bool) {
        let system = ProcessInfo.processInfo
        print(
            """
            \(processorTime ? "Processor time" : "Time") as a multiple of plain SQLite's (of a plain class in P…, of the same \
            work with Core Data's own functions in M…, of libpq's for postgresql): median of \(rounds) round\(rounds == 1 ? "" : "s"),
            \(system.activeProcessorCount) processors, \(system.operatingSystemVersionString).

            """)
    }

    static func printLine(_ line: Line, engines: [String]) {
        if !Self.headingPrinted.exchange() { printColumns(engines) }
        var cells = [
            "\(line.workload.rawValue) \(line.workload.title)\(suffix(line.metric))".padded(48),
            grouped(line.rows).leftPadded(9),
            base(line).leftPadded(10),
        ]
        for engine in engines where !isBaseline(engine) {
            cells.append(line.shown(engine).map { format($0, line.metric) }.or("–").leftPadded(engine.count))
        }
        cells.append((line.target.map { format($0.must, line.metric) }).or("–").leftPadded(5))
        cells.append((line.target.map { format($0.stretch, line.metric) }).or("–").leftPadded(7))
        cells.append(mark(line.verdict))
        print("| " + cells.joined(separator: " | ") + " |")
    }

    static func printSummary(_ lines: [Line]) {
        let verdicts = lines.compactMap(\.verdict)
        print("\nEngines agree on every value read and every store written.")
        guard !verdicts.isEmpty else { return }
        let met = verdicts.filter { $0 != .miss }.count
        let stretched = verdicts.filter { $0 == .stretch }.count
        print("Targets met: \(met) of \(verdicts.count), \(stretched) of them with the stretch.")
        for line in lines where line.verdict == .miss {
            let ours = Engines.ours(in: line.workload, baseline: line.baseline)
            let shown = line.shown(ours).map { format($0, line.metric) }.or("–")
            let must = line.target.map { format($0.must, line.metric) }.or("–")
            print("  missed: \(line.workload.rawValue) \(line.workload.title), \(shown) instead of \(must)")
        }
    }

    private static let headingPrinted = Once()

    private static func printColumns(_ engines: [String]) {
        let names = engines.filter { !isBaseline($0) }
        let titles = ["workload".padded(48), "rows".leftPadded(9), "baseline".leftPadded(10)] + names
        print("| " + (titles + [" must", "stretch", "result "]).joined(separator: " | ") + " |")
        let rules = [":--", "--:", "--:"] + names.map { _ in "--:" } + ["--:", "--:", ":--"]
        print("|" + rules.joined(separator: "|") + "|")
    }

    private static func isBaseline(_ engine: String) -> Bool {
        Engines.baselines.contains(engine)
    }

    private static func suffix(_ metric: Metric) -> String {
        switch metric {
        case .time: ""
        case .medianLatency: ", median"
        case .tailLatency: ", 99 %"
        case .bytesPerRow: ", bytes a row"
        }
    }

    private static func base(_ line: Line) -> String {
        guard let median = line.figures[line.baseline]?.median else { return "–" }
        switch line.metric {
        case .time: return String(format: "%.2f ms", median / 1e6)
        case .medianLatency, .tailLatency: return String(format: "%.0f µs", median / 1e3)
        case .bytesPerRow: return String(format: "%.0f", median)
        }
    }

    private static func format(_ value: Double, _ metric: Metric) -> String {
        metric == .bytesPerRow ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }

    private static func mark(_ verdict: Line.Verdict?) -> String {
        switch verdict {
        case .stretch: "✓✓     "
        case .must: "✓      "
        case .miss: "✗ miss "
        case nil: "       "
        }
    }

    private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var end = digits.count - 3
        while end > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: end))
            end -= 3
        }
        return digits
    }
}

/// A flag that is set by the first ``exchange()``, which returns false.
private final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var done = false

    func exchange() -> Bool {
        lock.withLock {
            defer { done = true }
            return done
        }
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    fileprivate func leftPadded(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}

extension Optional where Wrapped == String {
    fileprivate func or(_ other: String) -> String {
        self ?? other
    }
}

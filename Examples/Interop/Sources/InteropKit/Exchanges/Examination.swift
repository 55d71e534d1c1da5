import Foundation

/// The examination of Linux's stores by the framework that the program is linked with: Apple's on a Mac.
@MainActor
public struct Examination {
    private let exchange: Exchange
    private var report: Report

    /// Creates the examination of an exchange.
    ///
    /// - Parameter framework: the framework's name in the report.
    /// - Throws: ``InteropError`` if there are no stores from Linux, or if they are of another edition of the cases.
    public init(_ exchange: Exchange, framework: String) throws {
        guard FileManager.default.fileExists(atPath: exchange.fromLinux.path) else {
            throw InteropError(
                "there is no folder \(exchange.fromLinux.path). "
                    + "Run the same command on Linux first, and bring the folder here.")
        }
        let edition = Case.edition
        guard let given = try? exchange.edition.lines() else {
            throw InteropError(
                "\(exchange.fromLinux.path) is not complete: it lacks edition.txt, which Linux writes last.")
        }
        guard given == [edition] else {
            throw InteropError(
                "\(exchange.fromLinux.path) was written by another version of this program. "
                    + "Use the same commit on both sides.")
        }
        self.exchange = exchange
        report = Report(
            edition: edition, framework: framework, system: ProcessInfo.processInfo.operatingSystemVersionString)
    }

    /// Runs all stages of all cases, and writes stores and the report. Earlier results are removed. The report is also written
    /// before each stage, so that it names the stage in which the program crashed.
    ///
    /// - Throws: Foundation's errors if the report cannot be written. Other errors are recorded in the report.
    public mutating func run() throws -> Report {
        try exchange.fromMac.makeEmptyFolder()
        report.items = []
        for item in Case.all {
            report.items.append(Report.Item(name: item.name, title: item.title, skipped: item.obstacle))
            guard item.obstacle == nil else { continue }
            let stages = ExaminationStages(item: item, exchange: exchange)
            for name in StageName.allCases {
                report.running = "\(item.name): \(name.rawValue)"
                try save()
                report.items[report.items.count - 1].stages.append(stages.run(name))
            }
        }
        report.running = nil
        try save()
        return report
    }

    private func save() throws {
        try report.write(to: exchange.report)
        try exchange.page.write(report.html)
    }
}

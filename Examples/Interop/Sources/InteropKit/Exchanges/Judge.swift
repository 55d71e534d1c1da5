import Foundation

/// The verification of a Mac's results by this package's Core Data: its report and its stores.
@MainActor
public struct Judge {
    private let exchange: Exchange
    private let workshop: URL
    private let cases: [Case]

    /// Creates the verification of an exchange.
    ///
    /// - Parameters:
    ///   - workshop: a folder for copies of stores. Its contents may be removed. The Mac's stores are not changed.
    ///   - cases: the cases to verify.
    public init(_ exchange: Exchange, workshop: URL, cases: [Case] = Case.all) {
        self.exchange = exchange
        self.workshop = workshop
        self.cases = cases
    }

    /// Returns the differences from the expected results. Errors count as differences.
    public func verdict() -> Verdict {
        var verdict = Verdict()
        var report: Report?
        guard FileManager.default.fileExists(atPath: exchange.report.path) else {
            verdict.problems = ["there is no report at \(exchange.report.path)"]
            verdict.items = cases.map { judge($0, nil) }
            return verdict
        }
        do {
            let read = try Report.read(from: exchange.report)
            verdict.problems = problems(of: read)
            report = read
        } catch {
            verdict.problems = ["the report cannot be read: \(InteropError.text(of: error))"]
        }
        verdict.items = cases.map { judge($0, report) }
        return verdict
    }

    private func problems(of report: Report) -> [String] {
        var problems: [String] = []
        if report.edition != Case.edition {
            problems.append("the report is of another version of this program; use the same commit on both sides")
        }
        if let running = report.running { problems.append("the program on the Mac ended at \(running)") }
        let names = Set(Case.all.map(\.name))
        problems += report.items.filter { !names.contains($0.name) }.map { "the report has an unknown case \($0.name)" }
        return problems
    }

    private func judge(_ item: Case, _ report: Report?) -> Verdict.Item {
        var verdict = Verdict.Item(name: item.name)
        let reported = report?.items.filter { $0.name == item.name } ?? []
        if reported.count == 1, let reason = reported[0].skipped, item.mayBeSkipped {
            verdict.skipped = reason
            return verdict
        }
        do {
            let work = StoreWork(item: item, models: try ModelPair(of: item))
            if report != nil {
                verdict.differences = ReportedCase(item: item, hashes: work.models.hashLines).differences(in: reported)
            }
            for state in Exchange.State.allCases { verdict.differences += differences(in: state, work) }
        } catch {
            verdict.differences.append(InteropError.text(of: error))
        }
        return verdict
    }

    /// Returns the differences in a store of the Mac. The store that the Mac created is also edited and migrated.
    private func differences(in state: Exchange.State, _ work: StoreWork) -> [String] {
        let item = work.item
        let left = exchange.made(item, state)
        let folder = workshop.appendingPathComponent(item.name).appendingPathComponent(state.rawValue)
        let name = "store \(state.rawValue)"
        do {
            try left.copyStore(to: folder)
        } catch {
            return ["\(name): \(InteropError.text(of: error))"]
        }
        var differences = collect("rows of \(name)") {
            try PlainSQL.differences(of: folder.store, from: left.rows)
        }
        differences += collect(name) {
            Differences.between(
                expected: item.lines(in: state), found: try work.lines(of: folder.store, in: state))
        }
        guard state == .own else { return differences }
        differences += collect("\(name), edited on Linux") {
            try work.edit(folder.store)
            return try PlainSQL.damages(of: folder.store)
                + Differences.between(expected: item.editedLines, found: try work.lines(of: folder.store))
        }
        differences += collect("\(name), migrated on Linux") {
            try work.migrate(folder.store)
            return try PlainSQL.damages(of: folder.store)
                + Differences.between(expected: item.migratedLines, found: try work.migratedLines(of: folder.store))
        }
        return differences
    }

    /// Returns the differences, each prefixed with the name of the stage. A thrown error becomes one difference.
    private func collect(_ stage: String, _ body: () throws -> [String]) -> [String] {
        do {
            return try body().map { "\(stage): \($0)" }
        } catch {
            return ["\(stage): \(InteropError.text(of: error))"]
        }
    }
}

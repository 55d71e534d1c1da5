import ArgumentParser
import Foundation
import Workloads

/// The subcommand that runs the workloads and prints the table.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Runs the workloads with every engine and prints ratios beside the targets.",
        discussion: """
            Every engine runs every workload once a round, beside a run of plain SQLite (in the property-access family \
            P… of a plain Swift class, in M… of the same work with Core Data's own functions), each in a process of \
            its own. A ratio is the median over the rounds of (time of the engine) / (time of the run beside it). An \
            engine that reads or leaves other values than the rest fails the run.
            """
    )

    @Option(help: "Workloads, by name or beginning: W01,W03 or W02 or P or M. All by default.")
    var workloads: String?

    @Option(help: "Rows in the store, one or more numbers: 10000,100000. By default each workload's usual number.")
    var rows: String?

    @Option(help: "Rounds. Seven or more give a median worth quoting, an even number one that favours no order.")
    var rounds = 8

    @Option(
        help: """
            Engines: raw,grdb-row,grdb-codable,grdb-record,coredata,class,magicalrecord. All by default. In builds with \
            --traits PostgreSQL also libpq,libpq-rows,postgresql, over the server of MAGICALRECORD_TEST_POSTGRESQL.
            """)
    var engines: String?

    @Option(
        help: "Folder for stores and copies of the program. By default the system's temporary folder.",
        completion: .directory)
    var directory: String?

    @Flag(help: "Print JSON instead of the table.")
    var json = false

    @Flag(help: "Print ratios of processor time instead of elapsed time; steadier on a busy machine.")
    var cpu = false

    @Flag(help: "Exit with an error when a target marked \"must\" is missed.")
    var strict = false

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds must be at least 1.") }
        _ = try plan()
    }

    func run() throws {
        let workshop = try Workshop(inside: directory.map { URL(fileURLWithPath: $0, isDirectory: true) })
        var lines: [Line] = []
        let plan = try plan()
        for workload in try parseWorkloads() where !plan.contains(where: { $0.workload == workload }) {
            FileHandle.standardError.write(
                Data("\(workload.rawValue) is left out: these engines do not run it.\n".utf8))
        }
        if !json { Table.printHeading(rounds: rounds, processorTime: cpu) }
        for entry in plan {
            let series = try measure(entry, in: workshop)
            try series.checkAgreement()
            let added = series.lines(processorTime: cpu)
            lines += added
            if !json { added.forEach { Table.printLine($0, engines: columns(of: plan)) } }
        }
        if json {
            try Report(rounds: rounds, lines: lines).print()
        } else {
            Table.printSummary(lines)
        }
        if strict, lines.contains(where: { $0.verdict == .miss }) {
            throw ExitCode.failure
        }
    }

    /// Runs all rounds of one workload. Each round runs the engines in turn and starts with another one.
    ///
    /// Each run of an engine is paired with an adjacent run of the baseline, alternately before and after it. A temporary
    /// slowdown of the machine affects both, and neither always runs with warm caches.
    private func measure(_ entry: PlanEntry, in workshop: Workshop) throws -> Series {
        var series = Series(entry: entry)
        let program = try ProgramCopy(inside: workshop.folder)
        let baseline = entry.baseline
        let compared = entry.engines.filter { $0 != baseline }
        for round in 0..<rounds {
            func sample(_ engine: String) throws -> Sample {
                progress("\(entry.workload.rawValue) \(entry.rows): round \(round + 1), \(engine)")
                return try self.sample(entry, engine, with: program, in: workshop)
            }
            if compared.isEmpty { series.add(try sample(baseline)) }
            for step in compared.indices {
                let index = (step + round) % compared.count
                let engine = compared[index]
                if (index + round) % 2 == 0 {
                    let base = try sample(baseline)
                    series.add(try sample(engine), beside: base)
                } else {
                    let own = try sample(engine)
                    series.add(own, beside: try sample(baseline))
                }
            }
        }
        progress("")
        return series
    }

    /// Runs an engine once, in a new process and on a separate store.
    private func sample(
        _ entry: PlanEntry, _ engine: String, with program: ProgramCopy, in workshop: Workshop
    ) throws -> Sample {
        let kind = Engines.storeKind(engine, for: entry.workload)
        let printed = try workshop.withStore(for: entry.workload, rows: entry.rows, kind: kind) { store in
            try ChildProcess.run(
                [
                    "trial", "--engine", engine, "--workload", entry.workload.rawValue, "--rows", String(entry.rows),
                    "--store", StoreContents.option(store),
                ], with: program)
        }
        return try JSONDecoder().decode(Sample.self, from: printed)
    }

    /// Shows a progress line on the terminal, in place of the last one. Does nothing if standard error is not a terminal.
    private func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }
}

extension MeasureCommand {
    private func plan() throws -> [PlanEntry] {
        let chosenEngines = try engines.map { try parseEngines($0) }
        let counts = try rows.map { try parseRows($0) }
        return try parseWorkloads().flatMap { workload in
            let sizes = workload.hasFixedRows ? nil : counts
            return Engines.comparisons(of: workload, among: chosenEngines).flatMap { comparison in
                (sizes ?? [workload.usualRows]).map { PlanEntry(workload: workload, rows: $0, comparison: comparison) }
            }
        }
    }

    private func columns(of plan: [PlanEntry]) -> [String] {
        Engines.allNames.filter { name in plan.contains { $0.engines.contains(name) } }
    }

    private func parseWorkloads() throws -> [Workload] {
        guard let workloads else { return Workload.allCases }
        return try workloads.split(separator: ",").flatMap { part in
            let wanted = part.lowercased()
            let exact = Workload.allCases.filter { $0.rawValue.lowercased() == wanted }
            let found = exact.isEmpty ? Workload.allCases.filter { $0.rawValue.lowercased().hasPrefix(wanted) } : exact
            guard !found.isEmpty else {
                let all = Workload.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no workload \(part). There are: \(all).")
            }
            return found
        }
    }

    private func parseEngines(_ list: String) throws -> [String] {
        try list.split(separator: ",").map { part in
            guard Engines.allNames.contains(String(part)) else {
                let all = Engines.allNames.joined(separator: ", ")
                throw ValidationError(
                    "There is no engine \(part). There are: \(all)."
                        + (Engines.servers.isEmpty ? " Others need a build with --traits PostgreSQL." : ""))
            }
            return String(part)
        }
    }

    private func parseRows(_ list: String) throws -> [Int] {
        try list.split(separator: ",").map { part in
            guard let count = Int(part.replacingOccurrences(of: "_", with: "")), count >= 10_000 else {
                throw ValidationError("--rows takes numbers of at least 10000, not \(part).")
            }
            return count
        }
    }
}

/// One workload with a number of rows and its engines.
struct PlanEntry {
    var workload: Workload
    var rows: Int
    var comparison: Engines.Comparison
    var baseline: String { comparison.baseline }
    var engines: [String] { comparison.engines }
}

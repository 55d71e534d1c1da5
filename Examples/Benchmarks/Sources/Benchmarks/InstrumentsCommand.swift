import ArgumentParser
import CoreDataEngine
import Foundation
import Workloads

/// The subcommand that measures the overhead of a recording.
struct InstrumentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instruments",
        abstract: "Runs workloads with and without a recording and prints the ratio.",
        discussion: """
            Each round runs every workload twice in processes of their own, in turn with and without \
            Instruments.start(). A ratio is the median over the rounds of (processor time recorded) / (processor time \
            not recorded). Off Apple's platforms only.
            """
    )

    @Option(help: "Workloads, by name or beginning: W03,W07. W03 to W13 by default.")
    var workloads: String?

    @Option(help: "Rounds.")
    var rounds = 8

    @Flag(help: "Record without looking for mistakes.")
    var withoutFindings = false

    @Flag(help: "Compare the statements that recordings count with those that SQLite runs, instead of time.")
    var count = false

    @Option(help: "Rows in the store. By default each workload's usual number.")
    var rows: Int?

    func run() throws {
        let workshop = try Workshop(inside: nil)
        let program = try ProgramCopy(inside: workshop.folder)
        if count { return try compareCounts(program, workshop) }
        print("| workload | rows | recorded / not recorded | lowest | highest |")
        print("| :-- | --: | --: | --: | --: |")
        for workload in chosen {
            let count = rows(of: workload)
            var ratios: [Double] = []
            for round in 0..<rounds {
                var seconds: [Bool: Double] = [:]
                for isRecorded in [round % 2 == 0, round % 2 != 0] {
                    seconds[isRecorded] = try sample(workload, count, isRecorded, program, workshop)
                }
                if let on = seconds[true], let off = seconds[false], off > 0 { ratios.append(on / off) }
            }
            ratios.sort()
            guard let first = ratios.first, let last = ratios.last else { continue }
            let middle = (ratios[ratios.count / 2] + ratios[(ratios.count - 1) / 2]) / 2
            let numbers = [middle, first, last].map { String(format: "%.3f", $0) }.joined(separator: " | ")
            print("| \(workload.rawValue) | \(count) | \(numbers) |")
        }
    }

    private func rows(of workload: Workload) -> Int {
        workload.hasFixedRows ? workload.usualRows : rows ?? workload.usualRows
    }

    private func compareCounts(_ program: ProgramCopy, _ workshop: Workshop) throws {
        print("| workload | rows | recorded | run by SQLite |")
        print("| :-- | --: | --: | --: |")
        var differ: [String] = []
        for workload in chosen {
            let printed = try trial(workload, rows(of: workload), ["--count"], program, workshop)
            let counts = try JSONDecoder().decode(StatementCounts.self, from: printed)
            print("| \(workload.rawValue) | \(rows(of: workload)) | \(counts.recorded) | \(counts.run) |")
            if counts.recorded != counts.run { differ.append(workload.rawValue) }
        }
        guard differ.isEmpty else {
            throw BenchmarkError("A recording counts other statements than SQLite: \(differ.joined(separator: ", "))")
        }
    }

    private var chosen: [Workload] {
        let names = workloads?.split(separator: ",").map(String.init)
        return Workload.allCases.filter { workload in
            guard !workload.isAboutObjects, !workload.isAboutFace else { return false }
            guard let names else { return workload.rawValue >= "W03" && workload.rawValue < "W14" }
            return names.contains { workload.rawValue.hasPrefix($0) }
        }
    }

    private func sample(
        _ workload: Workload, _ rows: Int, _ isRecorded: Bool, _ program: ProgramCopy, _ workshop: Workshop
    ) throws -> Double {
        let flags = isRecorded ? ["--record"] + (withoutFindings ? ["--without-findings"] : []) : []
        let printed = try trial(workload, rows, flags, program, workshop)
        return try JSONDecoder().decode(Sample.self, from: printed).cpuNanoseconds
    }

    private func trial(
        _ workload: Workload, _ rows: Int, _ flags: [String], _ program: ProgramCopy, _ workshop: Workshop
    ) throws -> Data {
        try workshop.withStore(for: workload, rows: rows, kind: .coreData) { store in
            try ChildProcess.run(
                [
                    "trial", "--engine", CoreDataEngine.name, "--workload", workload.rawValue, "--rows", String(rows),
                    "--store", store.path,
                ] + flags, with: program)
        }
    }
}

import ArgumentParser
import CoreDataEngine
import Foundation
import RawEngine
import Workloads

/// The subcommand that runs one workload with one engine once, and prints the sample as one line of JSON.
struct TrialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trial", abstract: "Runs one workload once and prints what it took.", shouldDisplay: false)

    @Option var engine: String
    @Option var workload: String
    @Option var rows: Int
    @Option var store: String
    @Flag(help: "Record what Core Data does meanwhile.") var record = false
    @Flag(help: "Record without looking for mistakes.") var withoutFindings = false
    @Flag(help: "Print how many statements the recording and SQLite have counted.") var count = false

    func run() throws {
        guard let workload = Workload(rawValue: workload) else { throw BenchmarkError("no workload \(workload)") }
        let url = StoreContents.url(store)
        let trial = Trial(workload: workload, rows: rows, store: url)
        if count { try StatementTrace.start() }
        if record || count { EngineRecording.start(findings: !withoutFindings && !count) }
        defer {
            if record { EngineRecording.stop() }
        }
        var sample: Sample
        if workload.isAboutObjects, let type = Engines.objects.first(where: { $0.name == engine }) {
            sample = try trial.run(type)
        } else if workload.isAboutFace, let type = Engines.faces.first(where: { $0.name == engine }) {
            sample = try MainActor.assumeIsolated { try trial.run(type) }
        } else if !workload.isAboutObjects, !workload.isAboutFace,
            let type = (Engines.stores + Engines.servers).first(where: { $0.name == engine })
        {
            sample = try trial.run(type)
        } else {
            throw BenchmarkError("\(engine) does not run \(workload.rawValue)")
        }
        if count {
            let counts = StatementCounts(recorded: EngineRecording.stop(), run: StatementTrace.count)
            FileHandle.standardOutput.write(try JSONEncoder().encode(counts))
            return
        }
        if workload.comparesStores {
            sample.storeChecksum = try StoreContents.checksum(url)
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(sample))
    }
}

/// The number of statements that a recording has counted, and the number that SQLite has run.
struct StatementCounts: Codable {
    var recorded: Int
    var run: Int
}

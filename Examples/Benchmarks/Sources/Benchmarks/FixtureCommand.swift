import ArgumentParser
import Foundation
import Workloads

/// The subcommand that creates a store for workloads, in a separate process so that it does not add to the memory of the
/// measured one.
struct FixtureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fixture", abstract: "Makes a store to measure on.", shouldDisplay: false)

    @Option var kind: String
    @Option var fixture: String
    @Option var rows: Int
    @Option var store: String

    func run() throws {
        guard let kind = StoreKind(rawValue: kind), let fixture = Fixture(rawValue: fixture) else {
            throw BenchmarkError("no fixture \(fixture) of kind \(kind)")
        }
        try StoreContents.create(kind, at: StoreContents.url(store), rows: rows, fixture: fixture)
    }
}

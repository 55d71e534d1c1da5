import ArgumentParser

@main
struct Benchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Measures Core Data for Swift against plain SQLite and GRDB.",
        subcommands: [MeasureCommand.self, InstrumentsCommand.self, TrialCommand.self, FixtureCommand.self],
        defaultSubcommand: MeasureCommand.self
    )
}

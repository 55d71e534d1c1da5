import Foundation

/// Measures a running server with several numbers of clients, and prints a line for each.
@main struct Load {
    static func main() async {
        do {
            let options = try LoadOptions(CommandLine.arguments.dropFirst())
            try await Client(options: options, number: 0).fill()
            print("| clients | requests/s | saves/s | read p50 | read p99 | save p50 | save p99 | failed |")
            print("| --- | --- | --- | --- | --- | --- | --- | --- |")
            for count in options.clients { print(line(count, options.seconds, try await measure(count, options))) }
        } catch {
            FileHandle.standardError.write(Data("AddressBookLoad: \(error)\n\n\(LoadOptions.help)\n".utf8))
            exit(1)
        }
    }

    private static func measure(_ count: Int, _ options: LoadOptions) async throws -> Measurements {
        let end = ContinuousClock.now + .seconds(options.seconds)
        return try await withThrowingTaskGroup(of: Measurements.self) { group in
            for number in 0..<count {
                group.addTask { try await Client(options: options, number: number).run(until: end) }
            }
            return try await group.reduce(into: Measurements()) { $0.add($1) }
        }
    }

    private static func line(_ count: Int, _ seconds: Int, _ measurements: Measurements) -> String {
        let (reads, saves) = (measurements.reads.sorted(), measurements.saves.sorted())
        let columns = [
            "\(count)", "\((reads.count + saves.count) / seconds)", "\(saves.count / seconds)",
            percentile(0.5, of: reads), percentile(0.99, of: reads), percentile(0.5, of: saves),
            percentile(0.99, of: saves), "\(measurements.failures)",
        ]
        return "| \(columns.joined(separator: " | ")) |"
    }

    /// Returns a percentile of sorted times, in milliseconds.
    private static func percentile(_ part: Double, of times: [Duration]) -> String {
        guard !times.isEmpty else { return "–" }
        let (seconds, attoseconds) = times[min(Int(part * Double(times.count)), times.count - 1)].components
        return String(format: "%.2f ms", Double(seconds) * 1e3 + Double(attoseconds) / 1e15)
    }
}

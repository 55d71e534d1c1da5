import Foundation

/// Functions that print steps with their duration, lists, and suggestions.
enum Terminal {
    /// Runs a step and prints its name, its outcome and its duration.
    @discardableResult
    static func step<Result>(
        _ name: String, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result,
        outcome: (Result) -> String
    ) async rethrows -> Result {
        let start = ContinuousClock.now
        let result = try await work()
        let time = ContinuousClock.now - start
        print("\(padded(name, 34)) \(padded(outcome(result), 38)) \(milliseconds(time))")
        return result
    }

    static func list(_ lines: some Sequence<String>) {
        for line in lines { print("    " + line) }
    }

    /// Prints the commands to try next.
    static func suggestions(_ options: Options) {
        guard options.instruments == nil else { return }
        var command = "swift run AddressBook"
        // The README starts this program from the package's root.
        if FileManager.default.fileExists(atPath: "Examples/AddressBook/Package.swift") {
            command = "swift run --package-path Examples/AddressBook AddressBook"
        }
        print("\nTry next:")
        print("  \(command)\n    once more: contacts are updated, none is added twice")
        #if !canImport(ObjectiveC)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("addressbook").path
        print("  \(command) --instruments \(folder)")
        print("    writes what Core Data did as a timeline: open \(folder)/run.html in a browser")
        #endif
    }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func milliseconds(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        return String(format: "%8.1f ms", Double(seconds) * 1e3 + Double(attoseconds) / 1e15)
    }
}

/// A progress bar on standard error. Prints nothing if standard error is not a terminal.
enum ProgressBar {
    private static let isShown = isatty(STDERR_FILENO) == 1
    private static let width = 40

    static func show(_ done: Int, of total: Int) {
        guard isShown, total > 0 else { return }
        let filled = width * min(done, total) / total
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        write("\r\(bar) \(done) of \(total)")
    }

    static func clear() {
        if isShown { write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}

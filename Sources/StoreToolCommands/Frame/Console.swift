import Foundation
import StoreTools

/// The surroundings of a command: where its output goes, and what it goes to.
package final class Console {
    package let output: any OutputSink
    package let errors: any OutputSink
    /// True if the output goes to a terminal.
    package let isTerminal: Bool
    /// The number of columns of the terminal, or of `COLUMNS`; nil if lines have no limit.
    package let width: Int?
    /// True if the output may have colours.
    package let usesColor: Bool
    /// The line that shows the progress; nil if the errors do not go to a terminal.
    package let progressLine: ProgressLine?
    private let interrupted: @Sendable () -> Bool
    /// True if anything was written to the output.
    package private(set) var hasOutput = false

    package init(
        output: any OutputSink, errors: any OutputSink, isTerminal: Bool = false, width: Int? = nil,
        usesColor: Bool = false, progressLine: ProgressLine? = nil,
        isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.output, self.errors, self.isTerminal, self.width) = (output, errors, isTerminal, width)
        (self.usesColor, self.progressLine, interrupted) = (usesColor, progressLine, isInterrupted)
    }

    /// Returns the console of the process.
    package static func ofProcess() -> Console {
        let environment = ProcessInfo.processInfo.environment
        let isTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
        let noColor = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let columns = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        return Console(
            output: FileSink(STDOUT_FILENO), errors: FileSink(STDERR_FILENO, capacity: 0), isTerminal: isTerminal,
            width: columns ?? (isTerminal ? terminalWidth() ?? 80 : nil), usesColor: isTerminal && !noColor,
            progressLine: isatty(STDERR_FILENO) == 1 ? ProgressLine(STDERR_FILENO) : nil,
            isInterrupted: { Interruption.isRequested })
    }

    private static func terminalWidth() -> Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Throws ``Interrupted`` if the user has asked to end.
    package func checkInterruption() throws { if interrupted() { throw Interrupted() } }

    /// A handler that shows the progress, and ends the operation when the user asks for it.
    package var progress: StoreProgress.Handler {
        let (line, interrupted) = (progressLine, interrupted)
        return { progress in
            line?.show(progress.phase, progress.fraction)
            return !interrupted()
        }
    }

    /// Returns whether the user has asked to end, for handlers that are called on other threads.
    package var isInterrupted: @Sendable () -> Bool { interrupted }

    // MARK: Output

    package func write(_ bytes: [UInt8]) throws {
        hasOutput = true
        try output.write(bytes)
    }

    package func write(_ text: String) throws {
        hasOutput = true
        try output.write(text)
    }

    /// Writes a line.
    package func line(_ text: String = "") throws { try write(text + "\n") }

    /// Returns a text in a style, if the output may have colours.
    package func styled(_ text: String, _ style: Style) -> String {
        usesColor && !text.isEmpty ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }

    package enum Style: String, Sendable {
        case bold = "1"
        case faint = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }
}

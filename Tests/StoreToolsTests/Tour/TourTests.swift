import CoreDataTestSupport
import Foundation
import StoreToolCommands
import Testing

/// The article "A tour of storetool" shows what the commands print.
///
/// With `MAGICALRECORD_WRITE_TOUR=1` the article is written with what they print now.
@Suite struct TourTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let article = root.appendingPathComponent("Sources/StoreTools/StoreTools.docc/Storetool.md")
    /// The identifier of the store in the article; another in each store.
    private static let identifier = "F4C03A91-3262-441E-A01E-9545407D0B98"

    @Test func everyCommandPrintsWhatTheArticleShows() throws {
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let folder = try TemporaryFolder()
        let store = try TourStore(at: folder.file("AddressBook.sqlite"))
        try FileManager.default.createSymbolicLink(
            at: folder.file("Examples"), withDestinationURL: Self.root.appendingPathComponent("Examples"))
        var lines: [String] = []
        var commands: [String]?
        var printed: [String]?
        var count = 0
        var inText = false
        for line in text.components(separatedBy: "\n") {
            if line == "```sh" { commands = [] }
            if line == "```", let box = commands {
                var output = ""
                for command in box { output += try Self.run(command, in: folder.url) }
                let shown = output.replacingOccurrences(of: store.identifier, with: Self.identifier)
                    .replacingOccurrences(of: folder.url.path + "/", with: "")
                    .replacingOccurrences(
                        of: "inferred, [0-9.]+ s", with: "inferred, 0.1 s", options: .regularExpression)
                printed = shown.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
                (commands, count) = (nil, count + box.count)
            } else if line == "```text" {
                inText = true
                lines += [line] + (printed ?? []).map { $0.isEmpty ? "" : Self.trimmed($0) }
                printed = nil
                continue
            } else if line == "```" {
                inText = false
            } else if line != "```sh" {
                commands?.append(line)
            }
            if !inText { lines.append(line) }
        }
        let expected = lines.joined(separator: "\n")
        #expect(count > 20)
        if ProcessInfo.processInfo.environment["MAGICALRECORD_WRITE_TOUR"] == "1" {
            try Data(expected.utf8).write(to: Self.article)
        }
        let pairs = zip(text.components(separatedBy: "\n"), lines)
        let difference = pairs.enumerated().first { $1.0 != $1.1 }
        #expect(
            text == expected,
            "Line \((difference?.offset ?? 0) + 1) of the article is “\(difference?.element.0 ?? "")”, not “\(difference?.element.1 ?? "")”"
        )
    }

    /// Removes the blanks at the end, which editors remove.
    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// Runs a line of the article and returns what it prints. `# exit status N` names a status other than 0.
    private static func run(_ line: String, in folder: URL) throws -> String {
        let parts = line.components(separatedBy: "  # ")
        let status =
            parts.dropFirst().first.flatMap { $0.hasPrefix("exit status ") ? Int32($0.dropFirst(12)) : nil } ?? 0
        // The store is made already.
        if line.hasPrefix("swift ") { return "" }
        guard line.hasPrefix("storetool ") else { return try shell(line, in: folder) }
        let files = [".sqlite", ".xcdatamodel", ".xml", ".ndjson", "Exported"]
        let words = CommandRunner.shellWords(parts[0].trimmingCharacters(in: .whitespaces)).dropFirst().map { word in
            files.contains(where: word.hasSuffix) ? folder.appendingPathComponent(word).path : word
        }
        let (output, errors) = (TextSink(), TextSink())
        let console = Console(output: output, errors: errors, isTerminal: true, width: 100)
        let result = StoreTool.run(Array(words), console)
        #expect(result == status, "\(line): \(errors.text)")
        return output.text
            + errors.text.components(separatedBy: "\n").filter { $0.hasPrefix("storetool: ") }
            .map { $0 + "\n" }.joined()
    }

    private static func shell(_ line: String, in folder: URL) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = folder
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(line)")
        return String(decoding: output, as: UTF8.self)
    }
}

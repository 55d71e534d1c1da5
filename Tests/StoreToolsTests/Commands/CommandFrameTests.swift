import CoreDataTestSupport
import Foundation
import StoreToolCommands
import Testing

@Suite struct CommandFrameTests {
    @Test func everyCommandHasExamplesThatParse() throws {
        for command in StoreTool.commands {
            let name = command.name
            #expect(!command.examples.isEmpty, "\(name)")
            for example in command.examples {
                let words = CommandRunner.shellWords(example.words)
                #expect(words.first == name)
                #expect(throws: Never.self, "\(example.words)") { try StoreTool.parse(words) }
            }
        }
    }

    @Test func helpComesInAllForms() {
        for command in StoreTool.commands {
            let help = CommandRunner.run("help", command.name)
            #expect(help.status == 0)
            #expect(help.output.hasPrefix("storetool \(command.name): "))
            #expect(CommandRunner.run(command.name, "--help").output == help.output)
            #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
        }
        #expect(CommandRunner.run().output == CommandRunner.run("--help").output)
        #expect(CommandRunner.run("--version").output.hasPrefix("storetool "))
    }

    @Test func anUnknownCommandNamesTheNearest() {
        let result = CommandRunner.run("qurey", "x")
        #expect(result.status == 2)
        #expect(
            result.errors
                == "storetool: There is no command “qurey”; did you mean “query”? “storetool help” explains.\n")
    }

    @Test(arguments: [
        (["query"], "STORE is missing"), (["query", "a"], "name of an entity"), (["check"], "STORE is missing"),
        (["check", "a", "b"], "“b” is one argument too many"), (["rescue", "a"], "--to NEW is missing"),
        (["get", "a", "b"], "“b” is no URI"), (["query", "a", "P", "--limit", "x"], "not “x”"),
        (["query", "a", "P", "--format", "cvs"], "did you mean csv?"), (["query", "a", "P", "--wdie"], "--wdie"),
        (["query", "a", "P limit 3", "--limit", "4"], "“limit” is in the query and in an option"),
        (["copy", "a", "b", "--type", "oracle"], "“oracle” is no type"),
    ])
    func wrongCommandLinesAreErrors(words: [String], text: String) {
        let errors = TextSink()
        let output = TextSink()
        #expect(StoreTool.run(words, Console(output: output, errors: errors)) == 2)
        #expect(errors.text.contains(text))
        #expect(errors.text.hasPrefix("storetool: ") && errors.text.hasSuffix(" explains.\n"))
        #expect(output.text.isEmpty)
    }

    @Test func errorsAreJSONOnRequest() throws {
        let result = CommandRunner.run("check", "/nowhere/a.sqlite", "--json")
        #expect(result.status == 2)
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: [String: Any]]
        #expect(object?["error"]?["code"] as? String == "noFile")
        #expect(result.errors.hasPrefix("storetool: "))
    }

    @Test func aFileThatIsNoStoreIsAnErrorOfEachCommand() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite").path
        try Data("no store".utf8).write(to: folder.file("a.sqlite"))
        let new = folder.file("b.sqlite").path
        for words in [
            ["info", path], ["query", path, "P"], ["get", path, "P/p1"], ["follow", path, "P/p1", "x"],
            ["check", path],
        ] {
            let errors = TextSink()
            #expect(StoreTool.run(words, Console(output: TextSink(), errors: errors)) == 2, "\(words)")
            #expect(errors.text.contains("a.sqlite is not an SQLite database"), "\(words)")
        }
        #expect(!FileManager.default.fileExists(atPath: new))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.sqlite"])
    }

    @Test func aClosedPipeEndsQuietly() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        _ = signal(SIGPIPE, SIG_IGN)
        close(ends[0])
        let sink = FileSink(ends[1], capacity: 16)
        #expect(throws: OutputClosed.self) { try sink.write(String(repeating: "x", count: 100)) }
        #expect(throws: OutputClosed.self) { try sink.write("y") }
        close(ends[1])
    }

    @Test func aSinkKeepsTheOrderOfWhatItBuffers() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let sink = FileSink(ends[1], capacity: 8)
        for text in ["ab", "cdefgh", "i", "0123456789", "k"] { try sink.write(text) }
        try sink.flush()
        close(ends[1])
        let read = try FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd()
        #expect(read == Data("abcdefghi0123456789k".utf8))
    }
}

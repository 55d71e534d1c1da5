import Foundation
import ModelFormat
import Testing

/// Shells hand over the output of a program as a pipe: `modelc show <(program)`.
struct PipeTests {
    @Test func aFileIsReadFromAPipe() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("pipe-\(UUID().uuidString)").path
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // Nothing is there when it is opened, and what comes does so in two pieces.
        let writer = Thread {
            usleep(20_000)
            guard let file = FileHandle(forWritingAtPath: path) else { return }
            try? file.write(contentsOf: Data("\"key\" = ".utf8))
            usleep(20_000)
            try? file.write(contentsOf: Data("\"text\";".utf8))
            try? file.close()
        }
        writer.start()
        #expect(try StringsFile.read(at: URL(fileURLWithPath: path)) == ["key": "text"])
    }
}

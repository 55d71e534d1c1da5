import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreToolCommands
import StoreTools

/// Uses one hostile store in every way; nothing may crash, take long, or write anything but what was asked for.
final class HostileUse {
    static let secondsLimit = 10.0
    static let memoryLimit = 512 << 20

    private(set) var problems: [String] = []
    private let shape: HostileShape
    private let seed: UInt64
    private let folder: TemporaryFolder
    private let url: URL
    private let mutation: HostileMutation

    /// Returns what is not as it must be.
    ///
    /// - Parameter changed: Called once the files are changed, which may take much memory itself.
    static func problems(_ shape: HostileShape, seed: UInt64, changed: () throws -> Void = {}) throws -> [String] {
        let use = try HostileUse(shape, seed)
        try changed()
        try use.run()
        return use.problems
    }

    private init(_ shape: HostileShape, _ seed: UInt64) throws {
        self.shape = shape
        self.seed = seed
        mutation = try HostileMutation(shape, seed: seed)
        folder = try TemporaryFolder()
        for name in ["original", "out"] {
            try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
        }
        url = try mutation.write(to: folder.file("original"))
    }

    private func out(_ name: String) -> URL { folder.file("out").appendingPathComponent(name) }

    private func run() throws {
        let before = try Self.state(folder.file("original"))
        measure("condition") { _ = StoreCondition.of(url) }
        measure("reader") { _ = try StoreReader(url) }
        switch seed % 4 {
        case 0:
            measure("check") { _ = try StoreCheck(url).run() }
            measure("rescue") {
                var rescue = StoreRescue(url)
                rescue.restoresDeletedRows = seed % 8 == 4
                let report = try rescue.write(to: out("Rescued.sqlite"))
                _ = report.notes.map { "\($0)" }
                _ = try StoreCheck(out("Rescued.sqlite")).run()
            }
        case 1:
            measure("queries") { try query() }
            command(["info", url.path])
            command(["check", url.path, "--json"])
        case 2:
            command(["query", url.path, shape.entity])
            command(["export", url.path, "--to", out("export").path])
            command(["diff", url.path, url.path])
            command(["get", url.path, "x-coredata://A/\(shape.entity)/p1"])
        default:
            command(["rescue", url.path, "--to", out("Rescued.sqlite").path])
            let copy = folder.file("copy")
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
            let store = try mutation.write(to: copy)
            measure("opening") { _ = try StoreRescue.open(store, else: .rescue) }
            if let notes = try? [UInt8](Data(contentsOf: copy.appendingPathComponent("notes.txt"))),
                notes == mutation.files["notes.txt"]
            {
            } else {
                problems.append("opening changed another file")
            }
        }
        if try Self.state(folder.file("original")) != before { problems.append("the original was changed") }
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder.url.path))
        if !names.isSubset(of: ["original", "out", "copy"]) { problems.append("files elsewhere: \(names)") }
    }

    private func query() throws {
        let store = try OpenStore(url)
        var related = 0
        for entity in store.entities {
            var count = 0
            var query = store.query(entity: entity)
            query.includesSubentities = false
            try? query.forEach { row in
                count += 1
                _ = row.values.map { "\($0)" }
                if related < 20 {
                    related += 1
                    _ = try? store.object(at: row.uri)
                }
                return count < 5000
            }
            _ = try? query.count()
        }
    }

    private func measure(_ name: String, _ body: () throws -> Void) {
        let start = Date()
        do {
            try body()
        } catch {
            if !(error is StoreToolError) { problems.append("\(name): \(type(of: error)) \(error)") }
        }
        note(name, start)
    }

    private func command(_ words: [String]) {
        let start = Date()
        let (output, errors) = (HostileSink(), HostileSink())
        let console = Console(
            output: output, errors: errors, isTerminal: false, width: nil, usesColor: false, isInterrupted: { false })
        let status = StoreTool.run(words, console)
        if ![0, 1, 2].contains(status) { problems.append("\(words[0]): status \(status)") }
        if status == 2, errors.count == 0, output.count == 0 { problems.append("\(words[0]): no message") }
        note(words[0], start)
    }

    private func note(_ name: String, _ start: Date) {
        let seconds = -start.timeIntervalSinceNow
        if seconds > Self.secondsLimit { problems.append("\(name) took \(seconds) s") }
    }

    /// Returns the sizes, times and contents of the files of a folder.
    private static func state(_ folder: URL) throws -> [String: [UInt64]] {
        var state: [String: [UInt64]] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
            var status = stat()
            let path = folder.appendingPathComponent(name).path
            guard stat(path, &status) == 0 else { continue }
            var sum: UInt64 = 14_695_981_039_346_656_037
            if status.st_mode & S_IFMT == S_IFREG, let file = FileHandle(forReadingAtPath: path) {
                let data = try file.read(upToCount: 4 << 20) ?? Data()
                data.withUnsafeBytes { for byte in $0 { sum = (sum ^ UInt64(byte)) &* 1_099_511_628_211 } }
                try file.close()
            }
            state[name] = [
                sum, UInt64(status.st_size), UInt64(status.st_mtim.tv_sec), UInt64(status.st_mtim.tv_nsec),
                UInt64(status.st_mode), UInt64(status.st_blocks),
            ]
        }
        return state
    }
}

/// Counts what is written.
final class HostileSink: OutputSink {
    private(set) var count = 0
    func write(_ bytes: UnsafeRawBufferPointer) { count += bytes.count }
    func flush() {}
}

import CoreData
import CoreDataTestSupport
import Foundation
import StoreTools
import Synchronization
import Testing

@Suite struct RescueFailureTests {
    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func cancellationInAnyPhaseLeavesNothingBehind() throws {
        let sample = try RescueSample()
        try sample.zero(try sample.pages("ZBOOK")[2])
        let phases = Mutex<[String]>([])
        _ = try sample.rescue { rescue in
            rescue.progress = { progress in
                phases.withLock { if $0.last != progress.phase { $0.append(progress.phase) } }
                return true
            }
        }
        let all = Set(phases.withLock { $0 })
        #expect(all.count >= 5)
        for file in try names(sample.folder.url) where file.contains("Rescued") {
            try FileManager.default.removeItem(at: sample.folder.file(file))
        }
        let before = try names(sample.folder.url)
        for phase in all.sorted() {
            let error = #expect(throws: StoreToolError.self) {
                _ = try sample.rescue { $0.progress = { $0.phase != phase } }
            }
            #expect(error?.code == .cancelled, "\(phase)")
            #expect(try names(sample.folder.url) == before, "\(phase)")
        }
    }

    @Test(arguments: ["Rescued.sqlite", "Rescued.sqlite-wal", ".Rescued_SUPPORT", "Rescued.sqlite.leftovers.ndjson"])
    func whatExistsAtTheDestinationIsNotReplaced(name: String) throws {
        let sample = try RescueSample()
        try Data("mine".utf8).write(to: sample.folder.file(name))
        let before = try names(sample.folder.url)
        let error = #expect(throws: StoreToolError.self) { _ = try sample.rescue() }
        #expect(error?.code == .destination && error?.message.contains(name) == true)
        #expect(try names(sample.folder.url) == before)
        #expect(try Data(contentsOf: sample.folder.file(name)) == Data("mine".utf8))
    }

    @Test func aFolderThatCannotBeWrittenIsNamed() throws {
        let sample = try RescueSample()
        let folder = sample.folder.file("closed")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
        let error = withoutPrivileges {
            #expect(throws: StoreToolError.self) {
                _ = try StoreRescue(sample.url).write(to: folder.appendingPathComponent("New.sqlite"))
            }
        }
        #expect(error?.code == .destination && error?.advice?.isEmpty == false)
        #expect(try names(folder).isEmpty)
    }

    // MARK: Limits

    static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("storetool")
    static var hasProgram: Bool { FileManager.default.isExecutableFile(atPath: program.path) }
    static let needsProgram: Comment = "storetool was not built beside the tests."

    /// Runs a script of the shell; returns its status, and what it prints to both streams.
    private func run(_ script: String) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    @Test(.enabled(if: hasProgram, needsProgram))
    func aLimitOnTheSizeOfFilesIsTheCauseThatIsNamed() throws {
        let sample = try RescueSample()
        let before = try names(sample.folder.url)
        // In units of 1024 bytes: less than a third of the store.
        let result = try run(
            "trap '' XFSZ; ulimit -f 48; exec '\(Self.program.path)' rescue '\(sample.url.path)' "
                + "--to '\(sample.rescued.path)'")
        #expect(result.status == 2, "\(result.text)")
        #expect(result.text.contains("larger than"), "\(result.text)")
        #expect(try names(sample.folder.url) == before)
    }

    @Test(.enabled(if: hasProgram, needsProgram))
    func aFullVolumeIsTheCauseThatIsNamed() throws {
        let sample = try RescueSample()
        let volume = sample.folder.file("volume")
        try FileManager.default.createDirectory(at: volume, withIntermediateDirectories: false)
        // A volume that only this process sees; where that is not permitted, there is nothing to test.
        let result = try run(
            "unshare -rm bash -c \"mount -t tmpfs -o size=64k none '\(volume.path)' || exit 77; "
                + "'\(Self.program.path)' rescue '\(sample.url.path)' --to '\(volume.path)/New.sqlite'; "
                + "code=\\$?; echo files: \\$(ls -A '\(volume.path)'); exit \\$code\" || exit $?")
        guard result.status != 77, !result.text.contains("unshare") else { return }
        #expect(result.status == 2, "\(result.text)")
        #expect(result.text.contains("not enough space"), "\(result.text)")
        #expect(result.text.contains("files:\n"), "\(result.text)")
    }
}

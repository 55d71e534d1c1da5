@testable import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Files of recordings")
struct RecordingFileTests {
    /// Removes its folder with it.
    final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("Recordings-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit {
            _ = chmod(url.path, 0o755)
            try? FileManager.default.removeItem(at: url)
        }

        func file(_ name: String) -> URL { url.appendingPathComponent(name) }
        var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }
    }

    private let folder: Folder
    private let recording = RecordingSample.library().recording

    init() throws { folder = try Folder() }

    private func failure(_ file: URL, _ code: CocoaError.Code, _ number: Int32) throws {
        let thrown = #expect(throws: CocoaError.self) { try recording.write(.json, to: file) }
        let error = try #require(thrown)
        #expect(error.code == code && error.filePath == file.path)
        #expect(error.localizedDescription == "The recording could not be written to \(file.path).")
        #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(number))
    }

    @Test func everyFormatIsWritten() throws {
        for format in Instruments.Recording.Export.allCases {
            try recording.write(format, to: folder.file(format.rawValue))
        }
        #expect(try folder.names == ["json", "table", "traceEvents"])
        #expect(try Data(contentsOf: folder.file("json")) == recording.json())
        #expect(try Data(contentsOf: folder.file("traceEvents")) == recording.traceEvents())
        #expect(try String(contentsOf: folder.file("table"), encoding: .utf8) == recording.description + "\n")
    }

    @Test func aFormerFileIsReplacedAndKeepsItsPermissions() throws {
        let file = folder.file("recording"), link = folder.file("link")
        try Data("former".utf8).write(to: file)
        #expect(chmod(file.path, 0o640) == 0)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try recording.write(.json, to: link)
        #expect(try Data(contentsOf: file) == recording.json() && folder.names == ["link", "recording"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o640)
    }

    @Test func aMissingFolderIsNamed() throws {
        try failure(folder.file("none/recording"), .fileNoSuchFile, ENOENT)
    }

    @Test func aFolderThatMayNotBeWrittenToLeavesTheFormerFile() throws {
        let file = folder.file("recording")
        try Data("former".utf8).write(to: file)
        #expect(chmod(folder.url.path, 0o555) == 0)
        try withoutPrivileges { try failure(file, .fileWriteNoPermission, EACCES) }
        #expect(try Data(contentsOf: file) == Data("former".utf8) && folder.names == ["recording"])
    }

    @Test func aFolderIsNoFile() throws {
        try failure(folder.url, .fileWriteUnknown, EISDIR)
        #expect(try folder.names.isEmpty)
    }

    @Test func aNameThatIsTooLongLeavesNothing() throws {
        try failure(folder.file(String(repeating: "n", count: 300)), .fileWriteInvalidFileName, ENAMETOOLONG)
        #expect(try folder.names.isEmpty)
    }

    /// Linux's `/dev/full` fails each write as a full disk does.
    @Test func aFullDiskIsReported() throws {
        try failure(URL(fileURLWithPath: "/dev/full"), .fileWriteOutOfSpace, ENOSPC)
    }

    /// `SMALL_DISK` names a file system of a few megabytes; `Tests/README.md` has the command.
    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["SMALL_DISK"] != nil,
            "SMALL_DISK names no folder on a small file system"))
    func aDiskThatFillsUpLeavesTheFormerFile() throws {
        let disk = try #require(ProcessInfo.processInfo.environment["SMALL_DISK"])
        let folder = URL(fileURLWithPath: disk).appendingPathComponent("Recordings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("recording")
        try Data("former".utf8).write(to: file)
        let large = RecordingSample.library(authors: 200_000).recording
        let thrown = #expect(throws: CocoaError.self) { try large.write(.json, to: file) }
        #expect(thrown?.code == .fileWriteOutOfSpace && thrown?.filePath == file.path)
        #expect(try Data(contentsOf: file) == Data("former".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["recording"])
    }

    @Test func aDeviceIsWrittenToDirectly() throws {
        try recording.write(.json, to: URL(fileURLWithPath: "/dev/null"))
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func otherURLsAreRefused() throws {
        let url = try #require(URL(string: "https://example.com/recording"))
        let thrown = #expect(throws: CocoaError.self) { try recording.write(.json, to: url) }
        #expect(thrown?.code == .fileWriteUnsupportedScheme)
        #expect(thrown?.localizedDescription.contains("https://example.com/recording") == true)
    }
}

import Foundation
import Workloads

/// A copy of this program that the runs of one workload are made with.
///
/// Small machines let go of cached files within seconds. A program whose file comes back into the cache page by page, as its
/// pages are touched, starts up to a fifth slower than one that lies there in large pieces, the more so the more code it runs
/// at first. Whether that happens to the program's own file depends on what ran in the minutes before, not on the engines; a
/// copy is as one has just been installed.
final class ProgramCopy {
    let program: URL
    private let folder: URL

    /// Makes the copy in a new folder inside `parent`, together with the resources that lie beside this program.
    init(inside parent: URL) throws {
        guard let original = Bundle.main.executableURL else { throw BenchmarkError("cannot find my own program file") }
        let files = FileManager.default
        folder = parent.appendingPathComponent("program-\(UUID().uuidString.prefix(8))", isDirectory: true)
        program = folder.appendingPathComponent(original.lastPathComponent)
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.copy(original, to: program)
        let beside = try files.contentsOfDirectory(
            at: original.deletingLastPathComponent(), includingPropertiesForKeys: nil)
        for file in beside where ["resources", "bundle"].contains(file.pathExtension) {
            try files.copyItem(at: file, to: folder.appendingPathComponent(file.lastPathComponent))
        }
    }

    private static let pieceBytes = 4 << 20

    /// In large pieces: what is written in small ones lies in the cache in just these.
    private static func copy(_ original: URL, to copy: URL) throws {
        let files = FileManager.default
        guard files.createFile(atPath: copy.path, contents: nil, attributes: [.posixPermissions: 0o755]) else {
            throw BenchmarkError("cannot make a copy of my program file at \(copy.path)")
        }
        let source = try FileHandle(forReadingFrom: original)
        let destination = try FileHandle(forWritingTo: copy)
        while let piece = try source.read(upToCount: pieceBytes), !piece.isEmpty {
            try destination.write(contentsOf: piece)
        }
        // Now, and not while the runs are timed.
        try destination.synchronize()
        // A file that is open for writing cannot be run.
        try destination.close()
        try source.close()
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}

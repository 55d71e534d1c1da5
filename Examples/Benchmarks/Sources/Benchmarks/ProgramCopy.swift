import Foundation
import Workloads

/// A copy of this program, used for all runs of one workload.
///
/// On machines with little memory, the page cache evicts files within seconds. A program read back page by page starts up to
/// 20 % slower than one cached in large folios, depending on the amount of code that it runs. For the original file, this
/// depends on earlier activity of the machine instead of the engines; a new copy has the state of a program just installed.
final class ProgramCopy {
    let program: URL
    private let folder: URL

    /// Copies the program and its resource bundles to a new folder in `parent`.
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

    /// Copies the file in large blocks, since the page cache keeps written data in folios of the size of the writes.
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
        // Write back now instead of during the measured runs.
        try destination.synchronize()
        // A file that is open for writing cannot be executed (ETXTBSY).
        try destination.close()
        try source.close()
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}

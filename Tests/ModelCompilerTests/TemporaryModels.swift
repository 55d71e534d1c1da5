import Foundation
import ModelCompiler

/// A folder for one test, with source models written into it.
final class TemporaryModels {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// An `.xcdatamodel` with the entities given; the first line of them is line 2.
    @discardableResult
    func model(_ name: String, _ body: String, root: String = "") throws -> String {
        let url = folder.appendingPathComponent(name + ".xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try "<model \(root)>\n\(body)\n</model>".write(
            to: url.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        return url.path
    }

    func run(_ words: String...) -> ModelTool.Result { ModelTool.run(words) }
}

/// The parts of real models, where they are at hand beside the package.
enum RealModels {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/data")

    static let areAvailable = FileManager.default.fileExists(atPath: folder.path)

    static func path(_ path: String) -> String { folder.appendingPathComponent(path).path }
}

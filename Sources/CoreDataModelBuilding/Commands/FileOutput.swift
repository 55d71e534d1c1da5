import Foundation

/// Writes the output files of commands.
package enum FileOutput {
    /// Writes a file unless it already has the same contents, so that build systems see no change.
    package static func write(_ data: Data, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        if (try? Data(contentsOf: url)) == data { return }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: .atomic)
    }

    package static func write(_ text: String, to path: String) throws {
        try write(Data(text.utf8), to: path)
    }
}

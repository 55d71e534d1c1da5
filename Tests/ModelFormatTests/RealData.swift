import Foundation

/// Real models and stores made by Apple's tools, which lie beside the package where they are at hand.
enum RealData {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/data")

    static let isAvailable = FileManager.default.fileExists(atPath: root.path)
    static let reason = "needs the folder shared/data of real models and stores beside the package"

    static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

    /// Every file or folder under the root with one of these extensions, outermost only.
    static func all(_ extensions: String...) -> [URL] {
        guard isAvailable, let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) else {
            return []
        }
        return walk.compactMap { $0 as? URL }.filter { extensions.contains($0.pathExtension) }
            .sorted { $0.path < $1.path }
    }
}

extension Data {
    var hex: String { map { String(format: "%02x", $0) }.joined() }
}

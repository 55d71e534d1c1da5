import Foundation
import Synchronization

/// A folder that goes with the test.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("CoreDataTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    private static let kept = Mutex<[TemporaryFolder]>([])
    private static let removal: Void = {
        atexit {
            TemporaryFolder.kept.withLock { $0 = [] }
        }
    }()

    /// Makes a folder that goes when the process ends, for what tests share.
    package static func forTheWholeRun() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        removal
        kept.withLock { $0.append(folder) }
        return folder
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

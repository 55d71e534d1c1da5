import Foundation
import Workloads

/// A temporary folder with prepared stores and copies of the program. Each store is created once; workloads that write get
/// a copy.
final class Workshop {
    let folder: URL
    private var prepared: Set<String> = []

    /// Creates a new folder in `parent`, or in the system's temporary folder.
    init(inside parent: URL?) throws {
        let parent = parent ?? FileManager.default.temporaryDirectory
        folder = parent.appendingPathComponent("benchmarks-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs `work` with a store prepared for the workload.
    func withStore<Result>(
        for workload: Workload, rows: Int, kind: StoreKind, _ work: (URL) throws -> Result
    ) throws -> Result {
        let original = try fixture(workload.fixture, rows: rows, kind: kind)
        guard workload.writes else { return try work(original) }
        let copy = folder.appendingPathComponent("trial.sqlite")
        remove(copy)
        try FileManager.default.copyItem(at: original, to: copy)
        defer { remove(copy) }
        return try work(copy)
    }

    private func fixture(_ fixture: Fixture, rows: Int, kind: StoreKind) throws -> URL {
        let count = fixture == .empty ? 0 : rows
        let name = "\(kind.rawValue)-\(fixture.rawValue)-\(count).sqlite"
        let url = folder.appendingPathComponent(name)
        guard prepared.insert(name).inserted else { return url }
        _ = try ChildProcess.run([
            "fixture", "--kind", kind.rawValue, "--fixture", fixture.rawValue, "--rows", String(count), "--store",
            url.path,
        ])
        return url
    }

    private func remove(_ store: URL) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: store.path + suffix)
        }
    }
}

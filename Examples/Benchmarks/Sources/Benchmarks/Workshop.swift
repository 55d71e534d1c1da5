import Foundation
import Workloads

/// A temporary folder with prepared stores and copies of the program. Each store is created once; workloads that write get
/// a copy, or a new one in a server.
final class Workshop {
    let folder: URL
    private var prepared: Set<String> = []
    /// Stores in a server, by name.
    private var serverStores: [String: URL] = [:]

    /// Creates a new folder in `parent`, or in the system's temporary folder.
    init(inside parent: URL?) throws {
        let parent = parent ?? FileManager.default.temporaryDirectory
        folder = parent.appendingPathComponent("benchmarks-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        serverStores.values.forEach(StoreContents.removeServerStore)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs `work` with a store prepared for the workload.
    func withStore<Result>(
        for workload: Workload, rows: Int, kind: StoreKind, _ work: (URL) throws -> Result
    ) throws -> Result {
        if kind == .postgreSQL { return try withServerStore(for: workload, rows: rows, work) }
        let original = try fixture(workload.fixture, rows: rows, kind: kind)
        guard workload.writes else { return try work(original) }
        let copy = folder.appendingPathComponent("trial.sqlite")
        remove(copy)
        try FileManager.default.copyItem(at: original, to: copy)
        defer { remove(copy) }
        return try work(copy)
    }

    /// Runs `work` with a store in a server: a new one for workloads that write.
    private func withServerStore<Result>(
        for workload: Workload, rows: Int, _ work: (URL) throws -> Result
    ) throws -> Result {
        let count = workload.fixture == .empty ? 0 : rows
        let name = "\(workload.fixture.rawValue)-\(count)"
        if !workload.writes, let known = serverStores[name] { return try work(known) }
        let url = try StoreContents.makeServerStore()
        defer { if workload.writes { StoreContents.removeServerStore(url) } }
        if !workload.writes { serverStores[name] = url }
        try fill(url, workload.fixture, rows: count, kind: .postgreSQL)
        return try work(url)
    }

    private func fill(_ url: URL, _ fixture: Fixture, rows: Int, kind: StoreKind) throws {
        _ = try ChildProcess.run([
            "fixture", "--kind", kind.rawValue, "--fixture", fixture.rawValue, "--rows", String(rows), "--store",
            StoreContents.option(url),
        ])
    }

    private func fixture(_ fixture: Fixture, rows: Int, kind: StoreKind) throws -> URL {
        let count = fixture == .empty ? 0 : rows
        let name = "\(kind.rawValue)-\(fixture.rawValue)-\(count).sqlite"
        let url = folder.appendingPathComponent(name)
        guard prepared.insert(name).inserted else { return url }
        try fill(url, fixture, rows: count, kind: kind)
        return url
    }

    private func remove(_ store: URL) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: store.path + suffix)
        }
    }
}

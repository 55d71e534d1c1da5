import CoreDataEngine
import GRDBEngines
import LibPQEngine
import RawEngine
import Workloads

/// All engines, in the order of the table's columns.
enum Engines {
    /// Returns the name of the engine to which the targets of a workload apply.
    static func ours(in workload: Workload, baseline: String) -> String {
        if servers.contains(where: { $0.name == baseline }) { return "postgresql" }
        return workload.isAboutFace ? MagicalRecordFace.name : CoreDataEngine.name
    }

    static var stores: [any StoreEngine.Type] {
        [RawEngine.self, RowEngine.self, CodableEngine.self, RecordEngine.self, CoreDataEngine.self]
    }

    static var objects: [any ObjectEngine.Type] { [PlainObjects.self, CoreDataObjects.self] }

    static var faces: [any FaceEngine.Type] { [HandWrittenFace.self, MagicalRecordFace.self] }

    /// The engines over a PostgreSQL server, the baseline first. Not in builds without the trait `PostgreSQL`.
    static var servers: [any StoreEngine.Type] {
        #if PostgreSQL
        [LibPQEngine.self, LibPQRowsEngine.self, PostgreSQLEngine.self]
        #else
        []
        #endif
    }

    /// Returns true if the engines over a server run a workload.
    static func runOverServer(_ workload: Workload) -> Bool {
        #if PostgreSQL
        LibPQEngine.runs(workload)
        #else
        false
        #endif
    }

    /// Engines that are compared with one baseline.
    struct Comparison {
        var baseline: String
        var engines: [String]
    }

    /// Returns the comparisons of a workload; those over a server only if one of their engines is named.
    static func comparisons(of workload: Workload, among names: [String]?) -> [Comparison] {
        func comparison(_ engines: [String], _ baseline: String) -> Comparison {
            Comparison(
                baseline: baseline, engines: engines.filter { $0 == baseline || names?.contains($0) ?? true })
        }
        let serverNames = servers.map { $0.name }
        var comparisons: [Comparison] = []
        if names?.contains(where: { !serverNames.contains($0) }) ?? true {
            comparisons.append(comparison(self.names(for: workload), baseline(of: workload)))
        }
        if let names, names.contains(where: serverNames.contains), runOverServer(workload) {
            comparisons.append(comparison(serverNames, serverNames[0]))
        }
        return comparisons
    }

    /// Returns the name of the engine that the others are compared with in a workload.
    private static func baseline(of workload: Workload) -> String {
        if workload.isAboutFace { return HandWrittenFace.name }
        return workload.isAboutObjects ? PlainObjects.name : RawEngine.name
    }

    private static func names(for workload: Workload) -> [String] {
        if workload.isAboutFace { return faces.map { $0.name } }
        return workload.isAboutObjects ? objects.map { $0.name } : stores.map { $0.name }
    }

    static var allNames: [String] {
        let names = stores.map { $0.name } + servers.map { $0.name } + objects.map { $0.name } + faces.map { $0.name }
        return names.reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// The engines that have no column in the table.
    static var baselines: [String] { [RawEngine.name, PlainObjects.name] + servers.prefix(1).map { $0.name } }

    static func storeKind(_ name: String, for workload: Workload) -> StoreKind {
        if workload.isAboutFace { return .coreData }
        let kind =
            workload.isAboutObjects
            ? objects.first { $0.name == name }?.storeKind
            : (stores + servers).first { $0.name == name }?.storeKind
        return kind ?? .plain
    }
}

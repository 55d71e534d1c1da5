import CoreDataEngine
import GRDBEngines
import RawEngine
import Workloads

/// All engines, in the order of the table's columns.
enum Engines {
    /// Returns the name of the engine to which the targets of a workload apply.
    static func ours(in workload: Workload) -> String {
        workload.isAboutFace ? MagicalRecordFace.name : CoreDataEngine.name
    }

    static var stores: [any StoreEngine.Type] {
        [RawEngine.self, RowEngine.self, CodableEngine.self, RecordEngine.self, CoreDataEngine.self]
    }

    static var objects: [any ObjectEngine.Type] { [PlainObjects.self, CoreDataObjects.self] }

    static var faces: [any FaceEngine.Type] { [HandWrittenFace.self, MagicalRecordFace.self] }

    /// Returns the name of the engine that the others are compared with in a workload.
    static func baseline(of workload: Workload) -> String {
        if workload.isAboutFace { return HandWrittenFace.name }
        return workload.isAboutObjects ? PlainObjects.name : RawEngine.name
    }

    static func names(for workload: Workload) -> [String] {
        if workload.isAboutFace { return faces.map { $0.name } }
        return workload.isAboutObjects ? objects.map { $0.name } : stores.map { $0.name }
    }

    static var allNames: [String] {
        (stores.map { $0.name } + objects.map { $0.name } + faces.map { $0.name }).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    static func storeKind(_ name: String, for workload: Workload) -> StoreKind {
        if workload.isAboutFace { return .coreData }
        let kind =
            workload.isAboutObjects
            ? objects.first { $0.name == name }?.storeKind
            : stores.first { $0.name == name }?.storeKind
        return kind ?? .plain
    }
}

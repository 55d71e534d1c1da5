import CoreDataEngine
import GRDBEngines
import RawEngine
import Workloads

/// Everything that can be measured, in the order of the table's columns.
enum Engines {
    /// The engine that the targets are for.
    static let ours = "coredata"

    static var stores: [any StoreEngine.Type] {
        [RawEngine.self, RowEngine.self, CodableEngine.self, RecordEngine.self, CoreDataEngine.self]
    }

    static var objects: [any ObjectEngine.Type] { [PlainObjects.self, CoreDataObjects.self] }

    /// What a workload's other engines are divided by.
    static func baseline(of workload: Workload) -> String {
        workload.isAboutObjects ? PlainObjects.name : RawEngine.name
    }

    static func names(for workload: Workload) -> [String] {
        workload.isAboutObjects ? objects.map { $0.name } : stores.map { $0.name }
    }

    static var allNames: [String] {
        stores.map { $0.name } + objects.map { $0.name }.filter { $0 != ours }
    }

    static func storeKind(_ name: String, for workload: Workload) -> StoreKind {
        let kind =
            workload.isAboutObjects
            ? objects.first { $0.name == name }?.storeKind
            : stores.first { $0.name == name }?.storeKind
        return kind ?? .plain
    }
}

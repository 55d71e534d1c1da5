import CCoreDataSQLite
import CoreData
import CoreDataModelBuilding
import Foundation
import MagicalRecord
import ModelFormat
import StoreTools

/// `storetool migrate`
struct MigrateCommand: Command {
    static let name = "migrate"
    static let summary = "migrates a store to another model, or rehearses that"
    static let usage = "STORE --to MODEL"
    static let details = """
        MODEL is a bundle of versions (.momd, .xcdatamodeld), whose last one is the destination, or one version (.mom,
        .xcdatamodel). The store's own model is a version, too, if none of MODEL equals it. Mapping models are taken from
        --mapping; otherwise they are inferred. All steps work on copies beside the store, and the last one replaces it.
        With --rehearse, a copy is migrated and discarded. Exit status 1: data is dropped; the report says which.
        """
    static let options = [
        CommandOption("to", "MODEL", "the model to migrate to"),
        CommandOption("version", "NAME", "the version of MODEL to migrate to, instead of the last"),
        CommandOption("mapping", "FILE", "a compiled mapping model (.cdm); may be given several times"),
        CommandOption("rehearse", nil, "leaves the store as it is"), CommandOption.json,
    ]
    static let examples = [
        CommandExample("migrate Library.sqlite --to Library.momd --rehearse", "What the migration would do, and drop."),
        CommandExample("migrate Library.sqlite --to Library.momd", "Migrates the store in its place."),
    ]

    private let store: URL
    private let destination: String
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        store = URL(fileURLWithPath: try arguments.positional("STORE")[0])
        guard let model = arguments["to"] else { throw UsageError("--to MODEL is missing") }
        destination = model
        self.arguments = arguments
    }

    func run(_ console: Console) throws -> Int32 {
        let condition = StoreCondition.of(store)
        guard [.readable, .inUse].contains(condition) else { throw condition.error(store) }
        let rehearses = arguments.has("rehearse")
        let copy = rehearses ? try TemporaryCopy(store, condition) : nil
        defer { withExtendedLifetime(copy) {} }
        let opened = copy?.url ?? store
        let (names, versions) = try versions()
        let mappings = try arguments.all("mapping").map { path in
            guard let mapping = NSMappingModel(contentsOf: URL(fileURLWithPath: path)) else {
                throw StoreToolError(
                    .failed, "The mapping model \(path) cannot be read.", advice: "Compile it: modelc compile.")
            }
            return mapping
        }
        let (line, isInterrupted) = (console.progressLine, console.isInterrupted)
        let progress: @Sendable (MagicalRecord.MigrationProgress) -> Void = { progress in
            line?.show("Migrating, step \(progress.step) of \(progress.stepCount)", progress.fraction)
            if isInterrupted() { progress.cancel() }
        }
        let place = MagicalRecord.Store.sqlite(at: opened)
        let hadLog = Self.hasLog(store)
        defer { if !rehearses, !hadLog { Self.removeEmptyLog(store) } }
        let report =
            rehearses
            ? try MagicalRecord.rehearseMigration(
                of: place, through: versions, mappings: mappings, in: [], progress: progress)
            : try MagicalRecord.migrate(place, through: versions, mappings: mappings, in: [], progress: progress)
        line?.clear()
        if arguments.has("json") {
            try console.line(json(report, names, rehearses).text)
        } else {
            try write(report, names, rehearses, console)
        }
        return report.losses.isEmpty ? 0 : 1
    }

    private static func hasLog(_ store: URL) -> Bool { FileManager.default.fileExists(atPath: store.path + "-wal") }

    /// Removes an empty log, which read-only connections leave behind, as SQLite does it: by closing the last connection.
    private static func removeEmptyLog(_ store: URL) {
        guard hasLog(store), let database = try? Database(store.path, flags: SQLITE_OPEN_READWRITE) else { return }
        _ = try? database.integer("SELECT count(*) FROM sqlite_master")
    }

    /// Returns the versions and their names, oldest first; the store's own model comes first if it is none of them.
    private func versions() throws -> ([String], MagicalRecord.ModelVersions) {
        let bundle = try ModelFile.bundle(destination)
        var versions = bundle.versions.sorted { (Self.number($0.name), $0.name) < (Self.number($1.name), $1.name) }
        let wanted = arguments["version"] ?? (bundle.versions.count > 1 ? bundle.currentVersionName : nil)
        if let wanted {
            let end = versions.firstIndex { $0.name == wanted || $0.name == "\(bundle.name) \(wanted)" }
            guard let end else {
                let known = versions.map(\.name).joined(separator: ", ")
                throw UsageError("there is no version “\(wanted)” in \(destination); there are \(known)")
            }
            // What a store is migrated to is the last one.
            versions.append(versions.remove(at: end))
        }
        var names = versions.map(\.name)
        var models = try versions.map { try NSManagedObjectModel(values: $0.model) }
        let description = try StoreDescription(StoreReader(store).database)
        let metadata: [String: Any] = [NSStoreModelVersionHashesKey: description.versionHashes]
        let isKnown = models.contains { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
        if !isKnown, let own = description.model {
            models.insert(try NSManagedObjectModel(values: own), at: 0)
            names.insert("the store's model", at: 0)
        }
        return (names, MagicalRecord.ModelVersions(models))
    }

    private static func number(_ name: String) -> Int {
        Int(String(name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())) ?? 0
    }

    private func json(_ report: MagicalRecord.MigrationReport, _ names: [String], _ rehearsed: Bool) -> JSON {
        let steps = report.steps.map { step in
            JSON.object([
                ("from", .string(names[step.from - 1])), ("to", .string(names[step.to - 1])),
                ("inferred", .bool(step.isInferred)), ("leadsBack", .bool(step.leadsBack)),
                ("milliseconds", .number(Int(step.seconds * 1000))), ("rowsIn", Self.counts(step.rowsIn)),
                ("rowsOut", Self.counts(step.rowsOut)), ("losses", .array(step.losses.map { .string($0) })),
            ])
        }
        return .object([
            ("store", .string(store.path)), ("rehearsed", .bool(rehearsed)), ("steps", .array(steps)),
        ])
    }

    private static func counts(_ rows: [String: Int]) -> JSON {
        .object(rows.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })
    }

    private func write(
        _ report: MagicalRecord.MigrationReport, _ names: [String], _ rehearsed: Bool, _ console: Console
    ) throws {
        let name = CellText.escaped(store.lastPathComponent)
        guard !report.steps.isEmpty else {
            return try console.line("\(name) is of the version \(names.last ?? "") already.")
        }
        for step in report.steps {
            let way = step.isInferred ? "inferred" : "by mapping model"
            let title = "\(names[step.from - 1]) → \(names[step.to - 1])"
            try console.line(
                console.styled(CellText.escaped(title), .bold) + "  \(way), \(String(format: "%.3f s", step.seconds))")
            let table = TextTable(["entity", "rows in", "rows out"], console, indent: "  ")
            for entity in Set(step.rowsIn.keys).union(step.rowsOut.keys).sorted() {
                try table.add([
                    TableCell(entity), Self.cell(step.rowsIn[entity]), Self.cell(step.rowsOut[entity]),
                ])
            }
            try table.end()
            for loss in step.losses {
                try console.line("  " + console.styled("loses", .red) + " " + CellText.escaped(loss))
            }
        }
        try console.line(rehearsed ? "Rehearsed: \(name) is as it was." : "Migrated: \(name).")
    }

    private static func cell(_ count: Int?) -> TableCell {
        TableCell(count.map { Quantity.count(Int64($0)) } ?? "", isNumber: true)
    }
}

import Foundation
import ModelFormat

/// A store's description of itself: its metadata, its entities, its model and the statements of its tables.
///
/// Each part is read separately: what is damaged is nil or empty, and has an entry in ``problems``.
package struct StoreDescription: Sendable {
    /// A row of `Z_PRIMARYKEY`.
    package struct EntityRow: Sendable, Hashable {
        package var number: Int
        /// The number of the parent entity; 0 for a root, nil without a value.
        package var parent: Int?
        /// The highest key ever assigned, kept by the row of a root entity; nil without a value.
        package var highestKey: Int64?

        package init(number: Int, parent: Int?, highestKey: Int64?) {
            self.number = number
            self.parent = parent
            self.highestKey = highestKey
        }
    }

    /// The model in `Z_MODELCACHE`.
    package var model: Model?
    /// Why there is no model, in one sentence.
    package var modelProblem: String?
    /// The property list of `Z_METADATA`, without the UUID: texts, numbers as `Int64`, `Double` or `Bool`, dates, data, arrays
    /// and dictionaries of these.
    package var metadata: [String: any Sendable] = [:]
    package var uuid: String?
    /// The version hashes of the metadata by entity name; empty if there are none.
    package var versionHashes: [String: Data] = [:]
    /// The version of the framework that wrote the metadata.
    package var frameworkVersion: Int?
    /// The rows of `Z_PRIMARYKEY` by entity name, the framework's own entities included.
    package var numbers: [String: EntityRow] = [:]
    /// The tables, except those of SQLite, with their columns in order.
    package var columns: [String: [String]] = [:]
    /// The statements of these tables, in the order of the file.
    package var tables: [SchemaStatement] = []
    /// The indexes that statements have created, in the order of the file.
    package var indexes: [SchemaStatement] = []
    package var triggers: [SchemaStatement] = []
    /// The parts that could not be read, one sentence for each.
    package var problems: [String] = []

    /// The store's file, which errors name if it is known.
    package var url: URL?

    /// Limits of what is read from a file. Real stores are far below.
    private enum Limit {
        static let metadata = 64 << 20
        static let model = 256 << 20
        static let rows = 100_000
    }

    /// Reads the description. The values are of one moment only if a transaction is open, or if no program can write.
    ///
    /// - Throws: ``DatabaseError`` if `sqlite_schema` cannot be read.
    package init(_ database: Database) throws {
        try readSchema(database)
        readPart("The metadata", of: "Z_METADATA") { try $0.readMetadata(database) }
        readPart("The entity numbers", of: "Z_PRIMARYKEY") { try $0.readNumbers(database) }
        readModel(database)
    }

    // MARK: Statements

    private mutating func readSchema(_ database: Database) throws {
        let statement = try database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
        while try statement.step() {
            guard let type = statement.text(0), let name = statement.text(1), let table = statement.text(2) else {
                problems.append("A row of the schema has no name.")
                continue
            }
            guard let sql = statement.text(3), !name.lowercased().hasPrefix("sqlite_") else { continue }
            let entry = SchemaStatement(name: name, table: table, sql: sql)
            switch type {
            case "table": tables.append(entry)
            case "index": indexes.append(entry)
            case "trigger": triggers.append(entry)
            default: break
            }
        }
        let names = try database.prepare("SELECT name FROM pragma_table_info(?)")
        for table in tables {
            do {
                names.reset()
                try names.bind(.text(table.name), at: 1)
                var found: [String] = []
                while try names.step() { found.append(names.text(0) ?? "") }
                columns[table.name] = found
            } catch {
                problems.append("The columns of the table \(table.name) cannot be read: \(error).")
            }
        }
    }

    private func hasTable(_ name: String) -> Bool {
        tables.contains { $0.name.caseInsensitiveCompare(name) == .orderedSame }
    }

    private mutating func readPart(_ part: String, of table: String, _ read: (inout Self) throws -> Void) {
        guard hasTable(table) else {
            problems.append("\(part) cannot be read: there is no table \(table).")
            return
        }
        do {
            try read(&self)
        } catch let error as DatabaseError {
            problems.append("\(part) cannot be read from \(table): \(error.message).")
        } catch {
            problems.append("\(part) cannot be read from \(table): \(error).")
        }
    }

    // MARK: Metadata

    private mutating func readMetadata(_ database: Database) throws {
        let size = try database.integer("SELECT max(length(Z_PLIST)) FROM Z_METADATA") ?? 0
        guard size <= Limit.metadata else {
            problems.append("The metadata cannot be read from Z_METADATA: they have \(size) bytes.")
            return
        }
        let statement = try database.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
        guard try statement.step() else {
            problems.append("The metadata are missing: Z_METADATA has no row.")
            return
        }
        if case .text(let text) = statement.value(0), !text.isEmpty {
            uuid = text
        } else {
            problems.append("The store's UUID is missing from Z_METADATA.")
        }
        guard let bytes = statement.data(1), let values = PropertyListDictionary.read(bytes) else {
            problems.append("The metadata in Z_METADATA are not a property list of a dictionary.")
            return
        }
        metadata = values.compactMapValues(PlainValue.of)
        if metadata.count < values.count {
            let lost = values.keys.filter { metadata[$0] == nil }.sorted().joined(separator: ", ")
            problems.append("The metadata in Z_METADATA have values of an unknown kind: \(lost).")
        }
        if let hashes = metadata["NSStoreModelVersionHashes"] as? [String: any Sendable] {
            versionHashes = hashes.compactMapValues { $0 as? Data }
        }
        if versionHashes.isEmpty { problems.append("The metadata in Z_METADATA have no version hashes of entities.") }
        if let version = metadata["NSPersistenceFrameworkVersion"] as? Int64 {
            frameworkVersion = Int(clamping: version)
        }
    }

    private mutating func readNumbers(_ database: Database) throws {
        let statement = try database.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY")
        var count = 0
        while try statement.step() {
            count += 1
            guard count <= Limit.rows else {
                problems.append("Z_PRIMARYKEY has more than \(Limit.rows) rows; the others were not read.")
                return
            }
            guard case .integer(let number) = statement.value(0), (1...Int64(Int32.max)).contains(number),
                case .text(let name) = statement.value(1)
            else {
                problems.append("A row of Z_PRIMARYKEY has no entity number or no name.")
                continue
            }
            guard numbers[name] == nil else {
                problems.append("Z_PRIMARYKEY has two rows for the entity \(name).")
                continue
            }
            var row = EntityRow(number: Int(number), parent: nil, highestKey: nil)
            if case .integer(let parent) = statement.value(2) { row.parent = Int(exactly: parent) }
            if case .integer(let key) = statement.value(3) { row.highestKey = key }
            numbers[name] = row
        }
    }

    // MARK: Model

    private mutating func readModel(_ database: Database) {
        do {
            guard hasTable("Z_MODELCACHE") else {
                modelProblem = "The store has no table Z_MODELCACHE, as stores of before 2015."
                return
            }
            let statement = try database.prepare("SELECT length(Z_CONTENT), Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
            guard try statement.step(), !statement.isNull(0) else {
                modelProblem = "The table Z_MODELCACHE is empty."
                return
            }
            guard statement.integer(0) <= Limit.model, let content = statement.data(1) else {
                modelProblem = "The model in Z_MODELCACHE is too large."
                return
            }
            model = try Model(cacheContent: content)
        } catch {
            let reason = (error as? DatabaseError)?.message ?? "\(error)"
            modelProblem = "The model in Z_MODELCACHE cannot be read: \(reason)."
        }
        if let modelProblem { problems.append(modelProblem) }
    }

    // MARK: Schema

    /// Returns the schema of the store under its own model, or a given one.
    ///
    /// - Throws: ``StoreToolError`` with `otherModel` if the given model's version hashes are not the store's, `noModel` if
    ///   none is given and the store has none, or none that can be used.
    package func schema(for model: Model? = nil) throws -> StoreSchema {
        guard let given = model else {
            guard let own = self.model else { throw noModel(modelProblem ?? "\(subject) has no model.") }
            do {
                return try makeSchema(own)
            } catch let error as StoreToolError {
                throw noModel("\(subject) has a damaged model. \(error.message)")
            }
        }
        try requireHashes(of: given)
        return try makeSchema(given)
    }

    private func makeSchema(_ model: Model) throws -> StoreSchema {
        try StoreSchema(
            model, numbers: numbers.isEmpty ? nil : numbers.mapValues(\.number),
            columns: columns.isEmpty ? nil : columns)
    }

    /// The store as the subject of a sentence.
    private var subject: String { url.map { "The store \($0.lastPathComponent)" } ?? "The store" }

    private func noModel(_ message: String) -> StoreToolError {
        StoreToolError(
            .noModel, message, advice: "Give the model that the store was made with.",
            url: url)
    }

    /// Checks a model against the version hashes, if the store has any.
    private func requireHashes(of model: Model) throws {
        guard !versionHashes.isEmpty else { return }
        let hashes: [String: Data]
        do {
            hashes = try model.versionHashes()
        } catch {
            throw StoreToolError(
                .otherModel, "The given model cannot be that of a store: \(error).",
                advice: "Give the model that the store was made with.")
        }
        // A store of a configuration can have the hashes of its entities alone.
        let common = Set(versionHashes.keys)
        let isConfiguration = model.configurations.contains { Set($0.entityNames) == common }
        let changed = common.filter { hashes[$0] != nil && hashes[$0] != versionHashes[$0] }.sorted()
        let missing = common.filter { hashes[$0] == nil }.sorted()
        let added = isConfiguration ? [] : hashes.keys.filter { !common.contains($0) }.sorted()
        guard !changed.isEmpty || !missing.isEmpty || !added.isEmpty else { return }
        let parts = [("differ in", changed), ("the model lacks", missing), ("the store lacks", added)].compactMap {
            $1.isEmpty ? nil : "\($0) \(Self.list($1))"
        }
        throw StoreToolError(
            .otherModel,
            "\(subject) has another model than the given one: they \(parts.joined(separator: "; ")).",
            advice:
                "Give the version that the store was saved with, or none, to use the store's own model.",
            url: url)
    }

    /// Returns names as a list, of which only the first ones are written out.
    private static func list(_ names: [String]) -> String {
        names.count <= 6
            ? names.joined(separator: ", ") : names.prefix(5).joined(separator: ", ") + " and \(names.count - 5) more"
    }
}

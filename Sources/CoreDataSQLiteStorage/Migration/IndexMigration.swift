import CoreDataRowStorage
import CCoreDataSQLite
import Foundation

/// Creates the indexes of a table as a new store would have them.
final class IndexMigration {
    private let session: InPlaceSession
    private let wanted: [SQLSchema.Index]
    private let known: Set<String>
    private let constraints: [String: SQLSchema.Constraint]

    init(_ session: InPlaceSession) {
        self.session = session
        wanted = session.newSchema.indexes(session.new)
        known = Set(session.oldSchema.indexes(session.old).map(\.name))
        let all = session.new.all.flatMap { session.newSchema.constraints(of: $0) }
        constraints = Dictionary(all.map { ($0.index.name, $0) }) { first, _ in first }
    }

    /// Returns the program's own indexes of the tables that will be replaced.
    func foreignIndexes(except kept: Set<String>) throws -> ForeignIndexes {
        let names = session.oldSchema.tables.map(\.name) + session.oldSchema.joins.map(\.name)
        return try ForeignIndexes(
            of: names.filter { !kept.contains($0) }, known: known, session.connection, path: session.path)
    }

    func run(on table: String) throws {
        let statement = try session.connection.prepare(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?")
        try statement.bind(table, at: 1)
        var present: [String: String] = [:]
        while try statement.step() { present[statement.text(0) ?? ""] = statement.text(1) ?? "" }
        let mine = wanted.filter { $0.table == table }
        for (name, sql) in present {
            if mine.contains(where: { $0.name == name && $0.creation == sql }) { continue }
            // Indexes that the program created itself are kept.
            if ForeignIndexes.isForeign(name, known: known), !mine.contains(where: { $0.name == name }) { continue }
            try session.connection.execute("DROP INDEX \(SQLName.quoted(name))")
            present[name] = nil
        }
        for index in mine where present[index.name] == nil {
            do {
                try session.connection.execute(index.creation)
            } catch {
                guard (error as NSError).userInfo[NSSQLiteErrorDomain] as? Int == Int(SQLITE_CONSTRAINT),
                    let constraint = constraints[index.name]
                else { throw error }
                throw try violation(constraint, error)
            }
        }
    }

    /// Returns the error that names the objects with equal values.
    private func violation(_ constraint: SQLSchema.Constraint, _ underlying: any Error) throws -> NSError {
        let table = constraint.index.table
        let columns = constraint.columns.joined(separator: ", ")
        let entity = session.new.byNumber[constraint.entity]?.name ?? "?"
        let uuid = try session.connection.text("SELECT Z_UUID FROM Z_METADATA LIMIT 1") ?? ""
        let groups = try session.connection.prepare(
            "SELECT GROUP_CONCAT(Z_PK), \(columns) FROM \(table) WHERE \(constraint.presence) GROUP BY \(columns) "
                + "HAVING COUNT(*) > 1 ORDER BY MIN(Z_PK) LIMIT 20")
        var examples: [String] = []
        var objects: [URL] = []
        while try groups.step() {
            let keys = (groups.text(0) ?? "").split(separator: ",")
            let values = (1...constraint.columns.count).map { groups.text(Int32($0)) ?? "NULL" }
            examples.append("\(values.joined(separator: ", ")) in \(keys.map { "p\($0)" }.joined(separator: ", "))")
            objects += keys.compactMap { URL(string: "x-coredata://\(uuid)/\(entity)/p\($0)") }
        }
        return CoreDataError.make(
            NSMigrationConstraintViolationError,
            description:
                "The store at \(session.path) could not be migrated: objects break a uniqueness constraint that "
                + "is new.",
            reason:
                "\(entity) requires different values of \(constraint.attributes.joined(separator: ", ")), but objects "
                + "share " + examples.joined(separator: "; ") + ".",
            advice: "Merge or delete these objects with the old version of the model first, or use a mapping model.",
            entity: entity, key: constraint.attributes.first, underlying: underlying,
            userInfo: [
                NSAffectedObjectsErrorKey: objects, "constraint": constraint.attributes,
                NSURLErrorKey: URL(fileURLWithPath: session.path),
            ])
    }
}

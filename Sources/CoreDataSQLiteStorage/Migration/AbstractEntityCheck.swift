import CoreDataRowStorage
import Foundation

/// Finds objects of entities that have become abstract, which no entity of the destination could hold.
struct AbstractEntityCheck {
    /// Creates the check; returns nil if no entity has become abstract.
    init?(_ models: LayoutCorrespondence) {
        guard models.makesAbstract else { return nil }
    }

    /// Checks the rows of a store.
    ///
    /// - Throws: 134110 naming the entity and its objects.
    func run(_ session: InPlaceSession) throws {
        for layout in session.new.all where layout.isAbstract {
            guard let source = session.models.origin(of: layout), !source.isAbstract,
                let table = session.oldTable(of: source)
            else { continue }
            let condition = "FROM \(session.current(table)) WHERE Z_ENT = \(session.fileNumber(source))"
            let count = try session.connection.integer("SELECT COUNT(*) \(condition)")
            guard count > 0 else { continue }
            let uuid = try session.connection.text("SELECT Z_UUID FROM Z_METADATA LIMIT 1") ?? ""
            let rows = try session.connection.prepare(
                "SELECT Z_PK \(condition) ORDER BY Z_PK LIMIT \(UnmigratableObjects.limit)")
            var objects: [URL] = []
            while try rows.step() {
                objects += [URL(string: "x-coredata://\(uuid)/\(source.name)/p\(rows.integer(0))")].compactMap { $0 }
            }
            throw failure(layout.name, source.name, objects, count, session.path)
        }
    }

    private func failure(_ name: String, _ source: String, _ objects: [URL], _ count: Int64, _ path: String) -> NSError
    {
        let more = count > objects.count ? ", and \(Int(count) - objects.count) more" : ""
        return CoreDataError.make(
            NSMigrationError,
            description:
                "The store at \(path) could not be migrated: \(name) has become abstract, and there are objects of "
                + "\(source) itself: \(objects.map(\.absoluteString).joined(separator: ", "))\(more).",
            reason:
                "\(name) has become abstract, and the store has \(count) object\(count == 1 ? "" : "s") of \(source) "
                + "itself.",
            advice:
                "Say with a mapping model which subentity they become, or delete them with the old version of the model.",
            entity: name,
            userInfo: [NSAffectedObjectsErrorKey: objects, NSURLErrorKey: URL(fileURLWithPath: path)])
    }
}

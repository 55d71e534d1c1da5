import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import Foundation
import ModelFormat

/// Finds objects that an inferred migration cannot preserve, before anything is written.
struct HazardCheck {
    private let hazards: [MigrationHazard]

    /// Creates the check; returns nil if the models do not differ in a way that rows could make invalid.
    init?(_ models: LayoutCorrespondence) {
        guard !models.hazards.isEmpty else { return nil }
        hazards = models.hazards
    }

    /// Checks the rows of a store.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    func run(_ session: InPlaceSession) throws {
        for hazard in hazards {
            guard let layout = session.new.byName[hazard.entity] else { continue }
            let finder = Finder(session: session, hazard: hazard, layout: layout)
            if let found = try finder.find() { throw found.failure(at: URL(fileURLWithPath: session.path)) }
        }
    }

    private struct Finder {
        let session: InPlaceSession
        let hazard: MigrationHazard
        let layout: EntityLayout

        func find() throws -> UnmigratableObjects? {
            if hazard.kind == .missingValue { return try found(missingValues()) }
            guard let relationship = layout.ownRelationships.first(where: { $0.name == hazard.property }) else {
                return nil
            }
            let links = RelationshipLinks(relationship, of: layout, session)
            return switch hazard.kind {
            case .destination: try found(strays())
            case .place: try found(claims(relationship.isToMany, links))
            case .missingObject, .missingValue: try found(missingObjects(links))
            }
        }

        /// The destination entities that have the property, with the source entities of their objects.
        private var heirs: [(new: EntityLayout, old: EntityLayout, table: String)] {
            let name = String(hazard.property.prefix { $0 != "." })
            return session.models.heirs(of: name, declaredIn: layout).compactMap { heir in
                session.oldTable(of: heir.old).map { (heir.new, heir.old, session.current($0)) }
            }
        }

        // MARK: Queries of objects `s` of entities `se` and, for relationships, objects `t` of entities `te`

        private func missingValues() -> String {
            heirs.compactMap { heir -> String? in
                let path = hazard.property.split(separator: ".").map(String.init)
                guard let columns = session.oldSchema.entities[heir.old.number]?.cells else { return nil }
                // One column, or all of a composite attribute, which is nil when all its elements are.
                let cells = heir.new.cells.filter { $0.names.starts(with: path) }
                let names = cells.compactMap { cell in
                    session.models.origin(of: cell, in: heir.new).flatMap { columns[$0.index].column }
                }
                return "SELECT Z_PK AS s, Z_ENT AS se, NULL AS t, NULL AS te FROM \(heir.table) "
                    + "WHERE Z_ENT = \(session.fileNumber(heir.old))"
                    + names.map { " AND \($0) IS NULL" }.joined() + presence(of: path, cells, columns, heir)
            }.joined(separator: " UNION ALL ")
        }

        /// Returns the condition that an optional composite attribute is not nil, because a nil one needs no elements.
        private func presence(
            of path: [String], _ cells: [EntityLayout.Cell], _ columns: ContiguousArray<CellColumns>,
            _ heir: (new: EntityLayout, old: EntityLayout, table: String)
        ) -> String {
            guard path.count > 1, let first = cells.first, let composite = first.compositeSource, first.isOptional
            else { return "" }
            let names = heir.new.cells.filter { $0.compositeSource === composite }.compactMap { element in
                session.models.origin(of: element, in: heir.new).flatMap { columns[$0.index].column }
            }
            return names.isEmpty ? "" : " AND COALESCE(\((names + ["NULL"]).joined(separator: ", "))) IS NOT NULL"
        }

        private func strays() -> String {
            LinkSource.sources(of: .init(entity: layout.number, name: hazard.property), session, isCarried: false)
                .compactMap { $0.pairs(to: $0.strays, session) }
                .map { "SELECT s, se, t, te FROM (\($0))" }.joined(separator: " UNION ALL ")
        }

        private func claims(_ isToMany: Bool, _ links: RelationshipLinks) -> String {
            guard let pairs = links.pairs(session) else { return "" }
            // In a to-many relationship without an inverse, the destination rows hold the owner.
            let (here, there) = isToMany ? ("t", "s") : ("s", "t")
            return "WITH l AS (\(pairs)) SELECT \(here) AS s, \(here)e AS se, \(there) AS t, \(there)e AS te FROM l "
                + "WHERE \(here) IN (SELECT \(here) FROM l GROUP BY \(here) HAVING COUNT(DISTINCT \(there)) > 1)"
        }

        private func missingObjects(_ links: RelationshipLinks) -> String {
            let pairs = links.pairs(session)
            return heirs.map { heir in
                "SELECT Z_PK AS s, Z_ENT AS se, NULL AS t, NULL AS te FROM \(heir.table) "
                    + "WHERE Z_ENT = \(session.fileNumber(heir.old))"
                    + (pairs.map { " AND Z_PK NOT IN (SELECT s FROM (\($0)))" } ?? "")
            }.joined(separator: " UNION ALL ")
        }

        // MARK: Results

        private func found(_ query: String) throws -> UnmigratableObjects? {
            guard !query.isEmpty else { return nil }
            let rows = try session.connection.prepare("SELECT s, se, t, te FROM (\(query)) ORDER BY se, s, t")
            var examples: [(object: URL, others: [URL])] = []
            var last: (Int64, Int64)?
            var count = 0
            var uuid = ""
            func identifier(_ key: Int64, _ entity: Int64) -> URL? {
                let old = session.old.all.first { session.fileNumber($0) == Int(entity) }
                return URL(string: "x-coredata://\(uuid)/\(old?.name ?? "")/p\(key)")
            }
            while try rows.step() {
                if count == 0 { uuid = try session.connection.text("SELECT Z_UUID FROM Z_METADATA LIMIT 1") ?? "" }
                let key = (rows.integer(1), rows.integer(0))
                if last.map({ $0 != key }) ?? true {
                    last = key
                    count += 1
                    if examples.count < UnmigratableObjects.limit, let object = identifier(key.1, key.0) {
                        examples.append((object, []))
                    }
                }
                guard count == examples.count, rows.type(2) != SQLITE_NULL,
                    examples[count - 1].others.count < UnmigratableObjects.limit,
                    let other = identifier(rows.integer(2), rows.integer(3))
                else { continue }
                examples[count - 1].others.append(other)
            }
            return count == 0 ? nil : UnmigratableObjects(hazard: hazard, examples: examples, count: count)
        }
    }
}

extension EntityLayout.Cell {
    /// The name of the attribute, and of the elements down to the column.
    fileprivate var names: [String] { compositeName.map { [$0] + elementPath } ?? [name] }
}

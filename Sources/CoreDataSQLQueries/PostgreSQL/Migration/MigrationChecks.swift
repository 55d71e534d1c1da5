import CoreDataRowStorage
import ModelFormat

/// A search for objects that a migration cannot preserve, which must find none.
package struct MigrationCheck {
    package enum Kind {
        /// Objects of an entity that has become abstract, and its name now.
        case abstractEntity(EntityLayout, name: String)
        /// Values of an attribute that may not fit its new type.
        case values(NumericConversion, attribute: String, entities: [(old: EntityLayout, new: EntityLayout)])
        case hazard(MigrationHazard)
    }

    package let kind: Kind
    /// The statement. For values: key, entity and value. For others, at most 20 objects `s` with at most 20 others `t`: key and
    /// entity of `s` and `t`, the number of `s`, and the number of all objects.
    package let sql: String
    /// The old tables that are read.
    let tables: [String]

    /// The objects that are searched for, for people.
    package var description: String {
        switch kind {
        case .abstractEntity(let layout, let name):
            "objects of \(layout.name) itself, as \(name) has become abstract"
        case .values(let conversion, let attribute, let entities):
            "values of \(entities.map(\.new.name).joined(separator: ", ")).\(attribute) that \(conversion.destination.words) "
                + "cannot hold"
        case .hazard(let hazard): "\(hazard.objects): \(hazard.reason)"
        }
    }
}

/// The searches that come before anything is written.
struct MigrationChecks {
    private let plan: MigrationPlan
    private var models: LayoutCorrespondence { plan.models }
    private let names = PresentNames.original

    init(_ plan: MigrationPlan) { self.plan = plan }

    func all() throws -> [MigrationCheck] { try abstractEntities() + values() + hazards() }

    private func quoted(_ name: String) -> String { PostgreSQLName.quoted(name) }

    /// Selects the first objects of a query.
    private func examples(_ query: String) -> String {
        """
        WITH found AS (\(query)), numbered AS (SELECT *, dense_rank() OVER (ORDER BY se, s) AS n, \
        row_number() OVER (PARTITION BY se, s ORDER BY te, t) AS m FROM found) \
        SELECT s, se, t, te, n, (SELECT max(n) FROM numbered) FROM numbered \
        WHERE n <= \(UnmigratableObjects.limit) AND m <= \(UnmigratableObjects.limit) ORDER BY n, m
        """
    }

    /// Selects the objects of an entity itself.
    private func objects(_ layout: EntityLayout, _ table: OldTable, where conditions: String...) -> String? {
        let condition = table.condition([layout])
        guard !condition.isNone else { return nil }
        let all = ([condition.sql("o")] + conditions.filter { !$0.isEmpty }).compactMap { $0 }
        return "SELECT o.id AS s, \(table.entity("o")) AS se, NULL::bigint AS t, NULL::text AS te "
            + "FROM \(quoted(table.name)) o" + (all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND "))
    }

    // MARK: Abstract entities

    private func abstractEntities() -> [MigrationCheck] {
        plan.newSchema.layouts.all.compactMap { layout in
            guard layout.isAbstract, let source = models.origin(of: layout), !source.isAbstract,
                let table = plan.oldTable(of: source), let query = objects(source, table)
            else { return nil }
            return MigrationCheck(
                kind: .abstractEntity(source, name: layout.name), sql: examples(query), tables: [table.name])
        }
    }

    // MARK: Values

    private struct ValueColumn: Hashable {
        let table: String
        let column: String
        let conversion: NumericConversion
        let attribute: String
    }

    private func values() throws -> [MigrationCheck] {
        var found: [ValueColumn: [(old: EntityLayout, new: EntityLayout)]] = [:]
        for layout in plan.newSchema.layouts.all {
            guard let source = models.origin(of: layout), let columns = try? plan.old.columns(of: source) else {
                continue
            }
            for cell in layout.cells {
                guard let origin = models.origin(of: cell, in: layout), let column = columns[origin.index].column,
                    let conversion = models.conversion(from: origin, to: cell),
                    conversion.serverSuspicion(column) != nil
                else { continue }
                let key = ValueColumn(
                    table: columns.table, column: column, conversion: conversion, attribute: cell.path)
                found[key, default: []].append((source, layout))
            }
        }
        func order(_ key: ValueColumn) -> String { "\(key.table) \(key.column) \(key.attribute)" }
        return found.sorted { order($0.key) < order($1.key) }.compactMap { key, entities in
            guard let table = plan.oldTables.first(where: { $0.name == key.table }),
                let suspicion = key.conversion.serverSuspicion("o.\(quoted(key.column))")
            else { return nil }
            let condition = table.condition(entities.map(\.old))
            guard !condition.isNone else { return nil }
            let type = key.conversion.source.isFloatingPoint ? "double precision" : "bigint"
            let conditions = [condition.sql("o"), suspicion].compactMap { $0 }.joined(separator: " AND ")
            return MigrationCheck(
                kind: .values(key.conversion, attribute: key.attribute, entities: entities),
                sql: "SELECT o.id, \(table.entity("o")), o.\(quoted(key.column))::\(type) FROM \(quoted(key.table)) o "
                    + "WHERE \(conditions) ORDER BY o.id", tables: [key.table])
        }
    }

    // MARK: Hazards

    private func hazards() -> [MigrationCheck] {
        models.hazards.compactMap { hazard in
            guard let layout = plan.newSchema.layouts.byName[hazard.entity], let (query, tables) = query(hazard, layout)
            else { return nil }
            return MigrationCheck(kind: .hazard(hazard), sql: examples(query), tables: tables)
        }
    }

    private func query(_ hazard: MigrationHazard, _ layout: EntityLayout) -> (String, [String])? {
        let name = String(hazard.property.prefix { $0 != "." })
        let heirs = models.heirs(of: name, declaredIn: layout).compactMap { heir in
            plan.oldTable(of: heir.old).map { (new: heir.new, old: heir.old, table: $0) }
        }
        let tables = heirs.map(\.table.name)
        if hazard.kind == .missingValue {
            let parts = heirs.compactMap { missingValues(hazard.property, $0.new, $0.old, $0.table) }
            return parts.isEmpty ? nil : (parts.joined(separator: " UNION ALL "), tables)
        }
        guard let relationship = layout.ownRelationships.first(where: { $0.name == hazard.property }) else {
            return nil
        }
        if hazard.kind == .destination {
            let links = LinkSource.sources(of: hazard.property, declaredBy: layout, plan, isCarried: false)
            let parts = links.compactMap { $0.pairs(to: $0.strays, names) }
                .map { "SELECT p.s, p.se, p.t, p.te FROM (\($0)) p" }
            return parts.isEmpty ? nil : (parts.joined(separator: " UNION ALL "), links.flatMap(\.tables))
        }
        let links = RelationshipLinks(relationship, of: layout, plan)
        let pairs = links.pairs(names)
        let all = tables + links.all.flatMap(\.tables)
        guard hazard.kind == .place else {
            let parts = heirs.compactMap { heir in
                objects(
                    heir.old, heir.table, where: pairs.map { "o.id NOT IN (SELECT p.s FROM (\($0)) p)" } ?? "")
            }
            return parts.isEmpty ? nil : (parts.joined(separator: " UNION ALL "), all)
        }
        guard let pairs else { return nil }
        // In a to-many relationship without an inverse, the destination rows hold the owner.
        let (here, there) = relationship.isToMany ? ("t", "s") : ("s", "t")
        return (
            "SELECT l.\(here) AS s, l.\(here)e AS se, l.\(there) AS t, l.\(there)e AS te FROM (\(pairs)) l "
                + "WHERE l.\(here) IN (SELECT k.\(here) FROM (\(pairs)) k GROUP BY k.\(here) "
                + "HAVING count(DISTINCT k.\(there)) > 1)", all
        )
    }

    /// Selects the objects without a value of an attribute, or of an element of a composite attribute.
    private func missingValues(
        _ property: String, _ new: EntityLayout, _ old: EntityLayout, _ table: OldTable
    ) -> String? {
        guard let columns = try? plan.old.columns(of: old) else { return nil }
        func column(_ cell: EntityLayout.Cell) -> String? {
            models.origin(of: cell, in: new).flatMap { columns[$0.index].column }.map { "o.\(quoted($0))" }
        }
        let path = property.split(separator: ".").map(String.init)
        // One column, or all of a composite attribute, which is nil when all its elements are.
        let cells = new.cells.filter { $0.names.starts(with: path) }
        var conditions = cells.compactMap(column).map { "\($0) IS NULL" }
        // An optional composite attribute that is nil needs no elements.
        if path.count > 1, let first = cells.first, let composite = first.compositeSource, first.isOptional {
            let others = new.cells.filter { $0.compositeSource === composite }.compactMap(column)
            if !others.isEmpty {
                conditions.append("(\(others.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")))")
            }
        }
        return objects(old, table, where: conditions.joined(separator: " AND "))
    }
}

extension EntityLayout.Cell {
    /// The name of the attribute, and of the elements down to the column.
    fileprivate var names: [String] { compositeName.map { [$0] + elementPath } ?? [name] }
}

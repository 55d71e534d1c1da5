import CoreDataRowStorage

/// The comparison of two versions of a model that asks whether programs with the old one can use the tables of the new one, beside
/// programs with the new one.
///
/// They read and write the columns that they know: these must be there, with the same meaning, and the new version must accept
/// rows with NULL in new columns.
struct VersionOverlap {
    let models: LayoutCorrespondence
    let old: PostgreSQLTables
    let new: PostgreSQLTables

    /// Returns the reason for which they cannot; nil if they can.
    func obstacle() throws -> String? {
        let schemas = (old: PostgreSQLSchema(old), new: PostgreSQLSchema(new))
        for layout in old.layouts.all {
            guard let successor = new.layouts.byName[layout.name], models.origin(of: successor) === layout else {
                return "The entity \(layout.name) is removed or renamed."
            }
            let obstacle =
                try hierarchy(layout, successor) ?? attributes(layout, successor)
                ?? relationships(layout, successor) ?? constraints(layout, successor, schemas)
            if let obstacle { return obstacle }
        }
        return nil
    }

    private func hierarchy(_ layout: EntityLayout, _ successor: EntityLayout) throws -> String? {
        func names(_ layout: EntityLayout, _ layouts: ModelLayouts) -> Set<String> {
            Set(layout.familyNumbers.compactMap { layouts.byNumber[$0]?.name })
        }
        guard layout.superlayout?.name == successor.superlayout?.name, layout.isAbstract == successor.isAbstract,
            names(layout, old.layouts) == names(successor, new.layouts)
        else { return "The hierarchy of the entity \(layout.name) changes." }
        guard try old.columns(of: layout).table == new.columns(of: successor).table else {
            return "The table of the entity \(layout.name) is renamed."
        }
        return nil
    }

    // MARK: Attributes

    private func attributes(_ layout: EntityLayout, _ successor: EntityLayout) throws -> String? {
        let (former, present) = (try old.columns(of: layout), try new.columns(of: successor))
        var known: Set<Int> = []
        for cell in layout.cells where !cell.isTransient && cell.relationshipIndex < 0 {
            let found = successor.cells.first { models.origin(of: $0, in: successor)?.index == cell.index }
            guard let found, found.path == cell.path, place(former[cell.index]) == place(present[found.index]) else {
                return "\(layout.name).\(cell.path) is removed or renamed."
            }
            known.insert(found.index)
            guard found.kind == cell.kind else { return "\(layout.name).\(cell.path) gets another type." }
            guard found.isOptional == cell.isOptional, found.requiresValue == cell.requiresValue else {
                return "\(layout.name).\(cell.path) is optional in one version only."
            }
            guard try derivation(cell, layout, old) == derivation(found, successor, new) else {
                return "\(layout.name).\(cell.path) is derived in another way."
            }
        }
        for cell in successor.cells where !cell.isTransient && cell.relationshipIndex < 0 {
            guard !known.contains(cell.index) else { continue }
            if cell.isDerived { return "\(successor.name).\(cell.path) is new and derived." }
            if cell.requiresValue { return "\(successor.name).\(cell.path) is new and required." }
        }
        return nil
    }

    private func place(_ columns: CellColumns) -> [String?] {
        [columns.column, columns.order, columns.isInSeconds ? "seconds" : nil]
    }

    private func derivation(
        _ cell: EntityLayout.Cell, _ layout: EntityLayout, _ tables: PostgreSQLTables
    ) throws -> String? {
        guard cell.isDerived else { return nil }
        return try DerivedValue(cell, try tables.columns(of: layout)[cell.index], layout, tables).make().sql
    }

    // MARK: Relationships

    private func relationships(_ layout: EntityLayout, _ successor: EntityLayout) throws -> String? {
        let (former, present) = (try old.columns(of: layout), try new.columns(of: successor))
        func shape(_ relationship: EntityLayout.Relationship, _ layouts: ModelLayouts) -> [String?] {
            let inverse = relationship.inverse
            return [
                layouts.byNumber[relationship.destinationNumber]?.name, "\(relationship.isToMany)",
                "\(relationship.isOrdered)", inverse?.name, inverse.map { "\($0.isToMany) \($0.isOrdered)" },
            ]
        }
        for relationship in layout.relationships where !relationship.isTransient {
            let found = successor.relationships.first { $0.name == relationship.name && !$0.isTransient }
            guard let found, models.origin(of: found, in: successor)?.index == relationship.index else {
                return "\(layout.name).\(relationship.name) is removed or renamed."
            }
            let isEqual =
                relationship.isToMany
                ? "\(old.columns(of: relationship, in: layout) as Any)"
                    == "\(new.columns(of: found, in: successor) as Any)"
                : place(former[relationship.cell]) == place(present[found.cell])
            guard isEqual, shape(relationship, old.layouts) == shape(found, new.layouts) else {
                return "\(layout.name).\(relationship.name) gets another destination, inverse or order."
            }
        }
        for relationship in successor.relationships where !relationship.isTransient {
            guard !layout.relationships.contains(where: { $0.name == relationship.name }) else { continue }
            if relationship.deleteRule == .cascade || relationship.deleteRule == .deny {
                return
                    "\(successor.name).\(relationship.name) is new, and its delete rule is \(relationship.deleteRule)."
            }
            if !relationship.isToMany, !successor.cells[relationship.cell].isOptional {
                return "\(successor.name).\(relationship.name) is new and required."
            }
        }
        return nil
    }

    // MARK: Uniqueness

    private func constraints(
        _ layout: EntityLayout, _ successor: EntityLayout, _ schemas: (old: PostgreSQLSchema, new: PostgreSQLSchema)
    ) throws -> String? {
        let known = Set(try schemas.old.uniqueness(of: layout).map(\.columns))
        for constraint in try schemas.new.uniqueness(of: successor) where !known.contains(constraint.columns) {
            let properties = constraint.properties.joined(separator: ", ")
            return "The uniqueness of \(successor.name).\(properties) is new."
        }
        return nil
    }
}

import ModelFormat

/// The rules for names.
enum NameRules {
    static let all = [
        LintRule(name: "sql-collision", summary: "names that are the same in SQL", check: sqlCollisions),
        LintRule(name: "reserved-name", summary: "names that managed objects already use", check: reserved),
        LintRule(name: "name-style", summary: "names Xcode would not accept", check: style),
        LintRule(name: "renaming-clash", summary: "two things renamed from one", check: renaming),
    ]

    /// Reports tables and columns with the same SQL name: the uppercase names of entities and properties. All entities of a
    /// hierarchy share a table.
    @Sendable private static func sqlCollisions(_ run: inout LintRun) {
        let roots = run.model.entities.filter { $0.parentName == nil }
        for (_, group) in grouped(roots.map { ($0.name.uppercased(), $0.name) }) {
            for name in group.dropFirst() {
                run.report(
                    .error, name, nil, "the entity and \(group[0]) have the same table, Z\(name.uppercased())",
                    advice: "Rename one: SQL does not tell capitals from small letters")
            }
        }
        for root in roots {
            for entity in run.index.family(root.name) {
                let columns = columns(entity, run)
                for (column, group) in grouped(columns) {
                    for name in group.dropFirst() {
                        run.report(
                            .warning, entity.name, name,
                            "the property and \(group[0]) have the same column, Z\(column)",
                            advice: "Rename one: the store numbers such columns, and tools that read it are misled")
                    }
                    if ["_PK", "_ENT", "_OPT"].contains(column), let name = group.first {
                        run.report(
                            .error, entity.name, name, "the property has the column Z\(column), which every table has",
                            advice: "Rename it")
                    }
                }
            }
        }
    }

    /// Returns the columns of the properties that an entity declares, after those of its ancestors.
    private static func columns(_ entity: Entity, _ run: LintRun) -> [(String, String)] {
        var columns: [(String, String)] = []
        var seen: Set<String> = []
        for ancestor in run.index.lineage(entity.name).reversed() {
            let names =
                ancestor.attributes.filter { !$0.isTransient }.map(\.name)
                + ancestor.relationships.filter { !$0.isTransient && !$0.isToMany }.map(\.name)
            for name in names where seen.insert(name).inserted { columns.append((name.uppercased(), name)) }
        }
        let own = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
        // Collisions between ancestors are reported for the ancestors.
        return columns.filter { column in
            own.contains(column.1) || columns.contains { $0.0 == column.0 && own.contains($0.1) }
        }
    }

    private static func grouped(_ items: [(String, String)]) -> [(key: String, names: [String])] {
        var order: [String] = []
        var groups: [String: [String]] = [:]
        for (key, name) in items {
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(name)
        }
        return order.map { ($0, groups[$0] ?? []) }
    }

    /// The names of properties and methods without arguments of NSManagedObject and NSObject.
    private static let taken: Set<String> = [
        "description", "debugDescription", "hash", "superclass", "class", "self", "zone", "entity", "objectID",
        "managedObjectContext", "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges",
        "hasPersistentChangedValues", "faultingState", "changedValues", "committedValues", "awakeFromFetch",
        "awakeFromInsert", "willSave", "didSave", "willTurnIntoFault", "didTurnIntoFault", "prepareForDeletion",
        "validateForInsert", "validateForUpdate", "validateForDelete", "changedValuesForCurrentEvent", "init", "copy",
        "mutableCopy", "retain", "release", "autorelease", "retainCount", "isProxy", "observationInfo",
    ]

    @Sendable private static func reserved(_ run: inout LintRun) {
        for entity in run.model.entities {
            let names =
                entity.attributes.map(\.name) + entity.relationships.map(\.name)
                + entity.fetchedProperties.map(\.name)
            for name in names where taken.contains(name) {
                run.report(
                    .error, entity.name, name, "every managed object already has \"\(name)\"",
                    advice: "Rename the property: Core Data refuses the name")
            }
        }
    }

    @Sendable private static func style(_ run: inout LintRun) {
        for entity in run.model.entities {
            if let first = entity.name.first, !first.isUppercase {
                run.report(.note, entity.name, nil, "the entity's name does not begin with a capital")
            }
            let names =
                entity.attributes.map(\.name) + entity.relationships.map(\.name)
                + entity.fetchedProperties.map(\.name)
            for name in names {
                if let first = name.first, first.isUppercase {
                    run.report(.note, entity.name, name, "the property's name begins with a capital")
                }
                if name.contains(where: { !$0.isLetter && !$0.isNumber && $0 != "_" }) || name.first?.isNumber == true {
                    run.report(
                        .error, entity.name, name, "the property's name is no identifier",
                        advice: "Use letters, digits and underscores")
                }
            }
        }
    }

    @Sendable private static func renaming(_ run: inout LintRun) {
        var entities: [String: String] = [:]
        for entity in run.model.entities {
            let identifier = entity.renamingIdentifier ?? entity.name
            if let other = entities.updateValue(entity.name, forKey: identifier) {
                run.report(
                    .warning, entity.name, nil, "the entity and \(other) have the renaming identifier \(identifier)",
                    advice: "Migration cannot tell which of them it was")
            }
            var properties: [String: String] = [:]
            let names =
                entity.attributes.map { ($0.name, $0.renamingIdentifier) }
                + entity.relationships.map { ($0.name, $0.renamingIdentifier) }
            for (name, renaming) in names {
                guard let other = properties.updateValue(name, forKey: renaming ?? name) else { continue }
                run.report(
                    .warning, entity.name, name,
                    "the property and \(other) have the renaming identifier \(renaming ?? name)",
                    advice: "Migration cannot tell which of them it was")
            }
        }
    }
}

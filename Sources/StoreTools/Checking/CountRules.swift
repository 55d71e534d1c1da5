import Foundation
import ModelFormat

/// The lowest and highest numbers of objects in to-many relationships.
struct CountRules {
    private let check: CheckRun
    private let schema: StoreSchema

    init(_ check: CheckRun, _ schema: StoreSchema) {
        self.check = check
        self.schema = schema
    }

    func run(_ table: EntityTable) throws {
        guard check.facts.has(table.name, ["Z_PK", "Z_ENT"]) else { return }
        var scan = RowScan(table.name)
        for entity in schema.declaring(in: table) {
            for toMany in entity.toManys {
                guard let declared = check.model?.relationship(toMany.name, of: entity.name),
                    declared.minCount > 0 || declared.maxCount > 1, let count = count(toMany)
                else { continue }
                let own = schema.restriction(to: entity, "t").map { " AND \($0)" } ?? ""
                var limits: [String] = []
                if declared.minCount > 0, !declared.isOptional || declared.minCount > 1 {
                    limits.append(
                        declared.isOptional
                            ? "\(count) BETWEEN 1 AND \(declared.minCount - 1)" : "\(count) < \(declared.minCount)")
                }
                if declared.maxCount > 1 { limits.append("\(count) > \(declared.maxCount)") }
                guard !limits.isEmpty else { continue }
                scan.add(
                    RowCondition(
                        rule: .requiredValue, entity: entity.name, property: toMany.name,
                        sql: "(\(limits.joined(separator: " OR ")))\(own)",
                        message: "The number of objects is not \(Self.range(declared)).", remedy: .none))
            }
        }
        guard !scan.isEmpty else { return }
        try check.reading(table.name, entity: schema.entity(table.root)?.name) { try scan.run(check) }
    }

    private static func range(_ relationship: Relationship) -> String {
        relationship.maxCount > 1
            ? "from \(relationship.minCount) to \(relationship.maxCount)" : "at least \(relationship.minCount)"
    }

    /// Returns the SQL of the number of objects; nil if no index makes counting cheap.
    private func count(_ toMany: StoredToMany) -> String? {
        let (table, key): (String, String)
        switch toMany.place {
        case .foreignKey(let destination, let column, _, _): (table, key) = (destination, column)
        case .join(let join, let source, _, _): (table, key) = (join, source)
        }
        guard check.facts.hasIndex(table, [key]), !check.isDamaged(table) else { return nil }
        return "(SELECT count(*) FROM \(table.quotedIdentifier) c WHERE c.\(key.quotedIdentifier) = t.Z_PK)"
    }
}

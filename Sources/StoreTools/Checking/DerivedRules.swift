import Foundation
import ModelFormat

/// Recomputes derived attributes, where plain SQL yields the same: values of the row or of a to-one destination, their upper
/// and lower case and canonical form if they are ASCII, and counts.
struct DerivedRules {
    private let rules: RowRules
    private var schema: StoreSchema { rules.schema }
    private var facts: FileFacts { rules.check.facts }

    init(_ rules: RowRules) { self.rules = rules }

    func add(_ attribute: StoredAttribute, of entity: StoreEntity, to scan: inout RowScan) {
        guard facts.has(rules.table.name, attribute.column),
            let declared = rules.check.model?.attribute(attribute.path, of: entity.name),
            declared.derivationFilter == nil, let derivation = declared.derivation.flatMap(Derivation.init),
            let sql = violation(attribute, derivation, entity, &scan)
        else { return }
        let own = schema.restriction(to: entity, "t").map { " AND \($0)" } ?? ""
        scan.add(
            RowCondition(
                rule: .derivedValue, entity: entity.name, property: attribute.path, sql: "(\(sql))\(own)",
                message: "The value is not what \(declared.derivation ?? "") yields.", remedy: .mended,
                cause: cause(attribute, entity)))
    }

    private func violation(
        _ attribute: StoredAttribute, _ derivation: Derivation, _ entity: StoreEntity, _ scan: inout RowScan
    ) -> String? {
        let column = "t.\(attribute.column.quotedIdentifier)"
        switch derivation {
        case .value(let path, let function):
            guard let source = value(path, entity, &scan) else { return nil }
            guard let function else {
                return source.type == attribute.type ? "\(column) IS NOT \(source.sql)" : nil
            }
            guard source.type == .string, attribute.type == .string else { return nil }
            return "\(source.sql) NOT GLOB '*[^ -~]*' AND \(column) IS NOT \(function)(\(source.sql))"
                + " OR \(source.sql) IS NULL AND \(column) IS NOT NULL"
        case .count(let name):
            guard let toMany = entity.toManys.first(where: { $0.name == name }) else { return nil }
            let (table, key): (String, String)
            switch toMany.place {
            case .foreignKey(let destination, let column, _, _): (table, key) = (destination, column)
            case .join(let join, let source, _, _): (table, key) = (join, source)
            }
            // Without an index the cost would be the square of the number of rows.
            guard facts.hasIndex(table, [key]), !facts.damaged.contains(table.uppercased()) else { return nil }
            return "\(column) IS NOT (SELECT count(*) FROM \(table.quotedIdentifier) c "
                + "WHERE c.\(key.quotedIdentifier) = t.Z_PK)"
        }
    }

    /// Returns the SQL and the type of an attribute of the row, or of a to-one destination.
    private func value(
        _ path: [String], _ entity: StoreEntity, _ scan: inout RowScan
    ) -> (sql: String, type: AttributeType)? {
        if let source = entity.attributes.first(where: { $0.path == path.joined(separator: ".") }) {
            guard facts.has(rules.table.name, source.column), !source.isDerived else { return nil }
            return ("t.\(source.column.quotedIdentifier)", source.type)
        }
        // The entity has only what it declares itself.
        guard let whole = schema.entity(entity.number) else { return nil }
        if path.count == 1, let source = whole.attributes.first(where: { $0.path == path[0] }), !source.isDerived {
            return facts.has(rules.table.name, source.column)
                ? ("t.\(source.column.quotedIdentifier)", source.type) : nil
        }
        guard path.count >= 2, let toOne = whole.toOnes.first(where: { $0.name == path[0] }),
            let destination = schema.entity(toOne.destination),
            let source = destination.attributes.first(where: { $0.path == path.dropFirst().joined(separator: ".") }),
            facts.has(rules.table.name, toOne.column), facts.has(destination.table, ["Z_PK", source.column]),
            !facts.damaged.contains(destination.table.uppercased())
        else { return nil }
        let alias = scan.join(destination.table, on: "t.\(toOne.column.quotedIdentifier)")
        return ("\(alias).\(source.column.quotedIdentifier)", source.type)
    }

    /// Returns the cause: triggers that the file lacks.
    private func cause(_ attribute: StoredAttribute, _ entity: StoreEntity) -> (@Sendable (Int64) -> String?)? {
        let part = "_\(entity.name)_\(attribute.path)_"
        let missing = schema.triggers.filter {
            $0.name.hasPrefix("Z_DA_") && $0.name.contains(part) && facts.triggers[$0.name.uppercased()] == nil
        }
        guard let first = missing.first else { return nil }
        return { _ in "Triggers that update it are missing in the file, such as \(first.name)." }
    }
}

/// The forms of derivations that are recomputed.
enum Derivation {
    /// A key path, and the SQL function that is applied to its value.
    case value([String], function: String?)
    /// The number of objects of a relationship.
    case count(String)

    init?(_ text: String) {
        let text = text.filter { !$0.isWhitespace && $0 != "#" }
        func isPath(_ path: Substring) -> Bool {
            !path.isEmpty && path.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        }
        let names = ["canonical": "lower", "lowercase": "lower", "uppercase": "upper", "count": "count"]
        if text.hasSuffix(".@count"), isPath(text.dropLast(7)), !text.dropLast(7).contains(".") {
            self = .count(String(text.dropLast(7)))
        } else if let open = text.range(of: ":("), text.hasSuffix(")"),
            let function = names[String(text[..<open.lowerBound])]
        {
            let path = text[open.upperBound...].dropLast()
            guard isPath(path) else { return nil }
            if function == "count" {
                guard !path.contains(".") else { return nil }
                self = .count(String(path))
            } else {
                self = .value(path.split(separator: ".").map(String.init), function: function)
            }
        } else if isPath(text[...]) {
            self = .value(text.split(separator: ".").map(String.init), function: nil)
        } else {
            return nil
        }
    }
}

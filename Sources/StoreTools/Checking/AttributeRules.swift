import Foundation
import ModelFormat

/// The rules of attributes: required values, and the storage classes and ranges of values.
///
/// SQLite orders values by class (NULL, numbers, texts, blobs), so that comparisons with an empty text or blob tell the
/// class without a function call.
struct AttributeRules {
    private let rules: RowRules
    private let entity: StoreEntity

    init(_ rules: RowRules, _ entity: StoreEntity) {
        self.rules = rules
        self.entity = entity
    }

    func add(to scan: inout RowScan) {
        var texts: [String] = []
        for attribute in entity.attributes where rules.check.facts.has(rules.table.name, attribute.column) {
            let column = "t.\(attribute.column.quotedIdentifier)"
            func condition(
                _ rule: StoreFinding.Rule, _ sql: String, _ message: String, _ remedy: StoreFinding.Remedy
            ) -> RowCondition {
                RowCondition(
                    rule: rule, entity: entity.name, property: attribute.path, sql: sql, message: message,
                    remedy: remedy)
            }
            if isRequired(attribute) {
                let own = rules.schema.restriction(to: entity, "t").map { " AND \($0)" } ?? ""
                scan.add(
                    condition(
                        .requiredValue, "\(column) IS NULL\(own)", "The required value is missing.",
                        attribute.defaultValue == nil ? .mendedWithLoss : .mended))
            }
            if attribute.allowsExternalFiles {
                scan.add(
                    condition(
                        .valueType,
                        "\(column) < X'01' OR \(column) >= X'03' OR (\(column) >= X'02' AND length(\(column)) <> 38)",
                        "The value does not begin with the mark of an inline value or of an external file.", .mended))
                scan.add(
                    RowScan.FileColumn(column: attribute.column, entity: entity.name, property: attribute.path))
            } else if let sql = Self.violation(attribute.type, column) {
                scan.add(
                    condition(
                        .valueType, sql, "The value is not \(Self.description(attribute.type)).", .mendedWithLoss))
            }
            if attribute.type == .string || attribute.type == .uri {
                texts.append(column)
                var invalid = condition(
                    .valueType, "\(TextValidation.function)(\(column))", "The text is not valid UTF-8.",
                    .mendedWithLoss)
                invalid.isFiltered = true
                scan.add(invalid)
            }
        }
        for start in stride(from: 0, to: texts.count, by: TextValidation.maximumArguments) {
            let part = texts[start..<min(start + TextValidation.maximumArguments, texts.count)]
            scan.filter("\(TextValidation.function)(\(part.joined(separator: ", ")))")
        }
    }

    /// Returns whether every row must have a value. Elements of composite attributes may be missing together.
    private func isRequired(_ attribute: StoredAttribute) -> Bool {
        attribute.isRequired && !attribute.isDerived && !attribute.path.contains(".")
    }

    /// Returns the SQL that is true for a value that is not of a type; nil for types that any stored value fits.
    static func violation(_ type: AttributeType, _ column: String) -> String? {
        /// A fraction, or a value that is not a number.
        let isNoInteger = "\(column) <> (\(column) | 0)"
        switch type {
        case .integer16: return "\(isNoInteger) OR \(column) NOT BETWEEN -32768 AND 32767"
        case .integer32: return "\(isNoInteger) OR \(column) NOT BETWEEN -2147483648 AND 2147483647"
        case .integer64: return "\(isNoInteger) OR \(column) >= ''"
        case .boolean: return "\(column) NOT IN (0, 1)"
        case .double, .float, .date: return "\(column) >= ''"
        case .decimal:
            return "\(column) >= '' AND (\(column) >= X'' OR (\(column) <> 'NaN' AND \(column) GLOB '*[^-+0-9.eE]*'))"
        case .string, .uri: return "\(column) >= X'' OR \(column) < ''"
        case .uuid: return "\(column) < X'' OR length(\(column)) <> 16"
        case .binary, .transformable: return "\(column) < X''"
        case .undefined, .objectID, .composite: return nil
        }
    }

    private static func description(_ type: AttributeType) -> String {
        switch type {
        case .integer16: "a 16-bit integer"
        case .integer32: "a 32-bit integer"
        case .integer64: "a 64-bit integer"
        case .boolean: "0 or 1"
        case .double, .float: "a number"
        case .date: "a number of seconds"
        case .decimal: "a decimal number"
        case .string: "a text"
        case .uri: "the text of a URI"
        case .uuid: "a UUID of 16 bytes"
        default: "data"
        }
    }
}

import CoreDataRowStorage
import PredicateFormat

// String operators. As in memory, nil never matches.

extension PostgreSQLDialect {
    package func prefix(
        of text: SQLFragment, parameter: (ParameterBinding.Form) throws -> SQLFragment
    ) rethrows -> SQLFragment {
        "starts_with(\(text), \(try parameter(.value(.string, nil))))"
    }

    package func match(
        _ text: SQLFragment, _ comparison: ComparisonOperator, _ options: StringComparisonOptions,
        constant: NumberedConstant, parameter: (ParameterBinding.Form) throws -> SQLFragment
    ) throws -> SQLFragment {
        let folding = try self.folding(options)
        switch comparison {
        // In memory, the empty text is contained in no text.
        case .contains, .beginsWith, .endsWith: if constant.kind == .emptyText { return "1 = 0" }
        case .like: _ = try pattern(constant)
        case .matches:
            guard folding.isEmpty else { throw refusal("MATCHES with [c] or [d]") }
            _ = try PostgreSQLPattern.regularExpression(pattern(constant))
        default: break
        }
        // Bound folded.
        let needle = try parameter(.matcher(comparison, options))
        var condition = try condition(folded(text, folding), comparison, needle, isFolded: !folding.isEmpty)
        if comparison == .like {
            let characters = try parameter(.characterPattern(options))
            condition += " AND (\(characters) IS NULL OR \(folded(text, folding)) ~ \(characters))"
        }
        return "(\(text) IS NOT NULL AND \(condition))"
    }

    package func match(
        _ text: SQLFragment, _ comparison: ComparisonOperator, _ options: StringComparisonOptions, needle: SQLFragment
    ) throws -> SQLFragment {
        let folding = try self.folding(options)
        var guards: [SQLFragment] = ["\(text) IS NOT NULL", "\(needle) IS NOT NULL"]
        switch comparison {
        case .contains, .beginsWith, .endsWith: guards.append("\(needle) <> ''")
        case .like, .matches: throw refusal("\(comparison.symbol) whose pattern is a value of the row")
        default: break
        }
        guards.append(
            try condition(folded(text, folding), comparison, folded(needle, folding), isFolded: !folding.isEmpty))
        return "(\(guards.joined(separator: " AND ")))"
    }

    private func condition(
        _ text: SQLFragment, _ comparison: ComparisonOperator, _ needle: SQLFragment, isFolded: Bool
    ) throws -> SQLFragment {
        switch comparison {
        case .equalTo: "\(text) = \(needle)"
        case .notEqualTo: "\(text) <> \(needle)"
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            "\(text) COLLATE \"C\" \(raw: comparison.symbol) \(needle)"
        // Folded text is decomposed: a match must not end before a combining mark. Few texts are searched twice.
        case .contains where isFolded:
            "strpos(\(text), \(needle)) > 0 AND coredata_found(\(text), \(needle), true)"
        case .beginsWith where isFolded:
            "starts_with(\(text), \(needle)) AND coredata_found(\(text), \(needle), false)"
        case .endsWith where isFolded:
            "right(\(text), char_length(\(needle))) = \(needle) AND \(needle) <> ''"
        case .contains: "strpos(\(text), \(needle)) > 0"
        case .beginsWith: "starts_with(\(text), \(needle))"
        case .endsWith: "right(\(text), char_length(\(needle))) = \(needle)"
        case .like: "\(text) LIKE \(needle)"
        case .matches: "\(text) ~ \(needle)"
        default: throw UnsupportedQuery.function(comparison.symbol)
        }
    }

    private func pattern(_ constant: NumberedConstant) throws -> String {
        guard case .string(let text) = PredicateValue(constant.value) else {
            throw refusal("a pattern that is no text")
        }
        return text
    }

    /// Returns the differences that a comparison ignores.
    private func folding(_ options: StringComparisonOptions) throws -> StringComparisonOptions {
        if options.contains(.normalized) { return [] }
        if options.contains(.localeSensitive) { throw refusal("a comparison by the rules of a locale") }
        return options.intersection([.caseInsensitive, .diacriticInsensitive])
    }

    package func folded(_ text: SQLFragment, _ options: StringComparisonOptions) -> SQLFragment {
        let options = options.intersection([.caseInsensitive, .diacriticInsensitive])
        return options.isEmpty ? text : "coredata_fold(\(text), \(raw: options.rawValue))"
    }

    package func searched(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment {
        switch type.kind {
        case .string, .uri: value
        case .int16, .int32, .int64, .boolean: try text(of: value, type)
        default: throw refusal("a string operator on \(ConditionType(type.kind).name)")
        }
    }

    package func text(of value: SQLFragment, _ type: ValueType) throws -> SQLFragment {
        switch type.kind {
        case .string, .uri: value
        case .int16, .int32, .int64, .boolean: "CAST(\(number(value, type.kind)) AS text)"
        // In memory, the shortest text of a fraction is different.
        default: throw refusal("the text of \(ConditionType(type.kind).name)")
        }
    }
}

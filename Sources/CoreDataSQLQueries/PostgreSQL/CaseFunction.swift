import PredicateFormat

/// The functions of the schema that convert text to upper or lower case as Swift does, whatever the database's locale.
///
/// Swift maps every Unicode scalar by its full mapping, without regard to its neighbors.
package enum CaseFunction: String, CaseIterable, Sendable {
    case upper = "coredata_upper"
    case lower = "coredata_lower"

    package var name: String { rawValue }
    var predicateFunction: PredicateFunction { self == .upper ? .uppercase : .lowercase }

    private func mapping(of scalar: Unicode.Scalar) -> String {
        self == .upper ? scalar.properties.uppercaseMapping : scalar.properties.lowercaseMapping
    }

    /// The statement that creates the function.
    package var sql: String { self == .upper ? Self.upperSQL : Self.lowerSQL }

    private static let upperSQL = CaseFunction.upper.makeSQL()
    private static let lowerSQL = CaseFunction.lower.makeSQL()

    private func makeSQL() -> String {
        var (from, to) = (String.UnicodeScalarView(), String.UnicodeScalarView())
        var longer: [(Unicode.Scalar, String)] = []
        for value in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let mapped = mapping(of: scalar)
            guard mapped != String(scalar) else { continue }
            if mapped.unicodeScalars.count == 1 {
                from.append(scalar)
                to.append(mapped.unicodeScalars.first ?? scalar)
            } else {
                longer.append((scalar, mapped))
            }
        }
        let convert = self == .upper ? "upper" : "lower"
        var converted = "translate(\(convert)(value COLLATE \"C\"), "
        converted += "'\(String(from))', '\(String(to))')"
        for (scalar, mapped) in longer { converted = "replace(\(converted), '\(scalar)', '\(mapped)')" }
        return """
            CREATE OR REPLACE FUNCTION \(name)(value text) RETURNS text
            LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT CASE WHEN octet_length(value) = length(value) THEN \(convert)(value COLLATE "C")
            ELSE \(converted) END
            $$
            """
    }
}

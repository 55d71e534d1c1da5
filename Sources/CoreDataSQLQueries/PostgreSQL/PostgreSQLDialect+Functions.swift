import CoreDataRowStorage
import PredicateFormat

// Functions and aggregates: only those with results that are bit-for-bit equal to evaluation in memory.

extension PostgreSQLDialect {
    package func function(
        _ function: PredicateFunction, _ value: SQLFragment, _ type: ValueType
    ) throws -> SQLFragment {
        switch function {
        case .canonical: return folded(value, [.caseInsensitive, .diacriticInsensitive])
        case .uppercase: return try cased(value, type, .upper)
        case .lowercase: return try cased(value, type, .lower)
        // In memory, the length is counted in UTF-16 code units, two for each character beyond the basic plane.
        case .length:
            let beyond: SQLFragment = "regexp_replace(\(value), '[^\\U00010000-\\U0010FFFF]', '', 'g')"
            return "(char_length(\(value)) + char_length(\(beyond)))"
        case .absolute:
            let absolute: SQLFragment = "abs(\(try wide(value, type.kind)))"
            return type.kind == .double || type.kind == .float ? numberOnly(absolute) : absolute
        case .squareRoot:
            let number = try real(value, type.kind)
            return numberOnly("CASE WHEN \(number) >= 0 THEN sqrt(\(number)) END")
        case .floor where type.isInteger, .ceiling where type.isInteger, .truncate where type.isInteger:
            return try integer(value, type.kind)
        case .floor: return numberOnly("floor(\(try real(value, type.kind)))")
        case .ceiling: return numberOnly("ceil(\(try real(value, type.kind)))")
        case .truncate: return numberOnly("trunc(\(try real(value, type.kind)))")
        case .onesComplement: return "(~\(try integer(value, type.kind)))"
        case .noIndex: return value
        default: throw refusal("the function \(function.rawValue)")
        }
    }

    package func function(
        _ function: PredicateFunction, _ left: SQLFragment, _ right: SQLFragment, _ types: (ValueType, ValueType),
        result: ValueType
    ) throws -> SQLFragment {
        func operation(_ symbol: String) throws -> SQLFragment {
            let (a, b) = (try term(left, types.0, result), try term(right, types.1, result))
            let value: SQLFragment = "(\(a) \(raw: symbol) \(b))"
            switch result.kind {
            case .double: return numberOnly(value)
            case .decimal: return "\(raw: DecimalFunction.name)\(value)"
            default: return value
            }
        }
        func division(_ symbol: String) throws -> SQLFragment {
            let (a, b) = (try term(left, types.0, result), try term(right, types.1, result))
            let value: SQLFragment = "(\(a) \(raw: symbol) NULLIF(\(b), 0))"
            return result.kind == .double ? numberOnly(value) : value
        }
        func bits(_ symbol: String) throws -> SQLFragment {
            "(\(try integer(left, types.0.kind)) \(raw: symbol) \(try integer(right, types.1.kind)))"
        }
        switch function {
        case .add: return try operation("+")
        case .subtract: return try operation("-")
        case .multiply: return try operation("*")
        // The database chooses the number of digits of a decimal quotient.
        case .divide where result.kind != .decimal: return try division("/")
        case .modulus where result.kind == .int64: return try division("%")
        case .bitwiseAnd: return try bits("&")
        case .bitwiseOr: return try bits("|")
        case .bitwiseXor: return try bits("#")
        default: throw refusal("the function \(function.rawValue) of \(ConditionType(result.kind).name)")
        }
    }

    package func number(from value: SQLFragment, _ type: ValueType) throws -> SQLFragment {
        switch type.kind {
        // A 64-bit integer would be rounded.
        case .int16, .int32, .boolean, .double, .float: try real(value, type.kind)
        default: throw refusal("CAST of \(ConditionType(type.kind).name) to a number")
        }
    }

    package func date(from value: SQLFragment, _ type: ValueType) throws -> SQLFragment {
        guard type.kind == .date else { throw refusal("CAST of \(ConditionType(type.kind).name) to a date") }
        return value
    }

    /// Returns a date as seconds since the reference date, to the bit as ``MicrosecondDate`` computes them.
    package func seconds(of date: SQLFragment, _ type: ValueType) -> SQLFragment {
        if type.isInSeconds { return date }
        // From 2000, exact.
        let seconds: SQLFragment = "(extract(epoch FROM \(date)) - 946684800)"
        return "(CAST(trunc(\(seconds)) - 31622400 AS double precision) "
            + "+ CAST((\(seconds) - trunc(\(seconds))) * 1000000 AS double precision) / 1000000)"
    }

    // MARK: Assignments

    package func assigned(_ value: SQLFragment, _ type: ValueType, to column: ValueType) throws -> SQLFragment {
        if type.kind == .date, column.kind == .date, type.isInSeconds != column.isInSeconds {
            guard column.isInSeconds else {
                throw refusal("a date of the type double precision for an attribute that rounds dates")
            }
            return seconds(of: value, type)
        }
        guard let kind = type.kind, let wanted = column.kind, kind != wanted else { return value }
        switch (wanted, kind) {
        case (.int16, .int16), (.int16, .int32), (.int16, .int64), (.int32, .int16), (.int32, .int64),
            (.int64, .int16), (.int64, .int32), (.uri, .string), (.string, .uri):
            return value
        case (.int16, .boolean), (.int32, .boolean), (.int64, .boolean): return number(value, .boolean)
        // The database would round instead of truncating.
        case (.int16, _), (.int32, _), (.int64, _):
            guard kind == .decimal || kind == .double || kind == .float else { break }
            return "trunc(\(value))"
        case (.double, _), (.float, _): return try real(value, kind)
        case (.decimal, _): return try decimal(value, kind)
        default: break
        }
        throw refusal("\(ConditionType(kind).name) for an attribute with \(ConditionType(wanted).name)")
    }

    // MARK: Operands

    /// Returns a computed floating-point number, nil for NaN as in memory.
    private func numberOnly(_ value: SQLFragment) -> SQLFragment { "NULLIF(\(value), 'NaN')" }

    /// Returns text in upper or lower case; in memory, other values are errors.
    private func cased(_ value: SQLFragment, _ type: ValueType, _ function: CaseFunction) throws -> SQLFragment {
        guard type.kind == .string else {
            throw refusal("\(function.predicateFunction.rawValue) of \(ConditionType(type.kind).name)")
        }
        return "\(raw: function.name)(\(value))"
    }

    /// Returns the SQL of a number, converting a boolean to 0 or 1.
    func number(_ value: SQLFragment, _ kind: CellKind?) -> SQLFragment {
        kind == .boolean ? "CAST(\(value) AS integer)" : value
    }

    /// Returns an operand of a computation, converted to the type of its result.
    private func term(_ value: SQLFragment, _ type: ValueType, _ result: ValueType) throws -> SQLFragment {
        switch result.kind {
        case .int64: return try integer(value, type.kind)
        case .double: return try real(value, type.kind)
        case .decimal:
            guard type.kind != .double, type.kind != .float else {
                throw refusal("a computation with decimals and floating-point numbers")
            }
            return try decimal(value, type.kind)
        default: throw refusal("a computation with \(ConditionType(type.kind).name)")
        }
    }

    private func integer(_ value: SQLFragment, _ kind: CellKind?) throws -> SQLFragment {
        switch kind {
        case .int64: value
        case .int16, .int32, .boolean: "CAST(\(number(value, kind)) AS bigint)"
        default: throw refusal("an operation on bits or whole numbers with \(ConditionType(kind).name)")
        }
    }

    private func real(_ value: SQLFragment, _ kind: CellKind?) throws -> SQLFragment {
        switch kind {
        case .double: value
        case .float, .int16, .int32, .int64, .boolean, .decimal: "CAST(\(number(value, kind)) AS double precision)"
        default: throw refusal("a computation with \(ConditionType(kind).name)")
        }
    }

    private func decimal(_ value: SQLFragment, _ kind: CellKind?) throws -> SQLFragment {
        switch kind {
        case .decimal: value
        case .int16, .int32, .int64, .boolean: "CAST(\(number(value, kind)) AS numeric)"
        default: throw refusal("a computation with \(ConditionType(kind).name)")
        }
    }

    /// Returns a number in the widest type of its family.
    private func wide(_ value: SQLFragment, _ kind: CellKind?) throws -> SQLFragment {
        switch kind {
        case .decimal: value
        case .double, .float: try real(value, kind)
        default: try integer(value, kind)
        }
    }

    // MARK: Aggregates

    package func sum(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment {
        let sum: SQLFragment = "SUM(\(try wide(value, type.kind)))"
        switch type.kind {
        case .double, .float, .decimal: return sum
        // The database's sum of integers is a decimal.
        default: return "CAST(\(sum) AS bigint)"
        }
    }

    package func total(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment { orZero(try sum(value, type)) }

    package func average(_ value: SQLFragment, _ type: ValueType) throws -> SQLFragment {
        switch type.kind {
        case .double, .float: "AVG(\(try real(value, type.kind)))"
        default: try mean(sum: sum(value, type), count: "COUNT(\(value))", type)
        }
    }

    package func partsOfMean(_ value: SQLFragment, _ type: ValueType) -> SQLFragment? {
        type.kind == .decimal ? "ARRAY[SUM(\(value)), COUNT(\(value))]" : nil
    }

    package func comparableMean(_ parts: SQLFragment) -> SQLFragment {
        // The quotient has as many digits of the fraction as the dividend.
        "(round((\(parts))[1], 60) / NULLIF((\(parts))[2], 0))"
    }

    package func mean(sum: SQLFragment, count: SQLFragment, _ type: ValueType) throws -> SQLFragment {
        if type.kind == .decimal { throw refusal("the mean of decimals") }
        return "(CAST(\(sum) AS double precision) / NULLIF(\(count), 0))"
    }

    package func extreme(_ name: String, _ value: SQLFragment, _ type: ValueType) throws -> SQLFragment {
        switch type.kind {
        case .boolean: "CAST(\(raw: name)(\(number(value, .boolean))) AS boolean)"
        case .string, .uri: type.isStored ? "\(raw: name)(\(value))" : "\(raw: name)(\(value) COLLATE \"C\")"
        case .uuid, .data, .transformable, .boxed:
            throw refusal("the \(name == "MIN" ? "smallest" : "greatest") of values that have no order there")
        default: "\(raw: name)(\(value))"
        }
    }

    package func orZero(_ value: SQLFragment) -> SQLFragment { "COALESCE(\(value), 0)" }

    package func comparableDecimal(_ total: SQLFragment) -> SQLFragment { total }
}

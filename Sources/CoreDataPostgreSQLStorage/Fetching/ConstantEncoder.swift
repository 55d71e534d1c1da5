#if PostgreSQL
import CoreDataRowStorage
import CoreDataRuntimeSupport
import CoreDataSQLQueries
import Foundation
import PredicateFormat

/// Adds the constants of a request to its parameters, in the types that the statement declares.
struct ConstantEncoder {
    let engine: PostgreSQLEngine
    private let dialect = PostgreSQLDialect()

    init(_ engine: PostgreSQLEngine) { self.engine = engine }

    /// Returns the parameters of a statement.
    func parameters(_ bindings: [ParameterBinding], _ constants: [Any?]) throws -> ParameterList {
        var list = ParameterList()
        for binding in bindings {
            let constant = binding.slot >= 0 && binding.slot < constants.count ? constants[binding.slot] : nil
            try add(constant, binding, to: &list)
        }
        return list
    }

    private func add(_ constant: Any?, _ binding: ParameterBinding, to list: inout ParameterList) throws {
        switch binding.form {
        // Most constants: whole numbers beside integers, which are all passed in the greatest type.
        case .value(.int16?, nil), .value(.int32?, nil), .value(.int64?, nil):
            if case .number(.int(let number)) = PredicateValue(constant) { return list.add(number) }
        default: break
        }
        let numbered = NumberedConstant(slot: binding.slot, kind: ConstantKind(constant), value: constant)
        let type = try ParameterType(dialect.parameterType(binding.form, of: numbered))
        try add(constant, binding.form, type, to: &list)
    }

    private func add(
        _ constant: Any?, _ form: ParameterBinding.Form, _ type: ParameterType, to list: inout ParameterList
    ) throws {
        switch form {
        case .value(let kind, let coder):
            if let coder, let value = constant, !(value is Data) {
                guard let data = coder.bytes(for: value) else {
                    throw UnsupportedQuery.expression("\(value)", kind: "constant")
                }
                return list.add(data)
            }
            try add(try Self.value(constant, kind), as: type, to: &list)
        case .ordered(let kind): try add(try Self.value(constant, kind, isOrdering: true), as: type, to: &list)
        case .external: try add(constant, as: type, to: &list)
        case .element(let position, let kind):
            guard let collection = constant as? any PredicateCollection, collection.predicateCount == 2 else {
                throw UnsupportedQuery.make(
                    "Invalid predicate: BETWEEN needs two bounds",
                    advice: "Write BETWEEN {a, b}, or pass an array with two elements.")
            }
            let bound = try Self.value(collection.predicateElements[position], kind, isOrdering: true)
            try add(Self.inward(bound, type, isLower: position == 0), as: type, to: &list)
        case .values(let kind): try addArray(elements(constant).map { try Self.value($0, kind) }, type, to: &list)
        case .foldedValues(let options):
            let texts = try elements(constant).compactMap { try ConditionType.text.constant($0) as? String }
            let folded = texts.map { String(decoding: StringFolding.fold($0, options), as: UTF8.self) }
            try addArray(folded, type, to: &list)
        case .key(let root): list.add(key(of: constant, root: root) ?? Self.noKey)
        case .keys(let root): list.add(elements(constant).map { key(of: $0, root: root) ?? Self.noKey })
        case .keyInOrder(let root):
            if let key = key(of: constant, root: root) { list.add(key) } else { list.addNull() }
        case .row: list.add(reference(of: constant))
        case .rows: list.add(elements(constant).map { reference(of: $0) })
        case .entity: list.add(entityName(constant))
        case .entities: list.add(elements(constant).map { entityName($0) })
        case .prefixEnd:
            throw UnsupportedQuery.expression("the end of a prefix", kind: "parameter")
        case .matcher(let comparison, let options): try addPattern(constant, comparison, options, type, to: &list)
        case .characterPattern(let options):
            let pattern = try constant.map { try ConditionType.needle($0, .like) } ?? ""
            list.add(PostgreSQLPattern.characters(in: pattern, options))
        case .now: try add(Date(), as: type, to: &list)
        // The type of the parameter decides.
        case .seconds(let form): try add(constant, form, type, to: &list)
        case .member(let path, let form):
            let value = CompositeValue.element(at: path, of: try Self.composite(constant))
            guard let value = value.flatMap(OptionalContents.unwrapped), !(value is NSNull) else {
                return list.addNull()
            }
            try add(value, form, type, to: &list)
        case .isComposite(let paths):
            let whole = try Self.composite(constant)
            let hasValue = paths.contains { path in
                CompositeValue.element(at: path, of: whole).map { !($0 is NSNull) } ?? false
            }
            list.add(hasValue && CompositeValue.strayPath(in: whole, elements: paths) == nil)
        }
    }

    // MARK: Values

    /// Converts a constant to the form of the value that it is compared with.
    private static func value(_ constant: Any?, _ kind: CellKind?, isOrdering: Bool = false) throws -> Any? {
        guard let kind else { return constant }
        return try ConditionType(kind).constant(constant as Any, isOrdering: isOrdering)
    }

    private static func composite(_ constant: Any?) throws -> [String: Any] {
        guard let constant = constant.flatMap(OptionalContents.unwrapped), let whole = constant as? [String: Any] else {
            throw ConditionError.make(
                "a composite attribute cannot be compared with the constant \(constant.map { "\($0)" } ?? "nil")",
                advice: "Compare it with a dictionary of its elements, or compare the elements.")
        }
        return whole
    }

    private func elements(_ constant: Any?) -> [Any] { (constant as? any PredicateCollection)?.predicateElements ?? [] }

    /// Returns a bound of BETWEEN on integers, rounded into the range.
    private static func inward(_ bound: Any?, _ type: ParameterType, isLower: Bool) -> Any? {
        guard [.int2, .int4, .int8].contains(type.type), case .number(let number) = PredicateValue(bound),
            !number.isInteger
        else { return bound }
        guard let whole = number.integer else {
            // Beyond all integers, in the direction that excludes none.
            let double = number.double
            if isLower, double < 0 { return Int64.min }
            if !isLower, double > 0 { return Int64.max }
            return bound
        }
        let fraction: Double =
            switch number {
            case .double(let value): value - Double(whole)
            case .decimal(let value): (value - Decimal(whole)).isSignMinus ? -1 : value == Decimal(whole) ? 0 : 1
            default: 0
            }
        return isLower && fraction > 0 ? whole + 1 : !isLower && fraction < 0 ? whole - 1 : whole
    }

    private func add(_ value: Any?, as type: ParameterType, to list: inout ParameterList) throws {
        guard let value = value.flatMap(OptionalContents.unwrapped), !(value is NSNull) else { return list.addNull() }
        try list.add { try ScalarEncoder.write(value, as: type.type, to: &$0) }
    }

    /// Adds a list as an array. Values of other types than the array's equal none of its values, and are left out, as is NULL.
    private func addArray(_ values: [Any?], _ type: ParameterType, to list: inout ParameterList) throws {
        let present = values.compactMap { $0.flatMap(OptionalContents.unwrapped) }.filter {
            !($0 is NSNull) && ScalarEncoder.fits($0, type.type)
        }
        try list.add { writer in
            writer.beginArray(of: type.type, count: present.count)
            for value in present { try writer.element { try ScalarEncoder.write(value, as: type.type, to: &$0) } }
        }
    }

    private func addPattern(
        _ constant: Any?, _ comparison: ComparisonOperator, _ options: StringComparisonOptions,
        _ type: ParameterType, to list: inout ParameterList
    ) throws {
        let needle = try constant.map { try ConditionType.needle($0, comparison) } ?? ""
        let text =
            switch comparison {
            case .like: PostgreSQLPattern.like(needle, options)
            case .matches: try PostgreSQLPattern.regularExpression(needle)
            default: String(decoding: StringFolding.fold(needle, options), as: UTF8.self)
            }
        try add(text, as: type, to: &list)
    }

    // MARK: Objects

    /// A key that no row has.
    private static let noKey: Int64 = -1

    private func key(of constant: Any?, root: Int) -> Int64? {
        guard let row = (constant as? any RowIdentified)?.rowIdentity,
            row.layout.root.name == engine.layouts.byNumber[root]?.name, engine.holds(row)
        else { return nil }
        return row.key
    }

    private func reference(of constant: Any?) -> Int64 {
        guard let row = (constant as? any RowIdentified)?.rowIdentity, engine.holds(row),
            let number = engine.layouts.byName[row.layout.name]?.number
        else { return Self.noKey }
        return RowReference(entityNumber: number, key: row.key).bits
    }

    private func entityName(_ constant: Any?) -> String {
        (constant as? any EntityNamed)?.entityName ?? constant as? String ?? ""
    }
}
#endif

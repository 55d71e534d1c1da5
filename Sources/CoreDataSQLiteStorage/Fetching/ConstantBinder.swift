import CoreDataSQLQueries
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataRuntimeSupport
import Foundation
import PredicateFormat

/// Binds the constants of a request to its statement.
struct ConstantBinder {
    let engine: SQLiteEngine

    @inline(__always)
    func bind(
        _ bindings: [ParameterBinding], _ constants: FetchConstants, to statement: SQLiteStatement
    ) throws {
        try constants.withUnsafeBufferPointer { constants in
            for index in bindings.indices {
                let slot = bindings[index].slot
                if bindings[index].takesNumber, let base = constants.baseAddress, slot < constants.count,
                    try bindNumber(ExistentialContents(base + slot), statement, Int32(index + 1))
                {
                    continue
                }
                try bind(
                    slot >= 0 ? constants[slot] : nil, bindings[index].form, to: statement, at: Int32(index + 1))
            }
        }
    }

    /// Binds a constant of the most frequent types; returns false for all others.
    @inline(__always)
    private func bindNumber(_ constant: ExistentialContents, _ statement: SQLiteStatement, _ index: Int32) throws
        -> Bool
    {
        guard let type = constant.type else { return false }
        if type == Int64.self {
            try statement.bind(constant.load(as: Int64.self), at: index)
        } else if type == Int.self {
            try statement.bind(constant.load(as: Int.self), at: index)
        } else if type == Double.self {
            try statement.bind(constant.load(as: Double.self), at: index)
        } else if type == Bool.self {
            try statement.bind(constant.load(as: Bool.self) ? 1 : 0, at: index)
        } else if type == Date.self {
            try statement.bind(constant.load(as: Date.self).timeIntervalSinceReferenceDate, at: index)
        } else {
            return false
        }
        return true
    }

    private func bind(
        _ constant: Any?, _ form: ParameterBinding.Form, to statement: SQLiteStatement, at index: Int32
    ) throws {
        switch form {
        case .value(let kind, let coder):
            if let coder, let value = constant, !(value is Data) {
                guard let data = coder.bytes(for: value) else {
                    throw UnsupportedQuery.expression("\(value)", kind: "constant")
                }
                try statement.bind(data, at: index)
                return
            }
            try statement.bind(Self.value(constant, kind), at: index)
        case .ordered(let kind):
            try statement.bind(Self.value(constant, kind, isOrdering: true), at: index)
        case .external:
            guard let data = constant as? Data else {
                throw UnsupportedQuery.expression("\(constant ?? "nil")", kind: "constant")
            }
            try statement.bind(ExternalFiles.inlineCell(data), at: index)
        case .element(let position, let kind):
            guard let collection = constant as? any PredicateCollection, collection.predicateCount == 2 else {
                throw UnsupportedQuery.make(
                    "Invalid predicate: BETWEEN needs two bounds",
                    advice: "BETWEEN takes two bounds: x BETWEEN {1, 10}.")
            }
            try statement.bind(
                Self.value(collection.predicateElements[position], kind, isOrdering: true), at: index)
        case .values(let kind):
            try statement.bind(Self.array(elements(constant).map { try Self.value($0, kind) }), at: index)
        case .foldedValues(let options):
            let values = try elements(constant).compactMap { try ConditionType.text.constant($0) as? String }.map {
                SQLValue.text(ContiguousArray(StringFolding.fold($0, options)))
            }
            try statement.bind(try Self.array(values), at: index)
        case .key(let root): try statement.bind(key(of: constant, root: root) ?? Self.noKey, at: index)
        case .keys(let root):
            let keys = ContiguousArray(elements(constant).map { key(of: $0, root: root) ?? Self.noKey })
            try statement.bind(KeyArray(keys: keys), at: index)
        case .keyInOrder(let root):
            if let key = key(of: constant, root: root) {
                try statement.bind(key, at: index)
            } else {
                try statement.bindNull(at: index)
            }
        case .row: try statement.bind(reference(of: constant), at: index)
        case .rows:
            try statement.bind(KeyArray(keys: ContiguousArray(elements(constant).map { reference(of: $0) })), at: index)
        case .entity: try statement.bind(entityNumber(constant), at: index)
        case .entities:
            try statement.bind(KeyArray(keys: ContiguousArray(elements(constant).map { entityNumber($0) })), at: index)
        case .seconds: throw UnsupportedQuery.expression("a date in seconds", kind: "parameter")
        case .prefixEnd:
            var bytes = ContiguousArray((SQLValue.text(of: constant) ?? "").utf8)
            // UTF-8 never uses the byte 255, so incrementing the last byte cannot overflow.
            if !bytes.isEmpty { bytes[bytes.count - 1] += 1 }
            try bytes.withUnsafeBytes { try statement.bindText(copying: $0, at: index) }
        case .characterPattern: throw UnsupportedQuery.expression("a pattern of another database", kind: "parameter")
        case .matcher(let comparison, let options): try bindMatcher(constant, comparison, options, statement, index)
        case .now: try statement.bind(Date().timeIntervalSinceReferenceDate, at: index)
        case .member(let path, let form):
            let value = CompositeValue.element(at: path, of: try Self.composite(constant))
            guard let value = value.flatMap(OptionalContents.unwrapped), !(value is NSNull) else {
                return try statement.bindNull(at: index)
            }
            try bind(value, form, to: statement, at: index)
        case .isComposite(let paths):
            let whole = try Self.composite(constant)
            let hasValue = paths.contains { path in
                CompositeValue.element(at: path, of: whole).map { !($0 is NSNull) } ?? false
            }
            let isComposite = hasValue && CompositeValue.strayPath(in: whole, elements: paths) == nil
            try statement.bind(isComposite ? 1 : 0, at: index)
        }
    }

    private static func composite(_ constant: Any?) throws -> [String: Any] {
        guard let constant = constant.flatMap(OptionalContents.unwrapped), let whole = constant as? [String: Any] else {
            throw ConditionError.make(
                "a composite attribute cannot be compared with the constant \(constant.map { "\($0)" } ?? "nil")",
                advice: "Compare it with a dictionary of its elements, or compare the elements.")
        }
        return whole
    }

    /// Converts a constant to the form of the value it is compared with.
    private static func value(_ constant: Any?, _ kind: CellKind?, isOrdering: Bool = false) throws -> SQLValue {
        guard let constant, let kind else { return try SQLValue(constant, kind) }
        // Most lists and texts need no conversion rules.
        let type = Swift.type(of: constant)
        if type == String.self, kind == .string { return try SQLValue(constant, kind) }
        if type == Int.self, kind.family == .integer || kind.family == .real { return try SQLValue(constant, kind) }
        return try SQLValue(ConditionType(kind).constant(constant, isOrdering: isOrdering), kind)
    }

    private func bindMatcher(
        _ constant: Any?, _ comparison: ComparisonOperator, _ options: StringComparisonOptions,
        _ statement: SQLiteStatement, _ index: Int32
    ) throws {
        let needle = try constant.map { try ConditionType.needle($0, comparison) } ?? ""
        do {
            // The matcher is bound for one run of the statement, and so is its budget.
            let budget = comparison == .matches ? MatchingBudget() : nil
            let matcher = try StringMatcher(comparison, needle: needle, options: options, budget: budget)
            try statement.bind(PreparedMatcher(matcher), at: index)
        } catch {
            throw UnsupportedQuery.make("Can't do regex matching, reason: \(error)")
        }
    }

    private func elements(_ constant: Any?) -> [Any] { (constant as? any PredicateCollection)?.predicateElements ?? [] }

    // MARK: Objects

    /// A key that no row has.
    private static let noKey: Int64 = -1

    /// Returns the key of an object that is saved in this store and belongs to the given hierarchy; nil for other constants.
    private func key(of constant: Any?, root: Int) -> Int64? {
        guard let row = (constant as? any RowIdentified)?.rowIdentity,
            row.layout.root.name == engine.layouts.byNumber[root]?.name, engine.holds(row)
        else { return nil }
        return row.key
    }

    /// Returns the entity number in the file and the key of an object saved in this store, packed into one integer.
    private func reference(of constant: Any?) -> Int64 {
        guard let row = (constant as? any RowIdentified)?.rowIdentity, engine.holds(row),
            let number = engine.layouts.byName[row.layout.name]?.number
        else { return Self.noKey }
        return RowReference(entityNumber: engine.numbering.inFile[number], key: row.key).bits
    }

    private func entityNumber(_ constant: Any?) -> Int64 {
        let name = (constant as? any EntityNamed)?.entityName ?? constant as? String
        guard let name, let layout = engine.layouts.byName[name] else { return -1 }
        return Int64(engine.numbering.inFile[layout.number])
    }

    /// Creates the array for a list. NULLs are left out, because `IN` never matches them.
    private static func array(_ values: [SQLValue]) throws -> KeyArray {
        var integers: ContiguousArray<Int64> = []
        integers.reserveCapacity(values.count)
        for value in values {
            guard case .integer(let integer) = value else { return KeyArray(.mixed(mixed(values))) }
            integers.append(integer)
        }
        return KeyArray(keys: integers)
    }

    private static func mixed(_ values: [SQLValue]) -> ContiguousArray<KeyArray.Value> {
        ContiguousArray(
            values.compactMap { value -> KeyArray.Value? in
                switch value {
                case .null: nil
                case .integer(let value): .integer(value)
                case .real(let value): .real(value)
                case .text(let bytes): .text(bytes)
                case .string(let text): .text(ContiguousArray(text.utf8))
                case .blob(let bytes): .blob(ContiguousArray(bytes))
                }
            })
    }
}

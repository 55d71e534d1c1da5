import CoreData

/// The tree behind a ``MagicalRecord/Condition``, independent of the entity it is about.
///
/// It may cross threads: values are never changed, and managed objects stand in it by their IDs (see
/// `ConditionNode+Values.swift`).
indirect enum ConditionNode: @unchecked Sendable {
    case always(Bool)
    case comparison(Operand, String, Operand)
    case quantified(Quantifier, path: KeyPathName.Outcome, ConditionNode)
    case all([ConditionNode])
    case any([ConditionNode])
    case not(ConditionNode)
    /// A predicate made elsewhere, or the error met in making it. What a format compares is checked by the entity.
    case predicate(Result<NSPredicate, any Error>, isFormat: Bool = false)

    enum Quantifier {
        case any, all, none
    }

    /// One side of a comparison.
    indirect enum Operand: @unchecked Sendable {
        case path(KeyPathName.Outcome)
        /// A column computed by a grouped fetch, by its name.
        case variable(String)
        case constant(Any?)
        case list([Any])
        /// A predefined function over operands, `length:` for example.
        case function(String, [Operand])
        /// A path followed by a collection operator: `orders.@sum.amount`.
        case aggregate(path: KeyPathName.Outcome, operation: String, of: KeyPathName.Outcome?)
        /// The number of related objects that fulfil a condition.
        case count(path: KeyPathName.Outcome, where: ConditionNode)
    }

    /// Returns the predicate for a request about an entity.
    func predicate(for entity: NSEntityDescription) throws -> NSPredicate {
        // What is asked most holds no format, and is in explicit terms already.
        if case .comparison(.path, "==", .constant(.some)) = self { return try predicate() }
        try checkFormats(for: entity)
        return try explicit.predicate()
    }

    /// Returns the predicate.
    ///
    /// - Throws: for key paths without a name, and for predicates within conditions on related objects.
    func predicate() throws -> NSPredicate {
        switch self {
        case .predicate(let result, _): return try result.get()
        case .always(let value): return NSPredicate(value: value)
        // What the writer would write, for what is asked most.
        case .comparison(.path(.success(let name)), "==", .constant(let value?)) where !name.isEmpty:
            return NSPredicate(format: "%K == %@", argumentArray: [name, value])
        case .all(let parts) where parts.contains(where: \.containsPredicate):
            return NSCompoundPredicate(andPredicateWithSubpredicates: try parts.map { try $0.predicate() })
        case .any(let parts) where parts.contains(where: \.containsPredicate):
            return NSCompoundPredicate(orPredicateWithSubpredicates: try parts.map { try $0.predicate() })
        case .not(let part) where part.containsPredicate:
            return NSCompoundPredicate(notPredicateWithSubpredicate: try part.predicate())
        default:
            var writer = FormatWriter()
            try writer.write(self)
            return NSPredicate(format: writer.format, argumentArray: writer.arguments)
        }
    }

    /// Throws if a format in the condition compares a property with a value that the property can never have.
    func checkFormats(for entity: NSEntityDescription) throws {
        switch self {
        case .predicate(let result, isFormat: true): try FormatCheck(entity).check(try result.get())
        case .all(let parts), .any(let parts): for part in parts { try part.checkFormats(for: entity) }
        case .not(let part): try part.checkFormats(for: entity)
        // Inside of quantifiers no format may stand.
        case .predicate, .always, .comparison, .quantified: break
        }
    }

    /// Whether a ready-made predicate is somewhere inside.
    private var containsPredicate: Bool {
        switch self {
        case .predicate: return true
        case .all(let parts), .any(let parts): return parts.contains(where: \.containsPredicate)
        case .not(let part): return part.containsPredicate
        case .always, .comparison, .quantified: return false
        }
    }
}

/// Writes a condition as a predicate format with arguments.
///
/// Values only ever become arguments. Names are arguments too, except behind a subquery's variable, where the
/// language has no place for them; there they are written out, with `#` before each part so that reserved words are
/// safe.
private struct FormatWriter {
    var format = ""
    var arguments: [Any] = []
    private var variable: String?
    private var depth = 0

    mutating func write(_ node: ConditionNode) throws {
        switch node {
        case .always(let value):
            format += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let left, let operation, let right):
            try write(left)
            format += " \(operation) "
            try write(right)
        case .all(let parts): try write(parts, joinedBy: " AND ", empty: "TRUEPREDICATE")
        case .any(let parts): try write(parts, joinedBy: " OR ", empty: "FALSEPREDICATE")
        case .not(let part):
            format += "NOT ("
            try write(part)
            format += ")"
        case .quantified(let quantifier, let path, let inner):
            try writeQuantified(quantifier, path: path, inner)
        case .predicate:
            throw MagicalRecordError(
                .unsupportedCondition, "A ready-made predicate cannot stand inside a condition on related objects.",
                advice: "Write the inner condition with key paths, or the whole with SUBQUERY in a format string.")
        }
    }

    private mutating func write(_ parts: [ConditionNode], joinedBy separator: String, empty: String) throws {
        guard !parts.isEmpty else {
            format += empty
            return
        }
        for (index, part) in parts.enumerated() {
            if index > 0 { format += separator }
            if case .comparison = part {
                try write(part)
            } else {
                format += "("
                try write(part)
                format += ")"
            }
        }
    }

    /// Writes `ANY path.key == value` if the inner condition is one comparison with a value, else a subquery: `ANY` with
    /// nil means different things in SQL and in memory.
    private mutating func writeQuantified(
        _ quantifier: ConditionNode.Quantifier, path: KeyPathName.Outcome, _ inner: ConditionNode
    ) throws {
        if variable == nil, case .comparison(.path(let key), let operation, let value) = inner, value.isValue {
            let key = try key.get()
            if quantifier == .none { format += "NOT " }
            format += "ANY "
            try writePath(try path.get() + (key.isEmpty ? "" : "." + key))
            format += " \(operation) "
            try write(value)
            return
        }
        // "All" has become "none that does not" before.
        try write(ConditionNode.Operand.count(path: path, where: inner))
        format += quantifier == .any ? " > 0" : " == 0"
    }

    private mutating func write(_ operand: ConditionNode.Operand) throws {
        switch operand {
        case .path(let path): try writePath(try path.get())
        case .variable(let name): format += "$" + name
        case .constant(nil): format += "nil"
        case .constant(let value?): argument(value)
        case .list(let values): argument(values)
        case .function(let name, let operands):
            format += name + "("
            for (index, operand) in operands.enumerated() {
                if index > 0 { format += ", " }
                try write(operand)
            }
            format += ")"
        case .aggregate(let path, let operation, let key):
            let suffix = try key.map { "." + (try $0.get()) } ?? ""
            try writePath(try path.get() + ".@" + operation + suffix)
        case .count(let path, let condition):
            depth += 1
            let name = "$x\(depth)"
            format += "SUBQUERY("
            try writePath(try path.get())
            format += ", \(name), "
            let outer = variable
            variable = name
            try write(condition)
            variable = outer
            depth -= 1
            format += ").@count"
        }
    }

    private mutating func writePath(_ path: String) throws {
        guard let variable else {
            if path.isEmpty {
                format += "SELF"
            } else {
                format += "%K"
                arguments.append(path)
            }
            return
        }
        format += variable
        if !path.isEmpty {
            format += path.split(separator: ".").map { $0.hasPrefix("@") ? ".\($0)" : ".#\($0)" }.joined()
        }
    }

    private mutating func argument(_ value: Any) {
        format += "%@"
        arguments.append(value)
    }
}

extension ConditionNode.Operand {
    fileprivate var isValue: Bool {
        switch self {
        case .constant(let value): return value != nil
        case .list: return true
        default: return false
        }
    }
}

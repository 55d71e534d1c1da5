import CoreData

/// The tree behind a ``MagicalRecord/Condition``, independent of the entity it is about.
///
/// It may cross threads: values are never changed, and managed objects stand in it by their IDs, see `Operand.value(_:)`.
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

        /// Returns the path to a property of the objects that this path leads to.
        func following<Object: NSManagedObject, Value>(_ key: KeyPath<Object, Value>) -> Self {
            guard case .path(let path) = self else { return self }
            return .path(path.flatMap { path in KeyPathName.of(key).map { path.isEmpty ? $0 : path + "." + $0 } })
        }

        /// The names of the path, or an error for a computed value.
        var relationshipPath: KeyPathName.Outcome {
            if case .path(let path) = self { return path }
            return .failure(
                MagicalRecordError(
                    .unsupportedCondition, "A computed value is no relationship.",
                    advice: "Ask a relationship of the model for related objects."))
        }

        fileprivate var isValue: Bool {
            switch self {
            case .constant(.some), .list: true
            default: false
            }
        }
    }

    /// Returns the condition that this one and another hold, flat where this one is a conjunction.
    func and(_ other: ConditionNode) -> ConditionNode {
        if case .all(let parts) = self { .all(parts + [other]) } else { .all([self, other]) }
    }

    /// Returns the condition that this one or another holds, if there is another, flat where this one is a disjunction.
    func or(_ other: ConditionNode?) -> ConditionNode {
        guard let other else { return self }
        if case .any(let parts) = self { return .any(parts + [other]) }
        return .any([self, other])
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
            let format = try writer.text(self)
            return NSPredicate(format: format, argumentArray: writer.arguments)
        }
    }

    /// Throws if a format in the condition compares a property with a value that the property can never have.
    func checkFormats(for entity: NSEntityDescription) throws {
        switch self {
        case .predicate(let result, isFormat: true): try FormatCheck(entity: entity).check(try result.get())
        case .all(let parts), .any(let parts): for part in parts { try part.checkFormats(for: entity) }
        case .not(let part): try part.checkFormats(for: entity)
        // Inside of quantifiers no format may stand.
        case .predicate, .always, .comparison, .quantified: break
        }
    }

    /// Whether a ready-made predicate is somewhere inside.
    private var containsPredicate: Bool {
        switch self {
        case .predicate: true
        case .all(let parts), .any(let parts): parts.contains(where: \.containsPredicate)
        case .not(let part): part.containsPredicate
        case .always, .comparison, .quantified: false
        }
    }
}

/// Writes a condition as a predicate format with arguments.
///
/// Values only ever become arguments. Names are arguments too, except behind a subquery's variable, where the language has no
/// place for them; there they are written out, with `#` before each part so that reserved words are safe.
private struct FormatWriter {
    private(set) var arguments: [Any] = []
    /// The number of subqueries around what is written. Their variables are `$x1`, `$x2` and so on.
    private var depth = 0

    mutating func text(_ node: ConditionNode) throws -> String {
        switch node {
        case .always(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let left, let operation, let right):
            return try text(left) + " " + operation + " " + text(right)
        case .all(let parts): return parts.isEmpty ? "TRUEPREDICATE" : try text(parts, joinedBy: " AND ")
        case .any(let parts): return parts.isEmpty ? "FALSEPREDICATE" : try text(parts, joinedBy: " OR ")
        case .not(let part): return try "NOT (" + text(part) + ")"
        case .quantified(let quantifier, let path, let inner):
            // ANY if the inner condition is one comparison with a value: with nil it means different things in SQL and in memory.
            if depth == 0, case .comparison(.path(let key), let operation, let value) = inner, value.isValue {
                let key = try key.get()
                let path = text(path: try path.get() + (key.isEmpty ? "" : "." + key))
                return try (quantifier == .none ? "NOT ANY " : "ANY ") + path + " " + operation + " " + text(value)
            }
            // "All" has become "none that does not" before.
            let count = ConditionNode.Operand.count(path: path, where: inner)
            return try text(count) + (quantifier == .any ? " > 0" : " == 0")
        case .predicate:
            throw MagicalRecordError(
                .unsupportedCondition, "A ready-made predicate cannot stand inside a condition on related objects.",
                advice: "Write the inner condition with key paths, or the whole with SUBQUERY in a format string.")
        }
    }

    private mutating func text(_ parts: [ConditionNode], joinedBy separator: String) throws -> String {
        var joined = ""
        for part in parts {
            if !joined.isEmpty { joined += separator }
            if case .comparison = part { joined += try text(part) } else { joined += try "(" + text(part) + ")" }
        }
        return joined
    }

    private mutating func text(_ operand: ConditionNode.Operand) throws -> String {
        switch operand {
        case .path(let path): return text(path: try path.get())
        case .variable(let name): return "$" + name
        case .constant(nil): return "nil"
        case .constant(let value?): return text("%@", value)
        case .list(let values): return text("%@", values)
        case .function(let name, let operands):
            return try name + "(" + operands.map { try text($0) }.joined(separator: ", ") + ")"
        case .aggregate(let path, let operation, let key):
            return text(path: try path.get() + ".@" + operation + (key.map { try "." + $0.get() } ?? ""))
        case .count(let path, let condition):
            let path = text(path: try path.get())
            depth += 1
            defer { depth -= 1 }
            return try "SUBQUERY(\(path), $x\(depth), " + text(condition) + ").@count"
        }
    }

    private mutating func text(path: String) -> String {
        guard depth > 0 else { return path.isEmpty ? "SELF" : text("%K", path) }
        return "$x\(depth)" + path.split(separator: ".").map { $0.hasPrefix("@") ? ".\($0)" : ".#\($0)" }.joined()
    }

    private mutating func text(_ placeholder: String, _ argument: Any) -> String {
        arguments.append(argument)
        return placeholder
    }
}

import Foundation

// An extension of a protocol, because only there may an initializer choose the class of the new object.
extension NSCopying where Self: NSPredicate {
    /// Creates a predicate from a format string and its arguments.
    ///
    /// The language is Apple's, described in <doc:PredicateLanguage>. A format that cannot be parsed is a fatal error with the
    /// reason and the position; for strings from users call ``Foundation/NSPredicate/parse(_:arguments:)``, which throws.
    ///
    /// - Parameters:
    ///   - predicateFormat: the text, with `%@`, `%K`, `%d` … where arguments go.
    ///   - args: one argument for each specifier.
    public init(format predicateFormat: String, _ args: CVarArg...) {
        let storage =
            args.count == 1
            ? FormatTrap.predicate(predicateFormat, only: args[0])
            : FormatTrap.predicate(predicateFormat, args.map { $0 as Any? })
        self = PredicateObjects.make(storage, as: Self.self)
    }

    /// Creates a predicate from a format string and an array with one argument for each specifier.
    ///
    /// - Parameters:
    ///   - predicateFormat: the text, with `%@`, `%K`, `%d` … where arguments go.
    ///   - arguments: the arguments; surplus ones are ignored, missing ones are a fatal error.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = PredicateObjects.make(
            FormatTrap.predicate(predicateFormat, (arguments ?? []).map { $0 as Any? }), as: Self.self)
    }

    /// Creates a predicate from a format string and a C argument list.
    public init(format predicateFormat: String, arguments argList: CVaListPointer) {
        let arguments = VariadicArguments.decode(argList, for: predicateFormat)
        self = PredicateObjects.make(FormatTrap.predicate(predicateFormat, arguments), as: Self.self)
    }

    /// Creates a predicate object from a tree.
    ///
    /// Comparisons become `NSComparisonPredicate`, AND, OR and NOT become `NSCompoundPredicate`.
    public init(node: PredicateNode) {
        self = PredicateObjects.make(node, as: Self.self)
    }
}

extension NSPredicate {
    /// The predicate as a value tree.
    ///
    /// Predicates made from blocks, and those of classes unknown to this module, are `opaque`. The tree of a compound predicate
    /// created by Foundation's initializers is built on every access.
    public var node: PredicateNode {
        PredicateObjects.node(of: self)
    }

    /// The template and arguments of a predicate that was created from a cached format; nil for other predicates.
    package var filledTemplate: FilledTemplate? {
        guard let storage = PredicateObjects.storage(of: self), storage.template != nil else { return nil }
        return FilledTemplate(storage)
    }

    /// Creates a predicate from a format string, throwing where `init(format:)` raises a fatal error.
    ///
    /// - Parameters:
    ///   - format: the text, with `%@`, `%K`, `%d` … where arguments go. Any string may be passed: nesting and length
    ///     are limited.
    ///   - arguments: one argument for each specifier.
    /// - Throws: ``PredicateFormatError`` with the reason and the position.
    public static func parse(_ format: String, arguments: [Any?] = []) throws -> NSPredicate {
        PredicateObjects.make(try arguments.withUnsafeBufferPointer { try FormatCache.storage(format, $0) })
    }

    /// Returns a copy in which variables are replaced by constants.
    ///
    /// - Parameter variables: values by variable name, without the dollar sign. Values may be expressions; `NSNull` stands for
    ///   nil. Variables without a value are kept.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let node = node.substituting { name in
            variables[name].map(ExpressionObjects.node(ofElement:))
        }
        guard let result = PredicateObjects.make(node) as? Self else {
            fatalError("Variables can only be substituted in predicates this module can read, not in \(Self.self)")
        }
        return result
    }

    /// Allows the evaluation of a predicate that was decoded by a secure coder. Has no effect on other predicates.
    public func allowEvaluation() {
        if let storage = PredicateObjects.storage(of: self) {
            storage.allowEvaluation()
        } else if let compound = self as? NSCompoundPredicate {
            compound.subpredicates.forEach { $0.allowEvaluation() }
        }
    }

    /// Evaluates the predicate, throwing where `evaluate(with:substitutionVariables:)` raises a fatal error. Use it for
    /// predicates from user-supplied format strings.
    ///
    /// - Throws: ``PredicateEvaluationError``, or the error of a key-value coding object.
    public func evaluateThrowing(with object: Any?, substitutionVariables bindings: [String: Any]? = nil) throws -> Bool
    {
        guard let storage = PredicateObjects.storage(of: self) else {
            return try PredicateProgram(node).evaluate(with: object, bindings: bindings)
        }
        return try storage.evaluateThrowing(with: object, bindings: bindings)
    }
}

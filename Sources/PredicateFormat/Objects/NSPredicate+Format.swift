import Foundation

// Written as an extension of a protocol because only there an initialiser may choose the class of the new object.
extension NSCopying where Self: NSPredicate {
    /// Creates a predicate from a format string and its arguments.
    ///
    /// The language is Apple's, described in <doc:PredicateLanguage>. A format that cannot be parsed is a programming
    /// error and stops the process with the reason and the position; for strings that come from users call
    /// ``Foundation/NSPredicate/parse(_:arguments:)``, which throws.
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
    ///   - arguments: the arguments; surplus ones are ignored, missing ones stop the process.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = PredicateObjects.make(
            FormatTrap.predicate(predicateFormat, (arguments ?? []).map { $0 as Any? }), as: Self.self)
    }

    /// Creates a predicate from a format string and a C argument list.
    public init(format predicateFormat: String, arguments argList: CVaListPointer) {
        let arguments = VariadicArguments.decode(argList, for: predicateFormat)
        self = PredicateObjects.make(FormatTrap.predicate(predicateFormat, arguments), as: Self.self)
    }

    /// Creates the predicate object of a tree.
    ///
    /// Comparisons become `NSComparisonPredicate`, AND, OR and NOT become `NSCompoundPredicate`.
    public init(node: PredicateNode) {
        self = PredicateObjects.make(node, as: Self.self)
    }
}

extension NSPredicate {
    /// The predicate as a value tree.
    ///
    /// Predicates made from blocks, and those of classes this module does not know, are `opaque`. The tree of a compound
    /// predicate made by Foundation's initialisers is built at every call.
    public var node: PredicateNode {
        PredicateObjects.node(of: self)
    }

    /// What the predicate was made of, if that was a format that is used over and over: its template and the arguments.
    package var filledTemplate: FilledTemplate? {
        guard let storage = PredicateObjects.storage(of: self), storage.template != nil else { return nil }
        return FilledTemplate(storage)
    }

    /// Creates a predicate from a format string, throwing where `init(format:)` stops the process.
    ///
    /// - Parameters:
    ///   - format: the text, with `%@`, `%K`, `%d` … where arguments go. Any string may be passed: nesting and length
    ///     are limited.
    ///   - arguments: one argument for each specifier.
    /// - Throws: ``PredicateFormatError`` with the reason and the position.
    public static func parse(_ format: String, arguments: [Any?] = []) throws -> NSPredicate {
        PredicateObjects.make(try arguments.withUnsafeBufferPointer { try FormatCache.storage(format, $0) })
    }

    /// A copy in which variables are replaced by constants.
    ///
    /// - Parameter variables: values by variable name, without the dollar. Values may be expressions; `NSNull` stands
    ///   for nil. Variables that are not named stay as they are.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let node = node.substituting { name in
            variables[name].map(ExpressionObjects.node(ofElement:))
        }
        guard let result = PredicateObjects.make(node) as? Self else {
            fatalError("Variables can only be substituted in predicates this module can read, not in \(Self.self)")
        }
        return result
    }

    /// Allows a predicate that was decoded by a secure coder to be evaluated. Others always may be.
    public func allowEvaluation() {
        if let storage = PredicateObjects.storage(of: self) {
            storage.allowEvaluation()
        } else if let compound = self as? NSCompoundPredicate {
            compound.subpredicates.forEach { $0.allowEvaluation() }
        }
    }

    /// Evaluates the predicate, throwing where `evaluate(with:substitutionVariables:)` stops the process: for
    /// predicates whose format comes from users.
    ///
    /// - Throws: ``PredicateEvaluationError``, or what a key-value coding object throws.
    public func evaluateThrowing(with object: Any?, substitutionVariables bindings: [String: Any]? = nil) throws -> Bool
    {
        guard let storage = PredicateObjects.storage(of: self) else {
            return try PredicateProgram(node).evaluate(with: object, bindings: bindings)
        }
        return try storage.evaluateThrowing(with: object, bindings: bindings)
    }
}

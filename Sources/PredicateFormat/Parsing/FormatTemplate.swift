import Foundation

/// A format string parsed once: what is left to do for each predicate is to put its arguments in.
///
/// Programs make the same few predicates over and over, with other values. A template is made with a mark in place of
/// each value, and serves when every mark ends up where any value may stand: as a side of a comparison, or in a list
/// there. Formats whose arguments decide on the tree (predicates or expressions for `%@`, casts, negations) are parsed
/// anew each time.
final class FormatTemplate: Sendable {
    private nonisolated(unsafe) let node: PredicateNode

    /// Stands in a template for an argument.
    private final class Mark {
        let index: Int
        init(_ index: Int) { self.index = index }
    }

    private init?(_ format: String, _ specifiers: [FormatSpecifier], _ arguments: [Any?]) {
        var marked = arguments
        var count = 0
        for index in specifiers.indices where specifiers[index] != .keyPath {
            marked[index] = Mark(index)
            count += 1
        }
        guard var parser = try? Parser(format, marked), let node = try? parser.parseWholePredicate(),
            Self.marks(in: node) == count
        else { return nil }
        self.node = node
    }

    /// The tree of a format with its arguments.
    ///
    /// - Throws: ``PredicateFormatError``.
    static func node(_ format: String, _ arguments: [Any?]) throws -> PredicateNode {
        if let template = find(format, arguments) { return filled(template.node, arguments) }
        var parser = try Parser(format, arguments)
        return try parser.parseWholePredicate()
    }

    // MARK: Marks

    /// How many marks stand where any value may; a large negative number if one stands elsewhere or the tree has parts
    /// that templates do not cover.
    private static func marks(in node: PredicateNode) -> Int {
        switch node {
        case .constant: 0
        case .comparison(let comparison): marks(in: comparison.left) + marks(in: comparison.right)
        case .and(let nodes), .or(let nodes): nodes.reduce(0) { $0 + marks(in: $1) }
        case .not(let node): marks(in: node)
        case .opaque: -1_000_000
        }
    }

    private static func marks(in expression: ExpressionNode) -> Int {
        switch expression {
        case .constant(let value): value is Mark ? 1 : 0
        case .evaluatedObject: 0
        case .keyPath(_, of: .evaluatedObject): 0
        case .aggregate(let elements): elements.reduce(0) { $0 + marks(in: $1) }
        default: -1_000_000
        }
    }

    private static func filled(_ node: PredicateNode, _ arguments: [Any?]) -> PredicateNode {
        switch node {
        case .comparison(var comparison):
            comparison.left = filled(comparison.left, arguments)
            comparison.right = filled(comparison.right, arguments)
            return .comparison(comparison)
        case .and(let nodes): return .and(nodes.map { filled($0, arguments) })
        case .or(let nodes): return .or(nodes.map { filled($0, arguments) })
        case .not(let node): return .not(filled(node, arguments))
        case .constant, .opaque: return node
        }
    }

    private static func filled(_ expression: ExpressionNode, _ arguments: [Any?]) -> ExpressionNode {
        switch expression {
        case .constant(let value):
            guard let value, Swift.type(of: value) == Mark.self else { return expression }
            return .constant(arguments[unsafeDowncast(value as AnyObject, to: Mark.self).index])
        case .aggregate(let elements): return .aggregate(elements.map { filled($0, arguments) })
        default: return expression
        }
    }

    // MARK: Known formats

    private struct Known {
        var specifiers: [FormatSpecifier]
        /// By the arguments of `%K`; nil for those that have no template.
        var templates: [String: FormatTemplate?] = [:]
    }

    private static let lock = NSLock()
    private nonisolated(unsafe) static var known: [String: Known] = [:]
    /// Formats put together from values would fill the memory.
    private static let limit = 500

    private static func find(_ format: String, _ arguments: [Any?]) -> FormatTemplate? {
        lock.lock()
        defer { lock.unlock() }
        if let known = known[format] {
            guard let names = names(known.specifiers, arguments) else { return nil }
            if let template = known.templates[names] { return template }
            return add(format, names, known, arguments)
        }
        // The first time nothing is known to be gained.
        if known.count >= limit { known.removeAll() }
        known[format] = Known(specifiers: FormatSpecifier.all(in: format))
        return nil
    }

    private static func add(
        _ format: String, _ names: String, _ current: Known, _ arguments: [Any?]
    ) -> FormatTemplate? {
        var current = current
        if current.templates.count >= limit { current.templates.removeAll() }
        let template = FormatTemplate(format, current.specifiers, arguments)
        current.templates[names] = .some(template)
        known[format] = current
        return template
    }

    /// The arguments of `%K`, one after the other; nil where the arguments must be looked at by the parser.
    private static func names(_ specifiers: [FormatSpecifier], _ arguments: [Any?]) -> String? {
        guard specifiers.count <= arguments.count else { return nil }
        var names = ""
        for index in specifiers.indices {
            guard let argument = arguments[index] else {
                if specifiers[index] == .object { continue }
                return nil
            }
            let type = Swift.type(of: argument)
            switch specifiers[index] {
            case .integer, .real:
                guard
                    type == Int64.self || type == Int.self || type == Double.self || type == Int32.self
                        || type == Bool.self
                else { return nil }
            case .object:
                if type == String.self || type == Int.self || type == Date.self { continue }
                if argument is NSPredicate || argument is NSExpression || argument is ExpressionNode
                    || argument is PredicateNode
                {
                    return nil
                }
            case .keyPath:
                guard type == String.self, let name = argument as? String else { return nil }
                names += name
                names += "\u{0}"
            case .cString, .pointer, .character: return nil
            }
        }
        return names
    }
}

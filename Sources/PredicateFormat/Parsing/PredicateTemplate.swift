import CoreDataRuntimeSupport
import Foundation

/// A parsed format string with placeholders for its arguments. Parsing a format costs some microseconds, filling in a template
/// some hundred nanoseconds.
///
/// Immutable and derived from the text alone, so several threads may use it.
package final class PredicateTemplate: @unchecked Sendable {
    /// The tree, with an ``ArgumentPlace`` for each constant that comes from an argument.
    package let node: PredicateNode
    let form: PredicateForm
    /// The specifiers; those of key paths are part of the template.
    private let specifiers: [FormatSpecifier]
    /// The storage of a format without arguments; all its predicates share it, including the compiled form.
    private let whole: PredicateStorage?

    /// Parses `format` for the key paths among `arguments`, independently of the other arguments.
    ///
    /// - Returns: nil if the tree depends on the values of the other arguments.
    init?(_ format: String, _ specifiers: [FormatSpecifier], _ arguments: UnsafeBufferPointer<Any?>) {
        guard arguments.count >= specifiers.count else { return nil }
        var places: [Any?] = []
        for (index, specifier) in specifiers.enumerated() {
            switch specifier {
            case .keyPath:
                guard arguments[index] is String else { return nil }
                places.append(arguments[index])
            case .object, .integer, .real, .character: places.append(ArgumentPlace(index: index))
            case .cString, .pointer: return nil
            }
        }
        guard let node = try? PredicateNode(format: format, arguments: places) else { return nil }
        self.node = node
        form = PredicateForm(node)
        self.specifiers = specifiers
        var found = 0
        _ = node.filling { _ in
            found += 1
            return nil
        }
        guard found == specifiers.count(where: { $0 != .keyPath }) else { return nil }
        whole = found == 0 ? PredicateStorage(node) : nil
    }

    /// Returns the storage of a predicate with these arguments; nil if an argument is missing or cannot be a plain constant, so
    /// that the format must be parsed with it.
    func fill(_ arguments: UnsafeBufferPointer<Any?>) -> PredicateStorage? {
        if let whole { return whole }
        guard arguments.count >= specifiers.count else { return nil }
        for index in specifiers.indices {
            guard let base = arguments.baseAddress, !Self.isSimple(base + index), !specifiers[index].isKeyPath
            else { continue }
            if !Self.isConstant(base[index], specifiers[index]) { return nil }
        }
        return PredicateStorage(self, arguments)
    }

    /// Returns the tree with arguments that ``fill(_:)`` has accepted in place of the placeholders.
    func filled(_ arguments: UnsafeBufferPointer<Any?>) -> PredicateNode { node.filling { arguments[$0] } ?? node }

    /// Returns whether an argument is of one of the common types that every specifier accepts. Does not copy the argument.
    @inline(__always)
    private static func isSimple(_ argument: UnsafePointer<Any?>) -> Bool {
        guard let type = ExistentialContents(argument).type else { return false }
        return type == Int64.self || type == Int.self || type == Double.self || type == Bool.self || type == Date.self
    }

    private static func isConstant(_ argument: Any?, _ specifier: FormatSpecifier) -> Bool {
        guard let argument else { return true }
        let type = type(of: argument)
        if type == String.self { return specifier.takesText }
        if type == Int.self || type == Int64.self || type == Double.self || type == Date.self || type == Bool.self
            || type == Int32.self || type == UUID.self
        {
            return true
        }
        // Casting a value to a class would bridge it, which is slow and off Apple's platforms crashes for some sets of numbers.
        guard type is AnyClass else {
            return !(argument is PredicateNode) && !(argument is ExpressionNode) && !(argument is any OptionalValue)
                && type != [NSExpression].self
        }
        if type is NSString.Type { return specifier.takesText }
        return !(type is NSPredicate.Type) && !(type is NSExpression.Type)
    }
}

// MARK: - Filling in

extension PredicateNode {
    /// Returns a copy with arguments in place of the placeholders; nil if there are no placeholders.
    fileprivate func filling(_ value: (Int) -> Any?) -> PredicateNode? {
        switch self {
        case .constant, .opaque: return nil
        case .and(let nodes): return Self.filling(nodes, { $0.filling(value) }).map { .and($0) }
        case .or(let nodes): return Self.filling(nodes, { $0.filling(value) }).map { .or($0) }
        case .not(let node): return node.filling(value).map { .not($0) }
        case .comparison(var comparison):
            let (left, right) = (comparison.left.filling(value), comparison.right.filling(value))
            guard left != nil || right != nil else { return nil }
            if let left { comparison.left = left }
            if let right { comparison.right = right }
            return .comparison(comparison)
        }
    }

    fileprivate static func filling<Node>(_ nodes: [Node], _ fill: (Node) -> Node?) -> [Node]? {
        var result: [Node]?
        for (index, node) in nodes.enumerated() {
            guard let filled = fill(node) else { continue }
            if result == nil { result = nodes }
            result?[index] = filled
        }
        return result
    }
}

extension ExpressionNode {
    /// Returns a copy with arguments filled in, as for predicates. Kinds of expressions that are not listed here contain no
    /// placeholders.
    fileprivate func filling(_ value: (Int) -> Any?) -> ExpressionNode? {
        switch self {
        case .constant(let constant):
            guard let place = constant as? ArgumentPlace else { return nil }
            return .constant(value(place.index))
        case .keyPath(let keys, of: let base):
            if case .evaluatedObject = base { return nil }
            return base.filling(value).map { .keyPath(keys, of: $0) }
        case .function(let function, let arguments):
            return PredicateNode.filling(arguments) { $0.filling(value) }.map { .function(function, $0) }
        case .aggregate(let elements):
            return PredicateNode.filling(elements) { $0.filling(value) }.map { .aggregate($0) }
        case .subquery(let collection, variable: let name, let predicate):
            let (filled, test) = (collection.filling(value), predicate.filling(value))
            guard filled != nil || test != nil else { return nil }
            return .subquery(filled ?? collection, variable: name, test ?? predicate)
        case .conditional(let predicate, let yes, let no):
            let (test, first, second) = (predicate.filling(value), yes.filling(value), no.filling(value))
            guard test != nil || first != nil || second != nil else { return nil }
            return .conditional(test ?? predicate, first ?? yes, second ?? no)
        default:
            return nil
        }
    }
}

// Called for every argument of every predicate; comparing specifiers would call into another module.
extension FormatSpecifier {
    var isKeyPath: Bool {
        if case .keyPath = self { return true }
        return false
    }

    fileprivate var takesText: Bool {
        switch self {
        case .object, .character: true
        default: false
        }
    }
}

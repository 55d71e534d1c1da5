import CoreDataRuntimeSupport
import Foundation
import Synchronization

/// The state of a predicate object: its tree, and the compiled form created by its first evaluation.
final class PredicateStorage: @unchecked Sendable {
    /// The template of a predicate created from a cached format; its tree is built on first access. Nil for other predicates.
    let template: PredicateTemplate?
    let arguments: FormatArguments
    /// The class of object that represents the predicate.
    let form: PredicateForm
    private let given: PredicateNode?
    private let filled = MadeOnce<FilledTree>()
    private let program = MadeOnce<PredicateProgram>()
    private let mayEvaluate: Atomic<Bool>

    private final class FilledTree: @unchecked Sendable {
        let node: PredicateNode
        init(_ node: PredicateNode) { self.node = node }
    }

    init(_ node: PredicateNode, mayEvaluate: Bool = true) {
        given = node
        form = PredicateForm(node)
        template = nil
        arguments = FormatArguments()
        self.mayEvaluate = Atomic(mayEvaluate)
    }

    init(_ template: PredicateTemplate, _ arguments: UnsafeBufferPointer<Any?>) {
        given = nil
        form = template.form
        self.template = template
        self.arguments = FormatArguments(arguments)
        mayEvaluate = Atomic(true)
    }

    var node: PredicateNode {
        if let given { return given }
        if let filled = filled.load() { return filled.node }
        let tree = arguments.withUnsafeBufferPointer { template.unsafelyUnwrapped.filled($0) }
        return filled.storeIfNil(FilledTree(tree)).node
    }

    func allowEvaluation() {
        mayEvaluate.store(true, ordering: .relaxed)
    }

    /// Evaluates, with a fatal error where Apple's framework raises an exception. Returns false if a regular expression exceeds
    /// its step limit, where Apple's framework would not return, or if the file of an externally stored value is missing.
    func evaluate(with object: Any?, bindings: [String: Any]?) -> Bool {
        do {
            return try evaluateThrowing(with: object, bindings: bindings)
        } catch let error as PredicateEvaluationError where error.code == .tooExpensive {
            return false
        } catch CocoaError.fileReadNoSuchFile {
            return false
        } catch {
            fatalError("\(error)")
        }
    }

    @inline(__always)
    func evaluateThrowing(with object: Any?, bindings: [String: Any]?) throws -> Bool {
        guard mayEvaluate.load(ordering: .relaxed) else { throw PredicateEvaluationError.evaluationNotAllowed }
        if let result = try program.withLoaded({ try $0.evaluate(with: object, bindings: bindings) }) { return result }
        return try program.storeIfNil(PredicateProgram(node)).evaluate(with: object, bindings: bindings)
    }
}

/// The template and the arguments from which a predicate was created.
package struct FilledTemplate {
    private let storage: PredicateStorage

    init(_ storage: PredicateStorage) { self.storage = storage }

    package var template: PredicateTemplate { storage.template.unsafelyUnwrapped }

    /// Calls `body` with the arguments. Not generic, since an unspecialized call across modules would cost more than `body`.
    package func withArguments(_ body: (UnsafeBufferPointer<Any?>) throws -> Void) rethrows {
        try storage.arguments.withUnsafeBufferPointer(body)
    }
}

/// The state of an expression object. See ``PredicateStorage``.
final class ExpressionStorage: @unchecked Sendable {
    let node: ExpressionNode
    private let program = MadeOnce<ExpressionProgram>()
    private let mayEvaluate: Atomic<Bool>

    init(_ node: ExpressionNode, mayEvaluate: Bool = true) {
        self.node = node
        self.mayEvaluate = Atomic(mayEvaluate)
    }

    func allowEvaluation() {
        mayEvaluate.store(true, ordering: .relaxed)
    }

    func evaluate(with object: Any?, context: NSMutableDictionary?) throws -> Any? {
        guard mayEvaluate.load(ordering: .relaxed) else { throw PredicateEvaluationError.evaluationNotAllowed }
        let program = program.load() ?? program.storeIfNil(ExpressionProgram(node))
        return try program.evaluate(with: object, context: context)
    }
}

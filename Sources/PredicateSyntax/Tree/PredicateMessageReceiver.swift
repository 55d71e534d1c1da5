/// An object that handles `FUNCTION($variable, "selector:", …)` for its selectors.
///
/// Replaces Objective-C's dispatch by selector. Core Data's migration managers and policies conform.
public protocol PredicateMessageReceiver {
    /// Handles a message.
    ///
    /// - Parameters:
    ///   - selector: the name as written in the expression, with its colons.
    ///   - arguments: the evaluated arguments, one for each colon.
    /// - Throws: ``PredicateEvaluationError`` for an unknown selector, or the error of the called method.
    func answer(_ selector: String, arguments: [Any?]) throws -> Any?
}

/// An object that answers `FUNCTION($variable, "selector:", …)` for selectors of its own.
///
/// What Objective-C does by sending a message by name. Core Data's migration managers and policies conform.
public protocol PredicateMessageReceiver {
    /// Answers a message.
    ///
    /// - Parameters:
    ///   - selector: The name as the expression has it, with its colons.
    ///   - arguments: The evaluated arguments, one for each colon.
    /// - Throws: ``PredicateEvaluationError`` for a selector the object does not know, and errors of its own.
    func answer(_ selector: String, arguments: [Any?]) throws -> Any?
}

import CoreData

/// Receives the errors of the legacy functions, where the platform has no Objective-C messages to send it.
public protocol MagicalRecordErrorTarget: AnyObject {
    /// - Parameters:
    ///   - action: what was registered with ``MagicalRecord/setErrorHandlerTarget(_:action:)``.
    ///   - error: what happened.
    func perform(_ action: Selector, with error: any Error)
}

private struct ErrorHandling {
    weak var target: AnyObject?
    var action: Selector?
    var handler: (@Sendable (any Error) -> Void)?
}

private let errorHandling = Locked(ErrorHandling())

extension MagicalRecord {
    /// Hands an error of a legacy function to the program's handler, or writes it to the log.
    ///
    /// Called synchronously on the thread where the error happened, often a context's queue.
    public class func handleErrors(_ error: any Error) {
        let current = errorHandling.withLock { $0 }
        if let handler = current.handler { return handler(error) }
        if let target = current.target, let action = current.action, send(action, to: target, error) { return }
        log(error as NSError)
    }

    /// Has `handler` called with every error a legacy function meets, in place of the log. `nil` ends that.
    public static func setErrorHandler(_ handler: (@Sendable (any Error) -> Void)?) {
        errorHandling.withLock { $0 = ErrorHandling(handler: handler) }
    }

    /// Has `action` sent to `target` with every error a legacy function meets. The target is held weakly; when it is
    /// gone, or `nil`, errors go to the log again.
    ///
    /// Where there is no Objective-C runtime the target must conform to ``MagicalRecordErrorTarget``.
    public class func setErrorHandlerTarget(_ target: Any?, action: Selector) {
        let object = target.map { $0 as AnyObject }
        errorHandling.withLock { $0 = ErrorHandling(target: object, action: object == nil ? nil : action) }
    }

    /// The target, if it still lives.
    public class func errorHandlerTarget() -> Any? {
        errorHandling.withLock { $0.target }
    }

    /// The action, or `nil` when none is set (the original declared it as never nil, but returned it so).
    public class func errorHandlerAction() -> Selector? {
        errorHandling.withLock { $0.action }
    }

    static func resetErrorHandling() {
        errorHandling.withLock { $0 = ErrorHandling() }
    }

    /// Runs `body`; an error goes to the handler and the result is `nil`.
    @discardableResult
    static func reporting<Value>(_ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            handleErrors(error)
            return nil
        }
    }

    private static func send(_ action: Selector, to target: AnyObject, _ error: any Error) -> Bool {
        #if canImport(ObjectiveC)
        guard let object = target as? NSObjectProtocol, object.responds(to: action) else { return false }
        _ = object.perform(action, with: error as NSError)
        return true
        #else
        guard let receiver = target as? any MagicalRecordErrorTarget else { return false }
        receiver.perform(action, with: error)
        return true
        #endif
    }

    private static func log(_ error: NSError) {
        for value in error.userInfo.values {
            for element in (value as? [Any]) ?? [value] {
                if let nested = element as? NSError {
                    Log.error("Error details: \(nested.userInfo)")
                } else {
                    Log.error("Error details: \(element)")
                }
            }
        }
        Log.error("Error message: \(error.localizedDescription)")
        Log.error("Error domain: \(error.domain), code \(error.code)")
        if let suggestion = error.localizedRecoverySuggestion { Log.error("Recovery suggestion: \(suggestion)") }
    }
}

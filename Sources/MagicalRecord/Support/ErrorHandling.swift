import CoreData

/// Receives the errors of the legacy functions on any platform, without Objective-C messages.
public protocol MagicalRecordErrorTarget: AnyObject {
    /// Handles an error of a legacy function, on the thread of the error. The action is the selector passed to
    /// ``MagicalRecord/setErrorHandlerTarget(_:action:)``.
    func perform(_ action: Selector, with error: any Error)
}

/// The receiver of the legacy functions' errors.
struct ErrorHandling {
    private(set) weak var target: AnyObject?
    private(set) var action: Selector?
    private var handler: (@Sendable (any Error) -> Void)?

    private static let shared = Locked(ErrorHandling())

    static var current: ErrorHandling { shared.withLock { $0 } }

    static func set(target: AnyObject?, _ action: Selector?) {
        shared.withLock { $0 = ErrorHandling(target: target, action: target == nil ? nil : action) }
    }

    static func set(_ handler: (@Sendable (any Error) -> Void)?) {
        shared.withLock { $0 = ErrorHandling(handler: handler) }
    }

    static func handle(_ error: any Error) {
        let current = current
        if let handler = current.handler { return handler(error) }
        if let action = current.action {
            if let target = current.target as? any MagicalRecordErrorTarget {
                return target.perform(action, with: error)
            }
            #if canImport(ObjectiveC)
            if let target = current.target as? NSObjectProtocol, target.responds(to: action) {
                _ = target.perform(action, with: error as NSError)
                return
            }
            #endif
        }
        log(error as NSError)
    }

    private static func log(_ error: NSError) {
        for detail in error.userInfo.values.flatMap({ $0 as? [Any] ?? [$0] }) {
            Log.error("Error details: \((detail as? NSError)?.userInfo ?? detail)")
        }
        Log.error("Error message: \(error.localizedDescription)")
        Log.error("Error domain: \(error.domain), code \(error.code)")
        if let suggestion = error.localizedRecoverySuggestion { Log.error("Recovery suggestion: \(suggestion)") }
    }
}

extension MagicalRecord {
    /// Sets the handler for errors of legacy functions, in place of the log; nil restores the log. It may be called from any
    /// thread.
    public static func setErrorHandler(_ handler: (@Sendable (any Error) -> Void)?) { ErrorHandling.set(handler) }

    /// Runs `body` and returns its result; passes an error to the handler and returns nil.
    @discardableResult
    static func reporting<Value>(_ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            handleErrors(error)
            return nil
        }
    }
}

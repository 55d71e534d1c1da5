import CoreData

/// Receives the errors of the legacy functions on any platform, without Objective-C messages.
public protocol MagicalRecordErrorTarget: AnyObject {
    /// Handles an error of a legacy function, on the thread of the error.
    ///
    /// - Parameters:
    ///   - action: the selector passed to ``MagicalRecord/setErrorHandlerTarget(_:action:)``.
    ///   - error: the error.
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
        if let target = current.target, let action = current.action, send(action, to: target, error) { return }
        log(error as NSError)
    }

    private static func send(_ action: Selector, to target: AnyObject, _ error: any Error) -> Bool {
        if let receiver = target as? any MagicalRecordErrorTarget {
            receiver.perform(action, with: error)
            return true
        }
        #if canImport(ObjectiveC)
        guard let object = target as? NSObjectProtocol, object.responds(to: action) else { return false }
        _ = object.perform(action, with: error as NSError)
        return true
        #else
        return false
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

extension MagicalRecord {
    /// Sets the handler for errors of legacy functions, in place of the log; nil restores the log. It may be called from any
    /// thread.
    public static func setErrorHandler(_ handler: (@Sendable (any Error) -> Void)?) {
        ErrorHandling.set(handler)
    }

    static func resetErrorHandling() {
        ErrorHandling.set(nil)
    }

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

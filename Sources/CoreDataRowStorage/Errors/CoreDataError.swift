import Foundation

/// Creates the errors that this module throws.
///
/// All are `NSError` values in `NSCocoaErrorDomain` with Apple's codes, so that code written for Apple's framework recognizes
/// them; `reason` contains the details, under the key that Apple uses.
package enum CoreDataError {
    /// Returns an error in `NSCocoaErrorDomain`.
    ///
    /// - Parameters:
    ///   - code: one of the codes of `ErrorCodes.swift`, or a file error of Foundation.
    ///   - description: one sentence for the user (`NSLocalizedDescriptionKey`).
    ///   - reason: the exact cause (`NSLocalizedFailureReasonErrorKey` and `"reason"`).
    ///   - advice: the recovery suggestion (`NSLocalizedRecoverySuggestionErrorKey`).
    ///   - entity: the name of the entity concerned (`"entity"`).
    ///   - key: the name of the property concerned (`"property"`).
    ///   - underlying: the underlying error (`NSUnderlyingErrorKey`).
    ///   - userInfo: further entries, which override the others. URLs lose their passwords.
    package static func make(
        _ code: Int,
        description: String,
        reason: String? = nil,
        advice: String? = nil,
        entity: String? = nil,
        key: String? = nil,
        underlying: (any Error)? = nil,
        userInfo: [String: Any] = [:]
    ) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let reason {
            info[NSLocalizedFailureReasonErrorKey] = reason
            info["reason"] = reason
        }
        info[NSLocalizedRecoverySuggestionErrorKey] = advice
        info["entity"] = entity
        info["property"] = key
        info[NSUnderlyingErrorKey] = underlying
        info.merge(userInfo) { _, new in new }
        if let url = info[NSURLErrorKey] as? URL { info[NSURLErrorKey] = url.withoutPasswords }
        return BrieflyPrintedError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
    }
}

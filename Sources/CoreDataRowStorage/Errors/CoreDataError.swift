import Foundation

/// Makes the errors this module throws.
///
/// All are `NSError` values in `NSCocoaErrorDomain` with Apple's codes, so that code written for Apple's framework
/// recognises them; `reason` carries what went wrong in detail, under the same key Apple uses.
package enum CoreDataError {
    /// An error in `NSCocoaErrorDomain`.
    ///
    /// - Parameters:
    ///   - code: one of the codes of `ErrorCodes.swift`, or a file error of Foundation.
    ///   - description: one sentence for people (`NSLocalizedDescriptionKey`).
    ///   - reason: what exactly went wrong (`NSLocalizedFailureReasonErrorKey` and `"reason"`).
    ///   - advice: what to do about it (`NSLocalizedRecoverySuggestionErrorKey`).
    ///   - entity: name of the entity concerned (`"entity"`).
    ///   - key: name of the property concerned (`"property"`).
    ///   - underlying: the error behind this one (`NSUnderlyingErrorKey`).
    ///   - userInfo: more entries; they win over the others.
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
        return BrieflyPrintedError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
    }
}

import Foundation
import ModelFormat

/// An error of this module. It prints what Foundation prints of an error, except that models, metadata and long lists in its user
/// info are printed by their size: a model prints all of its entities, and an error has two of them.
package final class BrieflyPrintedError: NSError, @unchecked Sendable {
    package override var description: String { ErrorText(self).description }
}

/// What is printed of an error.
package struct ErrorText: CustomStringConvertible {
    /// How many elements of a list are printed.
    package static let longest = 4

    package let error: NSError
    /// Whether another error's text has this one's in it.
    package let isNested: Bool

    package init(_ error: NSError, isNested: Bool = false) {
        self.error = error
        self.isNested = isNested
    }

    package var description: String {
        let info = error.userInfo
        let reason = info[NSLocalizedFailureReasonErrorKey] as? String
        // The reason comes first, so it is not repeated under its keys.
        var said: Set<String> = [NSLocalizedFailureReasonErrorKey, "reason"]
        if isNested { said.formUnion([NSLocalizedDescriptionKey, NSLocalizedRecoverySuggestionErrorKey]) }
        let entries = info.filter { !said.contains($0.key) }.sorted(byText: \.key)
        let head = "Error Domain=\(error.domain) Code=\(error.code) \"\(reason ?? "(null)")\""
        if entries.isEmpty { return head }
        return head + " UserInfo={" + entries.map { "\($0.key)=\(Self.text($0.value))" }.joined(separator: ", ") + "}"
    }

    package static func text(_ value: Any) -> String {
        switch value {
        case let value as any BrieflyPrinted: value.briefDescription
        case let error as BrieflyPrintedError: ErrorText(error, isNested: true).description
        case let dictionary as [String: Any] where dictionary.count > 4 * longest:
            "{\(counted(dictionary.count, "entry"))}"
        case let dictionary as [String: Any]:
            "{" + dictionary.sorted(byText: \.key).map { "\($0.key)=\(text($0.value))" }.joined(separator: ", ")
                + "}"
        case let list as [Any]:
            "[" + list.prefix(longest).map(text).joined(separator: ", ")
                + (list.count > longest ? ", and \(list.count - longest) more]" : "]")
        default: "\(value)"
        }
    }

    /// "1 entity", "2 entities".
    package static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun.dropLast())ies"
    }
}

/// A value that errors print by a few words, since its description is long.
package protocol BrieflyPrinted {
    var briefDescription: String { get }
}

extension [String] {
    /// The texts of a list for an error: all of a short one, the first of a long one.
    package func listed(by separator: String = ", ") -> String {
        let most = 4
        return count <= most + 1
            ? joined(separator: separator)
            : prefix(most).joined(separator: separator) + "\(separator)and \(count - most) more"
    }
}

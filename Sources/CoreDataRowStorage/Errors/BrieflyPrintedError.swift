import Foundation
import ModelFormat

/// An error with a short description. It prints like Foundation's errors, except that it abbreviates models, metadata and long
/// lists in its user info to their sizes: the description of a model lists all entities, and an error may contain two models.
package final class BrieflyPrintedError: NSError, @unchecked Sendable {
    package override var description: String { ErrorText(self).description }
}

/// The description of an error.
package struct ErrorText: CustomStringConvertible {
    /// The maximum number of list elements that are printed.
    package static let longest = 4

    package let error: NSError
    /// Whether this text is part of another error's.
    package let isNested: Bool

    package init(_ error: NSError, isNested: Bool = false) {
        self.error = error
        self.isNested = isNested
    }

    package var description: String {
        let info = error.userInfo
        let reason = info[NSLocalizedFailureReasonErrorKey] as? String
        let summary = error.localizedDescription
        let isInSummary = reason.map(summary.contains) ?? true
        // The head contains the reason, so the entries omit its keys.
        var said: Set<String> = [NSLocalizedFailureReasonErrorKey, "reason"]
        if isInSummary { said.insert(NSLocalizedDescriptionKey) }
        if isNested { said.formUnion([NSLocalizedDescriptionKey, NSLocalizedRecoverySuggestionErrorKey]) }
        let entries = info.filter { !said.contains($0.key) }.sorted(byText: \.key)
        let head =
            "Error Domain=\(error.domain) Code=\(error.code) \"\(isInSummary ? summary : reason ?? summary)\""
        if entries.isEmpty { return head }
        return head + " UserInfo={" + entries.map { "\($0.key)=\(text($0))" }.joined(separator: ", ") + "}"
    }

    private func text(_ entry: (key: String, value: Any)) -> String {
        entry.key == NSValidationValueErrorKey ? BriefValue.text(entry.value) : Self.text(entry.value)
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
        case let set as Set<AnyHashable>: text(set.map(\.base))
        case let list as [Any]:
            "[" + list.prefix(longest).map(text).joined(separator: ", ")
                + (list.count > longest ? ", and \(list.count - longest) more]" : "]")
        default: "\(value)"
        }
    }

    /// Returns a count with its noun in the singular or plural: "1 entity", "2 entities".
    package static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun.dropLast())ies"
    }
}

/// A value that errors print by a short text instead of its long description.
package protocol BrieflyPrinted {
    var briefDescription: String { get }
}

extension [String] {
    /// Returns the texts joined for an error message: all of a short list, or the first four and the number of the others.
    package func listed(by separator: String = ", ") -> String {
        let most = 4
        return count <= most + 1
            ? joined(separator: separator)
            : prefix(most).joined(separator: separator) + "\(separator)and \(count - most) more"
    }
}

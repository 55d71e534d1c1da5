import Foundation

/// Remembers parsed formats, since programs use few of them over and over with other arguments.
///
/// Bounded: formats made up at run time, with values inside the text, must not pile up. Threads: one short lock.
enum FormatCache {
    /// A format that was parsed before.
    private final class Entry: Sendable {
        let specifiers: [FormatSpecifier]
        /// Templates by the key paths that belong to them. A format without `%K` has one, under the empty string.
        let templates = Locked<[String: PredicateTemplate]>([:])

        init(_ specifiers: [FormatSpecifier]) {
            self.specifiers = specifiers
        }

        /// The key paths among the arguments, as one string; nil when one of them is no string.
        func keyPaths(in arguments: [Any?]) -> String? {
            var result = ""
            for (index, specifier) in specifiers.enumerated() where specifier == .keyPath {
                guard index < arguments.count, let path = arguments[index] as? String else { return nil }
                result = result.isEmpty ? path : "\(result)\n\(path)"
            }
            return result
        }
    }

    static let maximumFormats = 1000
    private static let maximumTemplates = 100
    private static let maximumLength = 4096

    private static let entries = Locked<[String: Entry]>([:])

    /// What a predicate of the format holds.
    ///
    /// - Throws: ``PredicateFormatError``.
    static func storage(_ format: String, _ arguments: [Any?]) throws -> PredicateStorage {
        let entry = entries.withLock { $0[format] }
        let keyPaths = entry?.keyPaths(in: arguments)
        if let entry, let keyPaths, let template = entry.templates.withLock({ $0[keyPaths] }),
            let storage = template.fill(arguments)
        {
            return storage
        }
        let node = try PredicateNode(format: format, arguments: arguments)
        remember(format, arguments, entry)
        return PredicateStorage(node)
    }

    private static func remember(_ format: String, _ arguments: [Any?], _ known: Entry?) {
        guard format.utf8.count <= maximumLength else { return }
        let entry = known ?? Entry(FormatSpecifier.all(in: format))
        if known == nil {
            entries.withLock { entries in
                if entries.count >= maximumFormats { entries.removeAll() }
                entries[format] = entry
            }
        }
        guard let keyPaths = entry.keyPaths(in: arguments),
            let template = PredicateTemplate(format, entry.specifiers, arguments)
        else { return }
        entry.templates.withLock { templates in
            if templates.count >= maximumTemplates { templates.removeAll() }
            templates[keyPaths] = template
        }
    }

    /// How many formats are remembered.
    static var count: Int { entries.withLock { $0.count } }
}

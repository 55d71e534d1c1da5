import CoreDataRuntimeSupport
import Foundation

/// Caches parsed formats, since programs use few formats repeatedly with different arguments.
///
/// The cache is bounded, because formats built at run time with values in the text would otherwise accumulate. Thread-safe: one
/// short lock.
enum FormatCache {
    /// A format that has been used before.
    private final class Entry: Sendable {
        let specifiers: [FormatSpecifier]
        /// The template of a format without `%K`.
        let plain = MadeOnce<PredicateTemplate>()
        private let hasKeyPaths: Bool
        /// The templates of formats with `%K`, by their key path arguments.
        private let templates = Locked(ObjectTable<String, PredicateTemplate>(minimumCapacity: 0))

        init(_ specifiers: [FormatSpecifier]) {
            self.specifiers = specifiers
            hasKeyPaths = specifiers.contains(.keyPath)
        }

        func template(for arguments: UnsafeBufferPointer<Any?>) -> PredicateTemplate? {
            if !hasKeyPaths { return plain.load() }
            guard let keyPaths = keyPaths(in: arguments) else { return nil }
            return templates.withLock { $0[keyPaths] }
        }

        /// Creates and caches a template; returns nil if the format must be parsed with its arguments.
        func makeTemplate(_ format: String, _ arguments: UnsafeBufferPointer<Any?>) -> PredicateTemplate? {
            guard let template = PredicateTemplate(format, specifiers, arguments) else { return nil }
            guard hasKeyPaths else { return plain.storeIfNil(template) }
            guard let keyPaths = keyPaths(in: arguments) else { return template }
            templates.withLock { templates in
                if templates.count >= maximumTemplates { templates.removeAll() }
                templates[keyPaths] = template
            }
            return template
        }

        /// Returns the key paths among the arguments, joined to one string; nil if one of them is not a string.
        private func keyPaths(in arguments: UnsafeBufferPointer<Any?>) -> String? {
            var result = ""
            for index in specifiers.indices where specifiers[index].isKeyPath {
                guard index < arguments.count, let base = arguments.baseAddress, let path = Self.text(at: base + index)
                else { return nil }
                result = result.isEmpty ? path : "\(result)\n\(path)"
            }
            return result
        }

        @inline(__always)
        private static func text(at place: UnsafePointer<Any?>) -> String? {
            let contents = ExistentialContents(place)
            return contents.type == String.self ? contents.load(as: String.self) : place.pointee as? String
        }
    }

    static let maximumFormats = 1000
    private static let maximumTemplates = 100
    private static let maximumLength = 4096

    private struct Entries {
        private var all = ObjectTable<String, Entry>(minimumCapacity: 16)
        /// The most recently used format, for loops that repeat one format.
        private var last: (format: String, entry: Entry)?

        mutating func find(_ format: String) -> Entry? {
            if let last, last.format == format { return last.entry }
            guard let entry = all[format] else { return nil }
            last = (format, entry)
            return entry
        }

        mutating func add(_ format: String, _ entry: Entry) {
            if all.count >= maximumFormats { all.removeAll() }
            all[format] = entry
        }
    }

    private static let entries = Locked(Entries())

    /// Returns the storage for a predicate of the format.
    ///
    /// - Throws: ``PredicateFormatError``.
    static func storage(_ format: String, _ arguments: UnsafeBufferPointer<Any?>) throws -> PredicateStorage {
        guard let entry = entries.withLock({ $0.find(format) }) else {
            // At startup most formats are used once: templates are created only for repeated formats.
            let storage = PredicateStorage(try PredicateNode(format, FormatArguments(arguments)))
            add(format)
            return storage
        }
        let template = entry.template(for: arguments) ?? entry.makeTemplate(format, arguments)
        if let storage = template?.fill(arguments) { return storage }
        return PredicateStorage(try PredicateNode(format, FormatArguments(arguments)))
    }

    private static func add(_ format: String) {
        guard format.utf8.count <= maximumLength else { return }
        let entry = Entry(FormatSpecifier.all(in: format))
        entries.withLock { $0.add(format, entry) }
    }
}

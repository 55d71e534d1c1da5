import CoreDataRuntimeSupport
import Foundation

/// Remembers parsed formats, since programs use few of them over and over with other arguments.
///
/// Bounded: formats made up at run time, with values inside the text, must not pile up. Threads: one short lock.
enum FormatCache {
    /// A format that was used before.
    private final class Entry: Sendable {
        let specifiers: [FormatSpecifier]
        /// The template of a format without `%K`.
        let plain = MadeOnce<PredicateTemplate>()
        private let hasKeyPaths: Bool
        /// Templates of other formats, by the key paths that belong to them.
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

        /// A new template, which is remembered; nil where the format has to be parsed with its arguments.
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

        /// The key paths among the arguments, as one string; nil when one of them is no string.
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
        /// The format asked for last, which loops ask for again and again.
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

    /// What a predicate of the format holds.
    ///
    /// - Throws: ``PredicateFormatError``.
    static func storage(_ format: String, _ arguments: UnsafeBufferPointer<Any?>) throws -> PredicateStorage {
        guard let entry = entries.withLock({ $0.find(format) }) else {
            // Most formats of a program that just starts are used once: templates are made for those that come again.
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

import Foundation

/// The findings of an examination, with every value that was read.
public struct Report: Codable, Sendable {
    /// One stage of a case.
    public struct Stage: Codable, Sendable {
        /// The name of the stage.
        public var name: String
        /// The error that ended the stage.
        public var error: String?
        /// The lines that are missing, and those that are unexpected.
        public var differences: [String] = []
        /// All lines that were found.
        public var values: [String] = []

        /// True if the stage completed without differences.
        public var passed: Bool { error == nil && differences.isEmpty }
    }

    /// The stages of a case.
    public struct Item: Codable, Sendable {
        /// The name of the case.
        public var name: String
        /// The description of the case.
        public var title: String
        /// The reason why the system does not support the case, or nil if it does.
        public var skipped: String?
        /// The completed stages, in order.
        public var stages: [Stage] = []

        /// True if the case was skipped or all stages passed.
        public var passed: Bool { skipped != nil || stages.allSatisfy(\.passed) }
    }

    /// The edition of the cases, see ``Case/edition``.
    public var edition: String
    /// The name of the framework that opened the stores.
    public var framework: String
    /// The version of the operating system.
    public var system: String
    /// The case and stage that is running, or was running when the program crashed; nil after the last one.
    public var running: String?
    /// The cases, in order.
    public var items: [Item] = []

    /// True if the examination completed without differences.
    public var passed: Bool { running == nil && !items.isEmpty && items.allSatisfy(\.passed) }

    /// Writes the report as JSON.
    ///
    /// - Throws: Foundation's errors.
    public func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: url, options: .atomic)
    }

    /// Reads a report from JSON.
    ///
    /// - Throws: Foundation's errors.
    static func read(from url: URL) throws -> Report {
        try JSONDecoder().decode(Report.self, from: try Data(contentsOf: url))
    }
}

/// The stages of a case, in order.
enum StageName: String, CaseIterable {
    /// The version hashes of the models in the `.momd`.
    case modelInFile = "model in the file"
    /// The version hashes of the same models created in code.
    case modelInCode = "model in code"
    /// The values and relationships in the store that Linux wrote.
    case asWritten = "as written on Linux"
    /// The same after the edits.
    case edited
    /// The same in the second version of the model.
    case migrated
    /// The values and relationships in a new store.
    case own
}

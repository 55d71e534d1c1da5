import Foundation

/// The findings of an examination, with every value that was read.
public struct Report: Codable, Sendable {
    /// One stage of what is done for a case.
    public struct Stage: Codable, Sendable {
        /// The name of the stage.
        public var name: String
        /// The error that ended the stage.
        public var error: String?
        /// The lines that were expected and not found, or found and not expected.
        public var differences: [String] = []
        /// Every line that was found.
        public var values: [String] = []

        /// True if the stage came to its end and found what was expected.
        public var passed: Bool { error == nil && differences.isEmpty }
    }

    /// The stages of a case.
    public struct Item: Codable, Sendable {
        /// The name of the case.
        public var name: String
        /// The case in words.
        public var title: String
        /// The reason why the system cannot have the case; nil if it can.
        public var skipped: String?
        /// The stages that came to an end, in their order.
        public var stages: [Stage] = []

        /// True if the case was skipped, or every stage passed.
        public var passed: Bool { skipped != nil || stages.allSatisfy(\.passed) }
    }

    /// The checksum of what the cases expect.
    public var edition: String
    /// The name of the framework that opened the stores.
    public var framework: String
    /// The version of the operating system.
    public var system: String
    /// The case and stage at which the program is, or ended; nil once it came to its end.
    public var running: String?
    /// The cases, in their order.
    public var items: [Item] = []

    /// True if the examination came to its end and everything was as expected.
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

/// The stages of a case, in their order.
enum StageName: String, CaseIterable {
    /// The version hashes of the models in the `.momd`.
    case modelInFile = "model in the file"
    /// The version hashes of the same models made in code.
    case modelInCode = "model in code"
    /// The values and links in the store that Linux wrote.
    case asWritten = "as written on Linux"
    /// The same after the edits.
    case edited
    /// The same in the second version of the model.
    case migrated
    /// The values and links in a store made from nothing.
    case own
}

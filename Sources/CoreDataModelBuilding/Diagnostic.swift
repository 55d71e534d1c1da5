import ModelFormat

/// An error or warning with its location, in the format of compiler diagnostics, so that build systems show it there.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    /// The severity of a diagnostic.
    public enum Severity: String, Sendable, Hashable {
        case error, warning, note
    }

    /// The severity.
    public var severity: Severity
    /// The description of the problem, in one sentence.
    public var message: String
    /// The path of the affected file.
    public var file: String?
    /// The line, from 1.
    public var line: Int?
    /// The column in bytes, from 1; for Swift sources only.
    public var column: Int?
    /// The affected entity.
    public var entity: String?
    /// The affected property.
    public var property: String?
    /// The advice for developers.
    public var advice: String?

    /// Creates a diagnostic.
    public init(
        severity: Severity = .error, message: String, file: String? = nil, line: Int? = nil, column: Int? = nil,
        entity: String? = nil, property: String? = nil, advice: String? = nil
    ) {
        self.severity = severity
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.entity = entity
        self.property = property
        self.advice = advice
    }

    /// Converts an error or a warning about a model.
    public init(_ error: ModelFormatError) {
        self.init(
            severity: error.severity == .error ? .error : .warning, message: error.message, file: error.file,
            line: error.line, entity: error.entity, property: error.property, advice: error.advice)
    }

    /// Creates a warning about an unknown key of a compiled file.
    package init(unknownKey key: String, file: String?) {
        self.init(severity: .warning, message: "the key \(key) is unknown, and left out", file: file)
    }

    public var description: String {
        var text = ""
        if let file {
            let place = [file] + [line, column].compactMap { $0.map(String.init) }
            text += place.joined(separator: ":") + ": "
        }
        text += "\(severity.rawValue): \(message)"
        let place = [entity.map { "entity \($0)" }, property.map { "property \($0)" }].compactMap { $0 }
        if !place.isEmpty { text += " (\(place.joined(separator: ", ")))" }
        if let advice { text += ". \(advice)" }
        return text
    }
}

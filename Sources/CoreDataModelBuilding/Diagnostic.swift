import ModelFormat

/// An error or warning with its place, in the form compilers print, so that build systems show it there.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable {
        case error, warning, note
    }

    /// How bad it is.
    public var severity: Severity
    /// What is wrong, in one sentence.
    public var message: String
    /// The path of the file it is in.
    public var file: String?
    /// The line, from 1.
    public var line: Int?
    /// The column in bytes, from 1; only of places in Swift sources.
    public var column: Int?
    /// The entity concerned.
    public var entity: String?
    /// The property concerned.
    public var property: String?
    /// What to do about it.
    public var advice: String?

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

    /// An error of reading or writing a model, or a warning about one, as a diagnostic.
    public init(_ error: ModelFormatError) {
        self.init(
            severity: error.severity == .error ? .error : .warning, message: error.message, file: error.file,
            line: error.line, entity: error.entity, property: error.property, advice: error.advice)
    }

    /// A warning about something a compiled file says.
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

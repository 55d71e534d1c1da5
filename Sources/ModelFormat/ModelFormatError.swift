import Foundation

/// The reason why a model file cannot be read, compiled or written, or a warning about one that can.
///
/// `description` has the format of compiler diagnostics (`file:line: error: …`), so that build systems show it at the location.
public struct ModelFormatError: Error, Sendable, Hashable {
    /// The kind of problem.
    public enum Code: String, Sendable, Hashable {
        /// The file is missing or cannot be opened.
        case unreadable
        /// The contents of the file are not of its type, or are truncated.
        case malformed
        /// The file exceeds a limit of size, depth or complexity.
        case limitExceeded
        /// Something required is absent.
        case missingValue
        /// A value is not one of those allowed.
        case invalidValue
        /// A name refers to nothing.
        case unknownName
        /// The same name is used twice.
        case duplicateName
        /// Elements contain or inherit from themselves.
        case cycle
        /// The format cannot express a part, or this library does not support it.
        case unsupported
        /// The inverse of a relationship's inverse is another relationship. A warning.
        case inverseMismatch
        /// The inverse is named as a property of an ancestor of the destination. A warning.
        case inverseEntity
        /// The text of a default value is invalid for the attribute's type. A warning.
        case unreadableDefault
        /// A name is a known misspelling that works. A warning.
        case misspelledName
        /// An entity mapping names no entity. A warning.
        case emptyMapping
    }

    /// The severity: whether the file is usable.
    public enum Severity: String, Sendable, Hashable {
        /// The file is unusable.
        case error
        /// The file is usable, but probably does not have the intended meaning.
        case warning
    }

    /// The kind of problem.
    public var code: Code
    /// The description of the problem, in one sentence.
    public var message: String
    /// The path of the affected file.
    public var file: String?
    /// The line, from 1.
    public var line: Int?
    /// The affected entity.
    public var entity: String?
    /// The affected property.
    public var property: String?
    /// The advice for developers.
    public var advice: String?
    /// The severity. Thrown values are errors.
    public var severity = Severity.error

    /// Creates an error, or with a severity a warning.
    public init(
        _ code: Code,
        _ message: String,
        file: String? = nil,
        line: Int? = nil,
        entity: String? = nil,
        property: String? = nil,
        advice: String? = nil
    ) {
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.entity = entity
        self.property = property
        self.advice = advice
    }

    /// Returns the same error, with a file unless it already has one.
    public func inFile(_ path: String) -> ModelFormatError {
        var error = self
        if error.file == nil { error.file = path }
        return error
    }
}

extension ModelFormatError: CustomStringConvertible, LocalizedError {
    public var description: String {
        var text = ""
        if let file {
            text += file + ":"
            if let line { text += "\(line):" }
            text += " "
        }
        text += severity.rawValue + ": " + message
        let place = [entity.map { "entity \($0)" }, property.map { "property \($0)" }].compactMap { $0 }
        if !place.isEmpty { text += " (\(place.joined(separator: ", ")))" }
        if let advice { text += ". " + advice }
        return text
    }

    public var errorDescription: String? { description }
}

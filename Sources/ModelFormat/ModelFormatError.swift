import Foundation

/// Why a model file cannot be read, compiled or written, or what is odd about one that can.
///
/// `description` has the form compilers use (`file:line: error: …`), so that build systems show it at the place.
public struct ModelFormatError: Error, Sendable, Hashable {
    /// The kind of problem, for programs.
    public enum Code: String, Sendable, Hashable {
        /// The file is missing or cannot be opened.
        case unreadable
        /// The file is not what its name says, or is cut off.
        case malformed
        /// The file is larger, deeper or more tangled than any real model.
        case limitExceeded
        /// Something required is absent.
        case missingValue
        /// A value is not one of those allowed.
        case invalidValue
        /// A name refers to nothing.
        case unknownName
        /// The same name is used twice.
        case duplicateName
        /// Things contain or inherit from themselves.
        case cycle
        /// The format cannot express it, or this library does not know how.
        case unsupported
        /// The inverse of a relationship's inverse is another relationship. A warning.
        case inverseMismatch
        /// The inverse is named as a property of an ancestor of the destination. A warning.
        case inverseEntity
        /// The text of a default value is no value of the attribute's type. A warning.
        case unreadableDefault
        /// A name is a known misspelling that works. A warning.
        case misspelledName
        /// An entity mapping names no entity. A warning.
        case emptyMapping
    }

    /// Whether the file can be used all the same.
    public enum Severity: String, Sendable, Hashable {
        /// It cannot.
        case error
        /// It can, but probably does not mean what its author wants.
        case warning
    }

    /// What kind of mistake it is.
    public var code: Code
    /// What is wrong, in one sentence.
    public var message: String
    /// The path of the file it is in.
    public var file: String?
    /// The line, from 1.
    public var line: Int?
    /// The entity concerned.
    public var entity: String?
    /// The property concerned.
    public var property: String?
    /// What to do about it.
    public var advice: String?
    /// Whether the file can be used all the same. What is thrown is an error.
    public var severity = Severity.error

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

    /// The same error, placed in a file unless it already is.
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

import Foundation

/// The attributes of an XML element, removed as they are read; unread ones remain.
struct XMLAttributes {
    private(set) var rest: [String: String]
    let element: String
    let line: Int
    var entity: String?
    var property: String?

    init(_ node: XMLElementNode, entity: String? = nil, property: String? = nil) {
        rest = node.attributes
        element = node.name
        line = node.line
        self.entity = entity
        self.property = property
    }

    func error(
        _ code: ModelFormatError.Code, _ message: String, advice: String? = nil
    ) -> ModelFormatError {
        ModelFormatError(code, message, line: line, entity: entity, property: property, advice: advice)
    }

    mutating func text(_ key: String) -> String? {
        rest.removeValue(forKey: key)
    }

    /// Reads a text; the empty string yields nil.
    mutating func nonEmpty(_ key: String) -> String? {
        guard let value = text(key), !value.isEmpty else { return nil }
        return value
    }

    mutating func required(_ key: String) throws(ModelFormatError) -> String {
        guard let value = nonEmpty(key) else {
            throw error(.missingValue, "<\(element)> has no \(key)")
        }
        return value
    }

    mutating func bool(_ key: String) throws(ModelFormatError) -> Bool? {
        guard let value = text(key) else { return nil }
        switch value.lowercased() {
        case "yes", "true", "1": return true
        case "no", "false", "0", "": return false
        default: throw error(.invalidValue, "\(key)=\"\(value)\" is neither YES nor NO")
        }
    }

    mutating func flag(_ key: String) throws(ModelFormatError) -> Bool {
        try bool(key) ?? false
    }

    mutating func integer(_ key: String) throws(ModelFormatError) -> Int? {
        guard let value = nonEmpty(key) else { return nil }
        guard let number = Int(value) else {
            throw error(.invalidValue, "\(key)=\"\(value)\" is not a whole number")
        }
        return number
    }

    mutating func double(_ key: String) throws(ModelFormatError) -> Double? {
        guard let value = nonEmpty(key) else { return nil }
        guard let number = Double(value), number.isFinite else {
            throw error(.invalidValue, "\(key)=\"\(value)\" is not a number")
        }
        return number
    }
}

import ModelFormat

/// The Swift types of properties, as Xcode generates them.
enum SwiftTypes {
    static func type(of attribute: Attribute) -> String {
        if attribute.usesScalarValueType == true {
            switch attribute.type {
            case .integer16: return "Int16"
            case .integer32: return "Int32"
            case .integer64: return "Int64"
            case .double: return "Double"
            case .float: return "Float"
            case .boolean: return "Bool"
            case .date: return "TimeInterval"
            default: break
            }
        }
        switch attribute.type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: return "NSNumber?"
        case .decimal: return "NSDecimalNumber?"
        case .string: return "String?"
        case .date: return "Date?"
        case .binary: return "Data?"
        case .uuid: return "UUID?"
        case .uri: return "URL?"
        case .composite: return "[String: Any]?"
        case .objectID: return "NSManagedObjectID?"
        case .transformable, .undefined: return transformable(attribute.valueClassName)
        }
    }

    /// The class verbatim. A name like `Module.` or one with spaces is of no use, and the root class stands in.
    private static func transformable(_ className: String?) -> String {
        guard var name = className?.trimmingCharacters(in: .whitespaces), !name.isEmpty, name.last != "." else {
            return "NSObject?"
        }
        if name.hasPrefix(".") { name.removeFirst() }
        if name.hasSuffix("?") { name.removeLast() }
        return name.hasPrefix("any ") ? "(\(name))?" : name + "?"
    }

    static func type(of relationship: Relationship, destination: Entity?) -> String {
        if !relationship.isToMany { return className(of: destination) + "?" }
        return relationship.isOrdered ? "NSOrderedSet?" : "NSSet?"
    }

    static func className(of entity: Entity?) -> String {
        entity?.swiftClassName ?? "NSManagedObject"
    }

    /// Words that cannot be names without backticks.
    static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
        "internal", "let", "open", "operator", "private", "protocol", "public", "rethrows", "static", "struct",
        "subscript", "typealias", "var", "break", "case", "continue", "default", "defer", "do", "else", "fallthrough",
        "for", "guard", "if", "in", "repeat", "return", "switch", "where", "while", "as", "catch", "false", "is", "nil",
        "super", "self", "Self", "throw", "throws", "true", "try", "Type", "Protocol",
    ]
}

extension Entity {
    /// The class's name without module; `nil` for entities whose objects are plain `NSManagedObject`.
    public var swiftClassName: String? {
        guard let last = className?.split(separator: ".").last else { return nil }
        return String(last)
    }

    /// The module a class name names: `App` in `App.Thing`, `nil` in `Thing` and `.Thing`.
    public var moduleName: String? {
        guard let className, !className.hasPrefix("."), let dot = className.lastIndex(of: ".") else { return nil }
        return String(className[..<dot])
    }
}

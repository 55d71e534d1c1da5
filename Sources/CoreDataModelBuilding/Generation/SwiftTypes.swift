import ModelFormat

/// The Swift types of properties, as Xcode generates them.
struct SwiftTypes {
    let names: GeneratedNames

    func type(of attribute: Attribute) -> String {
        if attribute.usesScalarValueType == true {
            switch attribute.type {
            case .integer16: return names.swift("Int16")
            case .integer32: return names.swift("Int32")
            case .integer64: return names.swift("Int64")
            case .double: return names.swift("Double")
            case .float: return names.swift("Float")
            case .boolean: return names.swift("Bool")
            case .date: return names.foundation("TimeInterval")
            default: break
            }
        }
        switch attribute.type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: return names.foundation("NSNumber") + "?"
        case .decimal: return names.foundation("NSDecimalNumber") + "?"
        case .string: return names.swift("String") + "?"
        case .date: return names.foundation("Date") + "?"
        case .binary: return names.foundation("Data") + "?"
        case .uuid: return names.foundation("UUID") + "?"
        case .uri: return names.foundation("URL") + "?"
        case .composite: return "[\(names.swift("String")): Any]?"
        case .objectID: return names.coreData("NSManagedObjectID") + "?"
        case .transformable, .undefined: return transformable(attribute.valueClassName)
        }
    }

    /// Returns the class verbatim. A name such as `Module.`, or one with spaces, is replaced by the root class.
    private func transformable(_ className: String?) -> String {
        guard var name = className?.trimmingCharacters(in: .whitespaces), !name.isEmpty, name.last != "." else {
            return names.foundation("NSObject") + "?"
        }
        if name.hasPrefix(".") { name.removeFirst() }
        if name.hasSuffix("?") { name.removeLast() }
        return name.hasPrefix("any ") ? "(\(name))?" : name + "?"
    }

    func type(of relationship: Relationship, destination: Entity?) -> String {
        if !relationship.isToMany { return className(of: destination) + "?" }
        return names.foundation(relationship.isOrdered ? "NSOrderedSet" : "NSSet") + "?"
    }

    func className(of entity: Entity?) -> String {
        entity?.swiftClassName ?? names.coreData("NSManagedObject")
    }

    /// The keywords that must be escaped with backticks.
    static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
        "internal", "let", "open", "operator", "private", "protocol", "public", "rethrows", "static", "struct",
        "subscript", "typealias", "var", "break", "case", "continue", "default", "defer", "do", "else", "fallthrough",
        "for", "guard", "if", "in", "repeat", "return", "switch", "where", "while", "as", "catch", "false", "is", "nil",
        "super", "self", "Self", "throw", "throws", "true", "try", "Type", "Protocol",
    ]
}

extension Entity {
    /// The name of the class without its module; `nil` for entities of plain `NSManagedObject`.
    public var swiftClassName: String? {
        guard let last = className?.split(separator: ".").last else { return nil }
        return String(last)
    }

    /// The module of the class name: `App` in `App.Thing`, `nil` in `Thing` and `.Thing`.
    public var moduleName: String? {
        guard let className, !className.hasPrefix("."), let dot = className.lastIndex(of: ".") else { return nil }
        return String(className[..<dot])
    }
}

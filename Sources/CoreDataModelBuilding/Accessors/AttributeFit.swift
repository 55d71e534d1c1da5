import ModelFormat

/// Checks whether the runtime's accessors can read an attribute as a Swift type.
struct AttributeFit {
    let attribute: Attribute

    /// Returns whether values can be read as the type. True for unknown types.
    func accepts(_ type: MangledType, handling: ResolvedType.Handling) -> Bool {
        switch attribute.type {
        case .transformable, .undefined, .composite, .objectID: return true
        default: break
        }
        if case .rawValue(let raw, _) = handling {
            return accepts(framework: raw.split(separator: ".").last.map(String.init) ?? raw)
        }
        switch type {
        case .existential, .anyObject, .void, .optional: return true
        case .bound(let generic, _): return !KnownTypes.isKnown(generic)
        case .nominal(let nominal):
            guard KnownTypes.isKnown(nominal) else { return false }
            return accepts(framework: nominal.path.last?.name ?? "")
        }
    }

    private func accepts(framework name: String) -> Bool {
        ["NSObject", "AnyHashable"].contains(name) || names.contains(name)
    }

    /// The accepted type names. The accessors of numbers convert between all numeric types; dates are stored as doubles.
    private var names: Set<String> {
        switch attribute.type {
        case .integer16, .integer32, .integer64, .boolean: Self.numbers
        case .double, .float: Self.numbers.union(["Date"])
        case .decimal: Self.numbers.union(["Decimal", "NSDecimalNumber"])
        case .string: ["String", "NSString"]
        case .date: ["Date", "NSDate", "Double", "Float"]
        case .binary: ["Data", "NSData"]
        case .uuid: ["UUID", "NSUUID"]
        case .uri: ["URL", "NSURL"]
        case .transformable, .undefined, .composite, .objectID: []
        }
    }

    private static let numbers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Bool", "Double",
        "Float",
        "NSNumber", "NSValue",
    ]

    /// The type to declare instead.
    var remedy: String {
        let name =
            switch attribute.type {
            case .integer16: "Int16"
            case .integer32: "Int32"
            case .integer64: "Int64"
            case .boolean: "Bool"
            case .double: "Double"
            case .float: "Float"
            case .decimal: "NSDecimalNumber?"
            case .string: "String?"
            case .date: "Date?"
            case .binary: "Data?"
            case .uuid: "UUID?"
            case .uri: "URL?"
            case .transformable, .undefined, .composite, .objectID: "Any?"
            }
        return !attribute.isOptional && name.hasSuffix("?") ? String(name.dropLast()) : name
    }
}

import ModelFormat

/// The form of a property in the model, as its Swift type says.
enum PropertyForm {
    /// An attribute. The type is nil if the Swift type leaves it open.
    case attribute(AttributeType?, isOptional: Bool, valueClass: String?)
    /// A relationship. The destination is nil if the Swift type leaves it open.
    case toOne([String]?, isOptional: Bool)
    case toMany([String]?, isOrdered: Bool)
    /// A type that no property of a model has.
    case impossible(String, advice: String)
}

/// Derives the forms of properties from their types.
struct PropertyForms {
    let resolver: TypeResolver

    /// Returns the form of a property with the attribute `@NSManaged`.
    ///
    /// - Parameter scope: the path of the class that declares it.
    func form(of syntax: TypeSyntax, in scope: [String]) -> PropertyForm {
        let (type, isOptional) = unwrapped(syntax, in: scope)
        switch type {
        case .array(let element) where resolver.isManagedObject(element, in: scope):
            return .impossible(
                "the property is an array of managed objects, which no relationship is",
                advice: "Declare it as Set<\(element.text)>, or as NSOrderedSet and say to: \(element.text).self")
        case .named(let path, let arguments) where path.last == "Set" && !arguments.isEmpty:
            if let destination = managedClass(arguments[0], in: scope) {
                return .toMany(destination.isEmpty ? nil : destination, isOrdered: false)
            }
        case .named(let path, _) where ["NSSet", "NSMutableSet"].contains(path.last):
            return .toMany(nil, isOrdered: false)
        case .named(let path, _) where ["NSOrderedSet", "NSMutableOrderedSet"].contains(path.last):
            return .toMany(nil, isOrdered: true)
        default:
            if let destination = managedClass(type, in: scope) {
                return .toOne(destination.isEmpty ? nil : destination, isOptional: isOptional)
            }
        }
        return attribute(type, isOptional: isOptional, in: scope)
    }

    /// Returns the form of a property with the wrapper `@Stored`: an enumeration, or a value that is stored as JSON.
    func storedForm(of syntax: TypeSyntax, in scope: [String]) -> PropertyForm {
        let (type, isOptional) = unwrapped(syntax, in: scope)
        guard let resolved = try? resolver.resolve(type, in: scope) else {
            return .attribute(.binary, isOptional: isOptional, valueClass: nil)
        }
        if case .rawValue(let raw, _) = resolved.handling {
            let name = raw.split(separator: ".").last.map(String.init) ?? raw
            return .attribute(Self.attributeTypes[name], isOptional: isOptional, valueClass: nil)
        }
        return .attribute(.binary, isOptional: isOptional, valueClass: nil)
    }

    /// Returns a type without its optional and its aliases.
    private func unwrapped(_ syntax: TypeSyntax, in scope: [String]) -> (type: TypeSyntax, isOptional: Bool) {
        var (type, isOptional, scope) = (syntax, false, scope)
        for _ in 0..<16 {
            if case .optional(let inner) = type {
                (type, isOptional) = (inner, true)
            } else if case .named(let path, _) = type, let found = resolver.declaration(path, in: scope),
                case .alias(let target) = found.declaration.kind
            {
                (type, scope) = (target, Array(found.declaration.path.dropLast()))
            } else {
                break
            }
        }
        return (type, isOptional)
    }

    /// Returns the path of a managed object class, empty for `NSManagedObject`; nil for other types.
    private func managedClass(_ syntax: TypeSyntax, in scope: [String]) -> [String]? {
        guard case .named(let path, _) = syntax, resolver.isManagedObject(syntax, in: scope) else { return nil }
        return resolver.ownerClass(path, in: scope)?.declaration.path ?? []
    }

    private func attribute(_ type: TypeSyntax, isOptional: Bool, in scope: [String]) -> PropertyForm {
        let resolved: ResolvedType
        do throws(TypeProblem) {
            resolved = try resolver.resolve(type, in: scope)
        } catch {
            return .impossible(error.message, advice: error.advice)
        }
        if case .rawValue(let raw, _) = resolved.handling {
            let name = raw.split(separator: ".").last.map(String.init) ?? raw
            return .attribute(Self.attributeTypes[name], isOptional: isOptional, valueClass: nil)
        }
        switch resolved.mangled {
        case .nominal(let nominal) where KnownTypes.isKnown(nominal):
            let name = nominal.path.last?.name ?? ""
            if let type = Self.attributeTypes[name] {
                return .attribute(type, isOptional: isOptional, valueClass: nil)
            }
            if ["NSNumber", "NSValue"].contains(name) {
                return .attribute(nil, isOptional: isOptional, valueClass: nil)
            }
            // What Xcode generates for a transformable attribute without a class.
            if name == "NSObject" { return .attribute(.transformable, isOptional: isOptional, valueClass: nil) }
            if nominal.kind == .classType {
                return .attribute(.transformable, isOptional: isOptional, valueClass: type.text)
            }
            return Self.impossible(type)
        case .nominal(let nominal):
            // A class that no file of the program declares may be stored by a value transformer; a structure may not.
            if nominal.kind == .classType {
                return .attribute(.transformable, isOptional: isOptional, valueClass: type.text)
            }
            return Self.impossible(type)
        case .bound(let generic, _):
            guard KnownTypes.isKnown(generic), ["Array", "Dictionary", "Set"].contains(generic.path.last?.name) else {
                return Self.impossible(type)
            }
            return .attribute(.transformable, isOptional: isOptional, valueClass: type.text)
        case .existential, .anyObject: return .attribute(nil, isOptional: isOptional, valueClass: nil)
        case .optional, .void: return Self.impossible(type)
        }
    }

    private static func impossible(_ type: TypeSyntax) -> PropertyForm {
        .impossible(
            "no attribute stores a value of the type \(type.text)",
            advice: "Use @Stored(\"…\") for an enumeration or a Codable value, or name its value transformer in a "
                + "statement: attribute(\\.…, transformer: \"…\")")
    }

    /// The attribute types that Swift types say.
    private static let attributeTypes: [String: AttributeType] = [
        "Int": .integer64, "Int8": .integer16, "Int16": .integer16, "Int32": .integer32, "Int64": .integer64,
        "UInt8": .integer16, "UInt16": .integer32, "UInt32": .integer64, "Bool": .boolean, "Double": .double,
        "Float": .float, "Decimal": .decimal, "NSDecimalNumber": .decimal, "String": .string, "NSString": .string,
        "Date": .date, "NSDate": .date, "Data": .binary, "NSData": .binary, "UUID": .uuid, "NSUUID": .uuid, "URL": .uri,
        "NSURL": .uri,
    ]
}

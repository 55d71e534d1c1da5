/// The access level of a declaration.
enum AccessLevel: Int, Sendable, Hashable, Comparable {
    case `private`, `fileprivate`, `internal`, `package`, `public`, `open`

    static func < (left: AccessLevel, right: AccessLevel) -> Bool { left.rawValue < right.rawValue }

    init?(word: String) {
        switch word {
        case "private": self = .private
        case "fileprivate": self = .fileprivate
        case "internal": self = .internal
        case "package": self = .package
        case "public": self = .public
        case "open": self = .open
        default: return nil
        }
    }

    /// True if mangled names contain a discriminator for the file.
    var isFileLocal: Bool { self <= .fileprivate }
}

/// A location in the sources.
struct SourcePlace: Sendable, Hashable {
    var file: String
    var line: Int
    /// The column, if the location is that of a name.
    var column: Int?
}

/// A class, structure, enumeration, protocol or alias.
struct TypeDeclaration: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case classType, structType, enumType, protocolType
        case alias(TypeSyntax)
    }

    /// The names from the outermost type to this one.
    var path: [String]
    var kind: Kind
    var access: AccessLevel
    var isGeneric: Bool
    var inherited: [TypeSyntax]
    var place: SourcePlace
    /// The name in `@objc(Name)`.
    var objectiveCName: String?
    /// The name of an enumeration's first case outside of `#if`, in backticks if it is declared with them.
    var firstCase: String?
}

/// A case of an enumeration.
struct EnumerationCase: Sendable, Hashable {
    var name: String
    /// The raw value, if one is written.
    var rawValue: StatedValue?
}

/// A property with the wrapper `@Stored`, which stores its value in an attribute.
struct StoredPropertyDeclaration: Sendable, Hashable {
    var owner: DeclarationOwner
    var name: String
    /// The name of the attribute; nil if it is no literal.
    var key: String?
    var type: TypeSyntax?
    /// The value after `=`.
    var initialValue: StatedValue?
    /// The location of the name.
    var place: SourcePlace
}

/// A stored property of a structure.
struct StructureMember: Sendable, Hashable {
    var name: String
    var type: TypeSyntax?
}

/// An `@NSManaged` property.
struct ManagedPropertyDeclaration: Sendable, Hashable {
    var owner: DeclarationOwner
    var name: String
    var type: TypeSyntax?
    var access: AccessLevel
    var setterAccess: AccessLevel
    var place: SourcePlace
    /// The location of the name.
    var namePlace: SourcePlace
    /// The enclosing `#if` conditions that cannot be evaluated here, outermost first.
    var conditions: [String]
    /// The reason why the declaration cannot be implemented, as text.
    var obstacle: String?
}

/// An `@NSManaged` method.
struct ManagedMethodDeclaration: Sendable, Hashable {
    struct Parameter: Sendable, Hashable {
        /// The argument label; `nil` for `_`.
        var label: String?
        var name: String
        var type: TypeSyntax
    }

    var owner: DeclarationOwner
    var name: String
    var parameters: [Parameter]
    var result: TypeSyntax?
    var access: AccessLevel
    var place: SourcePlace
    var conditions: [String]
    var obstacle: String?
    /// The selector in `@objc(…)`.
    var selector: String?
}

/// A method with a name that the import of the original MagicalRecord looks up.
struct ImportHookDeclaration: Sendable, Hashable {
    var owner: DeclarationOwner
    var name: String
    /// The argument labels; `nil` for `_`.
    var labels: [String?]
    /// True if it has the attribute `@objc`.
    var isForObjectiveC: Bool
    var place: SourcePlace

    static func isName(_ name: String) -> Bool {
        ["import", "shouldImport", "willImport", "didImport"].contains(where: name.hasPrefix)
    }
}

/// The type or extension that declares a member.
struct DeclarationOwner: Sendable, Hashable {
    /// The names as written: of the enclosing types, or of the extended type.
    var path: [String]
    var isExtension: Bool
    /// The default access level of members.
    var defaultAccess: AccessLevel
    /// The kind of the type; nil for an extension.
    var kind: TypeDeclaration.Kind?
}

/// The declarations of a file.
struct ScannedFile: Sendable {
    var path: String
    var types: [TypeDeclaration] = []
    var properties: [ManagedPropertyDeclaration] = []
    var methods: [ManagedMethodDeclaration] = []
    var importHooks: [ImportHookDeclaration] = []
    /// The protocols that extensions adopt, by extended type.
    var conformances: [(path: [String], adopted: [TypeSyntax])] = []
    var imports: [String] = []
    /// The properties with the wrapper `@Stored`.
    var stored: [StoredPropertyDeclaration] = []
    /// The names of managed properties in inactive branches of `#if`, by class.
    var inactiveNames: [[String]: Set<String>] = [:]
    /// The functions of statements about entities.
    var statements: [EntityStatements] = []
    /// The cases of enumerations, by path.
    var cases: [[String]: [EnumerationCase]] = [:]
    /// The stored properties of structures, by path.
    var members: [[String]: [StructureMember]] = [:]
    /// The locations of `@NSManaged` outside types, such as in functions.
    var strays: [SourcePlace] = []
}

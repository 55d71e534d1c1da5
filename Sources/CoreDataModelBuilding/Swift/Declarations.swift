/// How far a declaration can be seen.
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

    /// Whether names carry the file they are declared in, to be told apart from others.
    var isFileLocal: Bool { self <= .fileprivate }
}

/// Where something stands in the sources.
struct SourcePlace: Sendable, Hashable {
    var file: String
    var line: Int
    /// Set where the place is a name.
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
}

/// An `@NSManaged` property.
struct ManagedPropertyDeclaration: Sendable, Hashable {
    var owner: DeclarationOwner
    var name: String
    var type: TypeSyntax?
    var access: AccessLevel
    var setterAccess: AccessLevel
    var place: SourcePlace
    /// Where the name stands.
    var namePlace: SourcePlace
    /// The `#if` conditions around it that cannot be decided here, outermost first.
    var conditions: [String]
    /// What makes the declaration impossible to give a body, in words.
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
}

/// A method named like those the import of the original MagicalRecord finds by name.
struct ImportHookDeclaration: Sendable, Hashable {
    var owner: DeclarationOwner
    var name: String
    /// The argument labels; `nil` for `_`.
    var labels: [String?]
    /// Whether it has the attribute `@objc`.
    var isForObjectiveC: Bool
    var place: SourcePlace

    static func isName(_ name: String) -> Bool {
        ["import", "shouldImport", "willImport", "didImport"].contains(where: name.hasPrefix)
    }
}

/// What a member is declared in.
struct DeclarationOwner: Sendable, Hashable {
    /// The names as written: of the types around, or the type an extension extends.
    var path: [String]
    var isExtension: Bool
    /// The access members have without a word of their own.
    var defaultAccess: AccessLevel
}

/// What one file declares.
struct ScannedFile: Sendable {
    var path: String
    var types: [TypeDeclaration] = []
    var properties: [ManagedPropertyDeclaration] = []
    var methods: [ManagedMethodDeclaration] = []
    var importHooks: [ImportHookDeclaration] = []
    /// What extensions adopt, by the type they extend.
    var conformances: [(path: [String], adopted: [TypeSyntax])] = []
    var imports: [String] = []
    /// `@NSManaged` in places where no member can be: functions, say.
    var strays: [SourcePlace] = []
}

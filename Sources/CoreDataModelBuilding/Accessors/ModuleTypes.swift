import Foundation

/// The types a module declares, by qualified name.
struct ModuleTypes: Sendable {
    let module: String
    private var types: [[String]: TypeDeclaration] = [:]
    /// Collects the types of a module. Aliases, and types declared inside extensions, are stored under their spelled names
    /// until those can be resolved.
    init(module: String, files: [ScannedFile]) {
        self.module = module
        for file in files {
            for type in file.types where types[type.path] == nil { types[type.path] = type }
        }
    }

    subscript(path: [String]) -> TypeDeclaration? { types[path] }

    /// Returns a type nested in another or in one of its superclasses; in an empty scope, a top-level type.
    func member(_ path: [String], of scope: [String]) -> TypeDeclaration? {
        if let found = types[scope + path] { return found }
        var current = scope
        for _ in 0..<16 {
            guard !current.isEmpty, let declaration = types[current], case .classType = declaration.kind,
                case .named(let parent, _)? = declaration.inherited.first
            else { return nil }
            let around = Array(current.dropLast())
            let candidates = (0...around.count).reversed().map { Array(around.prefix($0)) + parent }
            guard let next = candidates.first(where: { types[$0] != nil }), next != current else { return nil }
            if let found = types[next + path] { return found }
            current = next
        }
        return nil
    }

    /// Returns the type that a name refers to in a scope, searching from the innermost scope outward.
    func visible(_ name: String, from scope: [String]) -> TypeDeclaration? {
        for depth in stride(from: scope.count, through: 0, by: -1) {
            if let found = member([name], of: Array(scope.prefix(depth))) { return found }
        }
        return nil
    }

    /// Returns the discriminator of private declarations in a file.
    func discriminator(file: String) -> String {
        "_" + MD5.hex(module + (file as NSString).lastPathComponent).uppercased()
    }

    /// Returns the type for mangling; `nil` for aliases and unknown names.
    func nominal(_ path: [String]) -> NominalType? {
        var components: [NominalType.Component] = []
        var isInPrivateScope = false
        for depth in 1...max(1, path.count) {
            guard let declaration = types[Array(path.prefix(depth))] else { return nil }
            let kind: NominalType.Kind
            switch declaration.kind {
            case .classType: kind = .classType
            case .structType: kind = .structType
            case .enumType: kind = .enumType
            case .protocolType: kind = .protocolType
            case .alias: return nil
            }
            var component = NominalType.Component(name: declaration.path[depth - 1], kind: kind)
            if declaration.access.isFileLocal, !isInPrivateScope {
                component.discriminator = discriminator(file: declaration.place.file)
                isInPrivateScope = true
            }
            components.append(component)
        }
        return NominalType(module: module, path: components)
    }

    /// Returns the lowest access level of a type and its enclosing types.
    func access(_ path: [String]) -> AccessLevel {
        (1...max(1, path.count)).compactMap { types[Array(path.prefix($0))]?.access }.min() ?? .internal
    }
}

/// A resolved type: its mangling, its spelling, and its treatment by the runtime.
struct ResolvedType: Sendable {
    /// The runtime functions that read and write values of the type.
    enum Handling: Sendable, Hashable {
        /// `managedValue` and `setManagedValue`.
        case value
        /// `managedTransformable` and `setManagedTransformable`.
        case transformable
        /// An enumeration stored by its raw value, with the name of the raw type, and that of the first case for a property that is
        /// not optional.
        case rawValue(String, firstCase: String?)
    }

    var mangled: MangledType
    /// The type as Swift source, valid at file scope of the module.
    var text: String
    var handling: Handling
    /// The lowest access level of the types in the name.
    var access: AccessLevel
    /// The modules that the text requires to be imported.
    var imports: Set<String> = []

    /// The name of a type of the standard library or Foundation, without generic arguments; nil for other types.
    var frameworkName: String? {
        switch mangled {
        case .nominal(let type), .bound(let type, _):
            ["Swift", "Foundation", "FoundationEssentials"].contains(type.module) ? type.path.last?.name : nil
        default: nil
        }
    }

    /// True if all types in the name belong to the standard library.
    var isOfStandardLibrary: Bool { mangled.modules.isSubset(of: ["Swift"]) }
}

/// The reason why a type cannot be mangled.
struct TypeProblem: Error {
    var message: String
    var advice: String
}

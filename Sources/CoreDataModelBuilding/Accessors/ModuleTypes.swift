import Foundation

/// The types a module declares, by qualified name.
struct ModuleTypes: Sendable {
    let module: String
    private var types: [[String]: TypeDeclaration] = [:]
    /// Aliases and types declared inside extensions are filed under the name as written until it can be resolved.
    init(module: String, files: [ScannedFile]) {
        self.module = module
        for file in files {
            for type in file.types where types[type.path] == nil { types[type.path] = type }
        }
    }

    subscript(path: [String]) -> TypeDeclaration? { types[path] }

    /// A type nested in another, or in a superclass of it; or, where the scope is empty, one at the top.
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

    /// The type a name means to code in a scope: looked for from the innermost one outwards.
    func visible(_ name: String, from scope: [String]) -> TypeDeclaration? {
        for depth in stride(from: scope.count, through: 0, by: -1) {
            if let found = member([name], of: Array(scope.prefix(depth))) { return found }
        }
        return nil
    }

    /// What tells a private declaration from those of other files.
    func discriminator(file: String) -> String {
        "_" + MD5.hex(module + (file as NSString).lastPathComponent).uppercased()
    }

    /// The type for mangling; `nil` for aliases and names the module does not have.
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

    /// The lowest access of a type and those around it.
    func access(_ path: [String]) -> AccessLevel {
        (1...max(1, path.count)).compactMap { types[Array(path.prefix($0))]?.access }.min() ?? .internal
    }
}

/// A type resolved: how to mangle it, how to write it, and how the runtime treats it.
struct ResolvedType: Sendable {
    /// Which functions of the runtime read and write values of the type.
    enum Handling: Sendable, Hashable {
        /// `managedValue` and `setManagedValue`.
        case value
        /// `managedTransformable` and `setManagedTransformable`.
        case transformable
        /// An enumeration by its raw value, whose type this names.
        case rawValue(String)
    }

    var mangled: MangledType
    /// The type as Swift source, valid at file scope of the module.
    var text: String
    var handling: Handling
    /// The lowest access of the types named.
    var access: AccessLevel
    /// Modules the text needs imported.
    var imports: Set<String> = []

    /// The name of a type of the standard library or Foundation, without generic arguments.
    var frameworkName: String? {
        switch mangled {
        case .nominal(let type), .bound(let type, _):
            ["Swift", "Foundation", "FoundationEssentials"].contains(type.module) ? type.path.last?.name : nil
        default: nil
        }
    }

    /// Whether every type named is the standard library's.
    var isOfStandardLibrary: Bool { mangled.modules.isSubset(of: ["Swift"]) }
}

/// Why a type cannot be mangled.
struct TypeProblem: Error {
    var message: String
    var advice: String
}

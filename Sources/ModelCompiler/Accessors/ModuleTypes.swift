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

    /// Whether every type named is the standard library's.
    var isOfStandardLibrary: Bool { mangled.modules.isSubset(of: ["Swift"]) }
}

/// Why a type cannot be mangled.
struct TypeProblem: Error {
    var message: String
    var advice: String
}

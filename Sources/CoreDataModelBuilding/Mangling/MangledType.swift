/// A type with all information that its mangled name requires.
indirect enum MangledType: Sendable, Hashable {
    case nominal(NominalType)
    /// A generic type with its arguments; the generic parameters are the innermost type's.
    case bound(NominalType, [MangledType])
    case optional(MangledType)
    /// `any P & Q`; `Any` has no protocols, `any AnyObject` is a separate case.
    case existential([NominalType])
    case anyObject
    /// `()`.
    case void
}

/// A class, structure, enumeration or protocol of a module.
struct NominalType: Sendable, Hashable {
    struct Component: Sendable, Hashable {
        var name: String
        var kind: Kind
        /// The discriminator of a private type, which identifies its file.
        var discriminator: String?
    }

    /// The kinds of types. Raw values are the letters in mangled names.
    enum Kind: String, Sendable, Hashable {
        case classType = "C"
        case structType = "V"
        case enumType = "O"
        case protocolType = "P"
    }

    var module: String
    var path: [Component]

    /// Creates a top-level type.
    init(module: String, name: String, kind: Kind) {
        self.module = module
        path = [Component(name: name, kind: kind)]
    }

    init(module: String, path: [Component]) {
        self.module = module
        self.path = path
    }

    /// A unique name of the type.
    var key: String { ([module] + path.map { $0.name + ($0.discriminator ?? "") }).joined(separator: ".") }

    var kind: Kind { path[path.count - 1].kind }
}

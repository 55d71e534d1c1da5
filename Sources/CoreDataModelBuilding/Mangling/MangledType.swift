/// A type with everything its mangled name needs.
indirect enum MangledType: Sendable, Hashable {
    case nominal(NominalType)
    /// A generic type with its arguments; the generic parameters are the innermost type's.
    case bound(NominalType, [MangledType])
    case optional(MangledType)
    /// `any P & Q`; `Any` has none, `any AnyObject` is its own case.
    case existential([NominalType])
    case anyObject
    /// `()`.
    case void
}

/// A class, structure, enumeration or protocol of some module.
struct NominalType: Sendable, Hashable {
    struct Component: Sendable, Hashable {
        var name: String
        var kind: Kind
        /// What tells a private type from those of other files.
        var discriminator: String?
    }

    /// Raw values are the letters mangled names use.
    enum Kind: String, Sendable, Hashable {
        case classType = "C"
        case structType = "V"
        case enumType = "O"
        case protocolType = "P"
    }

    var module: String
    var path: [Component]

    /// A type at the top of a module.
    init(module: String, name: String, kind: Kind) {
        self.module = module
        path = [Component(name: name, kind: kind)]
    }

    init(module: String, path: [Component]) {
        self.module = module
        self.path = path
    }

    /// A name no other type has.
    var key: String { ([module] + path.map { $0.name + ($0.discriminator ?? "") }).joined(separator: ".") }

    var kind: Kind { path[path.count - 1].kind }
}

/// Resolves the names in a declaration's type to types of the module, of imported modules, or of Foundation.
struct TypeResolver {
    let own: ModuleTypes
    /// The types of imported modules, scanned on first use.
    let imported: ImportedModules
    /// The site at which resolved types will be written.
    let site: WritingSite

    init(own: ModuleTypes, imported: ImportedModules, site: WritingSite? = nil) {
        self.own = own
        self.imported = imported
        self.site = site ?? WritingSite(types: own, scope: [])
    }

    private static let depthLimit = 16

    /// Resolves a type.
    ///
    /// - Parameter scope: the names of the types that enclose the declaration, in an extension of which the type will be
    ///   written.
    func resolve(_ syntax: TypeSyntax, in scope: [String]) throws(TypeProblem) -> ResolvedType {
        let resolver = TypeResolver(own: own, imported: imported, site: WritingSite(types: own, scope: scope))
        return try resolver.resolve(syntax, in: scope, depth: 0)
    }

    private func resolve(_ syntax: TypeSyntax, in scope: [String], depth: Int) throws(TypeProblem) -> ResolvedType {
        guard depth < Self.depthLimit else {
            throw TypeProblem(message: "the type refers to itself", advice: "Write the type out")
        }
        switch syntax {
        case .optional(let wrapped):
            let inner = try resolve(wrapped, in: scope, depth: depth + 1)
            var result = inner
            result.mangled = .optional(inner.mangled)
            result.text = inner.text.hasPrefix("any ") ? "(\(inner.text))?" : inner.text + "?"
            if case .rawValue(let raw, _) = inner.handling { result.handling = .rawValue(raw, firstCase: nil) }
            return result
        case .array(let element):
            let inner = try resolve(element, in: scope, depth: depth + 1)
            return bound("Array", [inner], text: "[\(inner.text)]", isValue: isManagedObject(element, in: scope))
        case .dictionary(let key, let value):
            let keyType = try resolve(key, in: scope, depth: depth + 1)
            let valueType = try resolve(value, in: scope, depth: depth + 1)
            return bound(
                "Dictionary", [keyType, valueType], text: "[\(keyType.text): \(valueType.text)]", isValue: false)
        case .composition(let parts): return try existential(parts, in: scope, depth: depth)
        case .tuple(let parts) where parts.isEmpty:
            return ResolvedType(mangled: .void, text: "()", handling: .transformable, access: .public)
        case .named(let path, let arguments): return try named(path, arguments, in: scope, depth: depth)
        case .tuple, .unsupported:
            throw TypeProblem(
                message: "the type \(syntax.text) cannot be a managed property's",
                advice: "Use an attribute type, a managed object class, or a class of your own for a transformable")
        }
    }

    private func bound(
        _ name: String, _ arguments: [ResolvedType], text: String, isValue: Bool
    ) -> ResolvedType {
        ResolvedType(
            mangled: .bound(NominalType(module: "Swift", name: name, kind: .structType), arguments.map(\.mangled)),
            text: text, handling: isValue ? .value : .transformable, access: arguments.map(\.access).min() ?? .public,
            imports: arguments.reduce(into: []) { $0.formUnion($1.imports) })
    }

    private func existential(
        _ parts: [TypeSyntax], in scope: [String], depth: Int
    ) throws(TypeProblem) -> ResolvedType {
        // `any T` of a type that is not a protocol, such as `any Any`, is the type itself.
        if parts == [.named(["Any"], arguments: [])] || parts == [.named(["AnyObject"], arguments: [])] {
            return try resolve(parts[0], in: scope, depth: depth + 1)
        }
        var protocols: [NominalType] = []
        var texts: [String] = []
        var access = AccessLevel.public
        var imports: Set<String> = []
        for part in parts {
            let resolved = try resolve(part, in: scope, depth: depth + 1)
            guard case .existential(let types) = resolved.mangled else {
                throw TypeProblem(
                    message: "\(part.text) in the type is no protocol", advice: "Name a class, or protocols alone")
            }
            protocols += types
            texts.append(resolved.text.hasPrefix("any ") ? String(resolved.text.dropFirst(4)) : resolved.text)
            access = min(access, resolved.access)
            imports.formUnion(resolved.imports)
        }
        let sorted = protocols.sorted(byText: \.key)
        return ResolvedType(
            mangled: .existential(sorted), text: "any " + texts.joined(separator: " & "),
            handling: .transformable, access: access, imports: imports)
    }

    // MARK: Names

    private func named(
        _ path: [String], _ arguments: [TypeSyntax], in scope: [String], depth: Int
    ) throws(TypeProblem) -> ResolvedType {
        if arguments.isEmpty, path == ["Any"] {
            return ResolvedType(
                mangled: .existential([]), text: "Any", handling: .transformable, access: .public)
        }
        if arguments.isEmpty, path == ["AnyObject"] {
            return ResolvedType(mangled: .anyObject, text: "AnyObject", handling: .transformable, access: .public)
        }
        if path == ["Codable"] {
            return try existential(
                [.named(["Decodable"], arguments: []), .named(["Encodable"], arguments: [])], in: scope, depth: depth)
        }
        if path == ["Void"] { return try resolve(.tuple([]), in: scope, depth: depth + 1) }
        if let found = declaration(path, in: scope) {
            return try resolved(found.declaration, of: found.types, arguments, in: scope, depth: depth)
        }
        let name = path.count == 2 && Self.knownModules.contains(path[0]) ? path[1] : path[0]
        if path.count == 1 || name != path[0] {
            if let alias = KnownTypes.aliases[name] { return try resolve(alias, in: scope, depth: depth + 1) }
            if let known = KnownTypes.type(named: name) {
                return try standard(known, name: name, arguments, in: scope, depth: depth)
            }
        }
        throw TypeProblem(
            message: "the type \(path.joined(separator: ".")) is not known to modelc",
            advice: "Its module must be a dependency of the target; or use a property of another type, and convert")
    }

    private static let knownModules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "CoreData",
    ]

    /// Returns a type of the module, searching from the innermost scope outward and in superclasses, or one of an imported
    /// module.
    func declaration(
        _ path: [String], in scope: [String]
    ) -> (declaration: TypeDeclaration, types: ModuleTypes)? {
        for depth in stride(from: scope.count, through: 0, by: -1) {
            let around = Array(scope.prefix(depth))
            if let found = member(path, of: around) { return (found, own) }
        }
        if path.count > 1, path[0] == own.module, let found = own[Array(path.dropFirst())] { return (found, own) }
        // Known types are resolved without scanning sources, which is slow.
        let name = path.count == 2 && Self.knownModules.contains(path[0]) ? path[1] : path.count == 1 ? path[0] : nil
        if let name, KnownTypes.type(named: name) != nil || KnownTypes.aliases[name] != nil && path.count == 2 {
            return nil
        }
        return imported.declaration(path)
    }

    /// Returns a type nested in another or in one of its superclasses.
    private func member(_ path: [String], of scope: [String]) -> TypeDeclaration? {
        own.member(path, of: scope)
    }

    private func resolved(
        _ declaration: TypeDeclaration, of types: ModuleTypes, _ arguments: [TypeSyntax], in scope: [String], depth: Int
    ) throws(TypeProblem) -> ResolvedType {
        let isOwn = types.module == own.module
        if case .alias(let target) = declaration.kind {
            let around = Array(declaration.path.dropLast())
            if isOwn { return try resolve(target, in: around, depth: depth + 1) }
            return try TypeResolver(own: types, imported: imported, site: site)
                .resolve(target, in: around, depth: depth + 1)
        }
        guard let nominal = types.nominal(declaration.path) else {
            throw TypeProblem(
                message: "the type \(declaration.path.joined(separator: ".")) is nested in something unknown",
                advice: "Declare it at the top of the module")
        }
        let name = declaration.path.joined(separator: ".")
        let access = isOwn ? types.access(declaration.path) : .public
        if access.isFileLocal {
            throw TypeProblem(
                message: "the type \(name) is private to its file, where no generated code can name it",
                advice: "Make it internal")
        }
        let text = site.text(declaration.path, of: types)
        var result = ResolvedType(
            mangled: .nominal(nominal), text: text, handling: try handling(declaration, of: types), access: access)
        if !isOwn { result.imports = [types.module] }
        if declaration.kind == .protocolType { result.mangled = .existential([nominal]) }
        if declaration.isGeneric != !arguments.isEmpty || declaration.isGeneric && declaration.path.count > 1 {
            throw TypeProblem(
                message: "the generic type \(name) cannot be mangled here",
                advice: "Declare a class of its own that is not generic")
        }
        if declaration.isGeneric {
            var inner: [ResolvedType] = []
            for argument in arguments { inner.append(try resolve(argument, in: scope, depth: depth + 1)) }
            result.mangled = .bound(nominal, inner.map(\.mangled))
            result.text += "<\(inner.map(\.text).joined(separator: ", "))>"
            result.access = inner.map(\.access).min().map { min($0, access) } ?? access
            for type in inner { result.imports.formUnion(type.imports) }
        }
        if declaration.kind == .protocolType { result.text = "any " + text }
        return result
    }

    private func standard(
        _ known: NominalType, name: String, _ arguments: [TypeSyntax], in scope: [String], depth: Int
    ) throws(TypeProblem) -> ResolvedType {
        let written = try site.text(name, ofFramework: known.module)
        if !arguments.isEmpty {
            var inner: [ResolvedType] = []
            for argument in arguments { inner.append(try resolve(argument, in: scope, depth: depth + 1)) }
            let text = "\(written)<\(inner.map(\.text).joined(separator: ", "))>"
            let isSetOfObjects = name == "Set" && isManagedObject(arguments[0], in: scope)
            var result = bound(name, inner, text: text, isValue: isSetOfObjects)
            result.mangled = .bound(known, inner.map(\.mangled))
            return result
        }
        if known.kind == .protocolType {
            return ResolvedType(
                mangled: .existential([known]), text: "any " + written, handling: .transformable, access: .public)
        }
        let isValue = Self.valueTypes.contains(name) || known.kind == .classType && name.hasPrefix("NS")
        var result = ResolvedType(
            mangled: .nominal(known), text: written, handling: isValue ? .value : .transformable, access: .public)
        if known.module == "FoundationNetworking" { result.imports = ["FoundationNetworking"] }
        return result
    }

    /// The types that the runtime's accessors accept without conversion.
    private static let valueTypes: Set<String> = [
        "Int", "Int16", "Int32", "Int64", "Bool", "Double", "Float", "String", "Date", "Data", "UUID", "URL", "Decimal",
    ]

    // MARK: Classes

    private func handling(
        _ declaration: TypeDeclaration, of types: ModuleTypes
    ) throws(TypeProblem) -> ResolvedType.Handling {
        switch declaration.kind {
        case .classType:
            return root(of: declaration, types).map { $0.hasPrefix("NS") } == true ? .value : .transformable
        case .enumType:
            let raw: Set<String> = ["Int", "Int16", "Int32", "Int64", "String", "Double", "Float", "Bool"]
            if case .named(let path, _)? = declaration.inherited.first, path.count == 1, raw.contains(path[0]) {
                return .rawValue(
                    try site.text(path[0], ofFramework: "Swift"), firstCase: declaration.firstCase)
            }
            return .transformable
        default: return .transformable
        }
    }

    /// Returns the name of the root class of a class: `NSManagedObject`, `NSObject`, or another one.
    private func root(of declaration: TypeDeclaration, _ types: ModuleTypes) -> String? {
        var declaration = declaration
        var types = types
        for _ in 0..<64 {
            guard case .named(let parent, _)? = declaration.inherited.first else { return declaration.path.last }
            let scope = Array(declaration.path.dropLast())
            let resolver = types.module == own.module ? self : TypeResolver(own: types, imported: imported, site: site)
            if let next = resolver.declaration(parent, in: scope) {
                if case .alias(.named(let target, _)) = next.declaration.kind {
                    let resolver =
                        next.types.module == own.module
                        ? self : TypeResolver(own: next.types, imported: imported, site: site)
                    let around = Array(next.declaration.path.dropLast())
                    guard let found = resolver.declaration(target, in: around) else { return target.last }
                    (declaration, types) = (found.declaration, found.types)
                    continue
                }
                guard case .classType = next.declaration.kind else { return declaration.path.last }
                (declaration, types) = (next.declaration, next.types)
            } else {
                return parent.last
            }
        }
        return nil
    }

    /// Returns whether a type is a managed object class.
    func isManagedObject(_ syntax: TypeSyntax, in scope: [String]) -> Bool {
        guard case .named(let path, _) = syntax else { return false }
        if let found = declaration(path, in: scope) {
            if case .alias(let target) = found.declaration.kind { return isManagedObject(target, in: scope) }
            guard case .classType = found.declaration.kind else { return false }
            return root(of: found.declaration, found.types) == "NSManagedObject"
        }
        return path.last == "NSManagedObject"
    }

    /// Returns the class that an owner's path refers to, resolving aliases.
    func ownerClass(
        _ path: [String], in scope: [String] = []
    ) -> (declaration: TypeDeclaration, types: ModuleTypes)? {
        guard let found = declaration(path, in: scope) else { return nil }
        if case .alias(.named(let target, _)) = found.declaration.kind {
            return declaration(target, in: Array(found.declaration.path.dropLast()))
        }
        return found
    }

    /// Returns the declaration that a class name in a model refers to, in the module or an imported one.
    func modelClass(_ name: String, ofModule module: String?) -> (declaration: TypeDeclaration, types: ModuleTypes)? {
        if let module, module != own.module { return imported.declaration([module, name]) }
        return own[[name]].map { ($0, own) }
    }

    /// Returns a class and its superclasses, nearest first, and whether the chain is complete up to a framework class.
    func lineage(
        of declaration: TypeDeclaration, in types: ModuleTypes
    ) -> (classes: [(path: [String], module: String)], isComplete: Bool) {
        var classes: [(path: [String], module: String)] = []
        var (declaration, types) = (declaration, types)
        for _ in 0..<64 {
            classes.append((declaration.path, types.module))
            guard case .named(let parent, _)? = declaration.inherited.first else { return (classes, false) }
            let resolver = types.module == own.module ? self : TypeResolver(own: types, imported: imported, site: site)
            guard var next = resolver.declaration(parent, in: Array(declaration.path.dropLast())) else {
                return (classes, parent.last == "NSManagedObject")
            }
            if case .alias(.named(let target, _)) = next.declaration.kind,
                let found = TypeResolver(own: next.types, imported: imported, site: site)
                    .declaration(target, in: Array(next.declaration.path.dropLast()))
            {
                next = found
            }
            guard case .classType = next.declaration.kind else { return (classes, false) }
            (declaration, types) = (next.declaration, next.types)
        }
        return (classes, false)
    }

    /// Returns the paths of the superclasses of a class in the module, nearest first.
    func ancestors(of declaration: TypeDeclaration) -> [[String]] {
        var result: [[String]] = []
        var declaration = declaration
        for _ in 0..<64 {
            guard case .named(let parent, _)? = declaration.inherited.first,
                let next = self.declaration(parent, in: Array(declaration.path.dropLast()))
            else { return result }
            result.append(next.declaration.path)
            declaration = next.declaration
        }
        return result
    }
}

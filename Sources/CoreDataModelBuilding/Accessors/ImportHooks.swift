import ModelFormat

/// Warns about methods that MagicalRecord's import finds by name on Apple's platforms, but never calls elsewhere.
struct ImportHooks {
    let files: [ScannedFile]
    let resolver: TypeResolver
    let models: [Model]

    private static let adopted = "MagicalRecordDataImportProtocol"

    func problems() -> [Diagnostic] {
        // Programs without MagicalRecord may use such names for other purposes.
        guard files.contains(where: { $0.imports.contains("MagicalRecord") }) else { return [] }
        return files.flatMap(\.importHooks).compactMap(problem(with:))
    }

    private func problem(with hook: ImportHookDeclaration) -> Diagnostic? {
        guard hook.labels == [nil], let owner = resolver.ownerClass(hook.owner.path),
            resolver.isManagedObject(.named(hook.owner.path, arguments: []), in: []),
            let className = owner.declaration.path.last
        else { return nil }
        let lineage = [owner.declaration.path] + resolver.ancestors(of: owner.declaration)
        if ["shouldImport", "willImport", "didImport"].contains(hook.name) {
            if lineage.contains(where: adopts) { return nil }
            return warning(
                hook, "only classes that adopt \(Self.adopted) have it called",
                "Write \"extension \(className): \(Self.adopted) {}\"")
        }
        let prefix = hook.name.hasPrefix("shouldImport") ? "shouldImport" : "import"
        guard hook.name.hasPrefix(prefix), let first = hook.name.dropFirst(prefix.count).first, first.isUppercase else {
            return nil
        }
        let capital = String(hook.name.dropFirst(prefix.count))
        let property = property(capital, of: lineage)
        guard property != nil || hook.isForObjectiveC else { return nil }
        let key = property?.name ?? capital.prefix(1).lowercased() + capital.dropFirst()
        let isRelationship = prefix == "shouldImport" || property?.isRelationship == true
        let (name, labels) =
            prefix == "shouldImport"
            ? ("shouldImportRelationship", [nil, "data"])
            : isRelationship ? ("importRelationship", [nil, "record"]) : ("importValue", [nil, "forAttribute"])
        let isReplaced = files.flatMap(\.importHooks).contains {
            $0.name == name && $0.labels == labels && lineage.contains($0.owner.path)
        }
        if isReplaced { return nil }
        return warning(
            hook, "methods are found by name only where there is Objective-C",
            "Adopt \(Self.adopted), and handle \"\(key)\" in \(name)(_:\(labels[1] ?? ""):)")
    }

    private func warning(_ hook: ImportHookDeclaration, _ reason: String, _ advice: String) -> Diagnostic {
        Diagnostic(
            severity: .warning, message: "the import never calls \(hook.name)(_:): \(reason)", file: hook.place.file,
            line: hook.place.line, advice: advice)
    }

    private func adopts(_ path: [String]) -> Bool {
        let inherited = resolver.ownerClass(path)?.declaration.inherited ?? []
        let extended = files.flatMap(\.conformances).filter { $0.path == path }.flatMap(\.adopted)
        return (inherited + extended).contains { type in
            if case .named(let names, _) = type { return names.last == Self.adopted }
            if case .composition(let parts) = type {
                return parts.contains {
                    if case .named(let names, _) = $0 { names.last == Self.adopted } else { false }
                }
            }
            return false
        }
    }

    /// Returns the property with a capitalized name equal to the method's.
    private func property(_ capital: String, of lineage: [[String]]) -> (name: String, isRelationship: Bool)? {
        func isMeant(_ name: String) -> Bool { name.prefix(1).uppercased() + name.dropFirst() == capital }
        let classes = Set(lineage.compactMap(\.last))
        for model in models {
            for entity in model.entities where entity.swiftClassName.map(classes.contains) == true {
                if let relationship = entity.relationships.first(where: { isMeant($0.name) }) {
                    return (relationship.name, true)
                }
                if let attribute = entity.attributes.first(where: { isMeant($0.name) }) {
                    return (attribute.name, false)
                }
            }
        }
        guard
            let property = files.lazy.flatMap(\.properties)
                .first(where: { lineage.contains($0.owner.path) && isMeant($0.name) })
        else { return nil }
        return (property.name, property.type.map { isRelationship($0, in: property.owner.path) } ?? false)
    }

    private func isRelationship(_ type: TypeSyntax, in scope: [String]) -> Bool {
        switch type {
        case .optional(let wrapped): isRelationship(wrapped, in: scope)
        case .named(let path, let arguments):
            ["NSSet", "NSOrderedSet"].contains(path.last)
                || path.last == "Set" && arguments.first.map { resolver.isManagedObject($0, in: scope) } == true
                || resolver.isManagedObject(type, in: scope)
        case .array(let element): resolver.isManagedObject(element, in: scope)
        default: false
        }
    }
}

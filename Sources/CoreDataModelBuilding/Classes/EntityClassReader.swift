import ModelFormat

/// Reads the entities that a module's managed object classes describe.
struct EntityClassReader {
    let module: String
    let files: [ScannedFile]
    let resolver: TypeResolver
    private let types: ModuleTypes
    private(set) var problems: [Diagnostic] = []
    /// Warnings that do not make the entities invalid.
    private(set) var notes: [Diagnostic] = []
    /// The entities, sorted by name. Valid only without problems.
    private(set) var entities: [EntityClass] = []

    /// The names of the model's entities by class, for classes that state no name.
    private let knownNames: [String: String]
    private let model: Model
    /// The names of classes that belong to other models.
    private let foreignNames: Set<String>

    /// Creates a reader and reads the classes.
    ///
    /// - Parameters:
    ///   - module: the module that the sources are compiled as.
    ///   - files: the scanned sources.
    ///   - imported: the modules that the sources import.
    ///   - model: the model to which the classes belong, for what they leave open.
    ///   - others: other models of the module. Their classes are left out.
    init(
        module: String, files: [ScannedFile], imported: ImportedModules, model: Model = Model(), others: [Model] = []
    ) {
        self.module = module
        self.model = model
        let names = model.entityNamesByClass(in: module)
        knownNames = names
        foreignNames = Set(others.flatMap { $0.entityNamesByClass(in: module).keys }).subtracting(names.keys)
        self.files = files
        types = ModuleTypes(module: module, files: files)
        resolver = TypeResolver(own: types, imported: imported)
        read()
    }

    // MARK: Classes

    /// The members of one class, from all files.
    private struct Members {
        var properties: [ManagedPropertyDeclaration] = []
        var stored: [StoredPropertyDeclaration] = []
        var methods: [ManagedMethodDeclaration] = []
        var statements: [EntityStatements] = []

        var areEmpty: Bool { properties.isEmpty && stored.isEmpty && statements.isEmpty }
    }

    private mutating func read() {
        var members: [[String]: Members] = [:]
        func note(_ owner: [String], _ change: (inout Members) -> Void) {
            guard let found = resolver.ownerClass(owner), found.types.module == module else { return }
            change(&members[found.declaration.path, default: Members()])
        }
        for file in files {
            for property in file.properties { note(property.owner.path) { $0.properties.append(property) } }
            for property in file.stored { note(property.owner.path) { $0.stored.append(property) } }
            for method in file.methods { note(method.owner.path) { $0.methods.append(method) } }
            for statements in file.statements { note(statements.className) { $0.statements.append(statements) } }
        }
        for statements in files.flatMap(\.statements) {
            if statements.isMisplaced {
                report(
                    statements.place, "these statements are not read",
                    "Write a static function of the class with one parameter, of the type EntityDeclaration<Class>")
            } else if resolver.ownerClass(statements.className)?.types.module != module {
                report(
                    statements.place, "\(statements.className.joined(separator: ".")) is no class of this module",
                    "State facts about a class in its module")
            }
        }
        let classes = managedClasses(with: members)
        guard problems.isEmpty else { return }
        let superclasses = Set(classes.compactMap { parents(of: $0).first })
        var byPath: [[String]: EntityClass] = [:]
        var included: [TypeDeclaration] = []
        for declaration in classes {
            let own = members[declaration.path] ?? Members()
            let statements = own.statements.flatMap(\.statements).filter { $0.name == "entity" }
            let isEntity: Bool? =
                statements.isEmpty
                ? nil
                : !statements.flatMap(\.arguments).contains { $0.label == "isEntity" && $0.value == .bool(false) }
            let isUsual =
                !superclasses.contains(declaration.path)
                || !isMereSuperclass(declaration, own, classes) && (!own.areEmpty || isBetween(declaration, members))
            guard isEntity ?? isUsual else { continue }
            included.append(declaration)
            byPath[declaration.path] = entity(declaration, own)
        }
        for declaration in included {
            guard var entity = byPath[declaration.path] else { continue }
            // Superclasses without an entity lend their properties.
            let ancestors = parents(of: declaration)
            let skipped = ancestors.prefix { byPath[$0] == nil }
            entity.parentName = ancestors.first { byPath[$0] != nil }.flatMap { byPath[$0]?.entityName }
            if let parent = entity.parentName {
                entity.facts.append(
                    Fact("parent entity", parent, entity.place, at: \.parentName) { $0 ?? "none" })
            }
            var property = PropertyReader(
                resolver: resolver, files: files, entityNames: byPath.mapValues(\.entityName),
                inherited: Set(ancestors.flatMap { members[$0]?.properties.map(\.name) ?? [] }),
                known: model.entity(named: entity.entityName).map { KnownProperties(of: $0, in: model) })
            for path in [declaration.path] + skipped {
                let own = members[path] ?? Members()
                property.read(
                    own.properties, stored: own.stored, methods: own.methods,
                    statements: own.statements.flatMap(\.statements), in: path, to: &entity)
            }
            problems += property.problems
            notes += property.notes
            entities.append(entity)
        }
        entities.sort { $0.entityName < $1.entityName }
        checkNames()
    }

    /// Returns whether the model has entities of subclasses but not of the class itself.
    private func isMereSuperclass(
        _ declaration: TypeDeclaration, _ own: Members, _ classes: [TypeDeclaration]
    ) -> Bool {
        func isKnown(_ other: TypeDeclaration) -> Bool {
            knownNames[other.objectiveCName ?? other.path.last ?? ""] != nil
        }
        let name = declaration.objectiveCName ?? declaration.path.last ?? ""
        if let entity = knownNames[name] {
            // The class of an entity that is no parent may still be the empty superclass of others.
            return own.areEmpty && !model.entities.contains { $0.parentName == entity }
                && classes.contains { isKnown($0) && parents(of: $0).contains(declaration.path) }
        }
        return classes.contains { isKnown($0) && parents(of: $0).contains(declaration.path) }
    }

    /// Returns whether a class without members stands between classes that are entities.
    private func isBetween(_ declaration: TypeDeclaration, _ members: [[String]: Members]) -> Bool {
        let name = declaration.objectiveCName ?? declaration.path.last ?? ""
        return knownNames[name] != nil || parents(of: declaration).contains { members[$0]?.areEmpty == false }
    }

    /// Returns the managed object classes of the module in the order of the sources.
    private mutating func managedClasses(with members: [[String]: Members]) -> [TypeDeclaration] {
        var classes: [TypeDeclaration] = []
        for declaration in files.flatMap(\.types) {
            guard case .classType = declaration.kind else { continue }
            let own = members[declaration.path] ?? Members()
            if isCyclic(declaration) {
                if own.areEmpty { continue }
                report(
                    declaration.place, "the class \(declaration.path.joined(separator: ".")) inherits from itself",
                    "Give one of the classes another superclass")
                continue
            }
            guard resolver.isManagedObject(.named(declaration.path, arguments: []), in: []) else {
                noteUnknownSuperclass(declaration, own)
                continue
            }
            if foreignNames.contains(declaration.objectiveCName ?? declaration.path.last ?? "") { continue }
            guard check(declaration, own) else { continue }
            classes.append(declaration)
        }
        return classes
    }

    private mutating func noteUnknownSuperclass(_ declaration: TypeDeclaration, _ own: Members) {
        guard !own.properties.isEmpty, case .named(let parent, _)? = declaration.inherited.first else { return }
        notes.append(
            Diagnostic(
                severity: .warning,
                message: "the class \(declaration.path.joined(separator: ".")) has @NSManaged properties, but "
                    + "\(parent.joined(separator: ".")) is not known to inherit from NSManagedObject: it is left out",
                file: declaration.place.file, line: declaration.place.line,
                advice: "If it is a managed object class, name the module of its superclass with --dependency"))
    }

    private mutating func check(_ declaration: TypeDeclaration, _ own: Members) -> Bool {
        let name = declaration.path.joined(separator: ".")
        if declaration.isGeneric {
            if own.areEmpty { return false }
            report(
                declaration.place, "the generic class \(name) cannot be the class of an entity",
                "Declare managed properties in classes that are not generic")
            return false
        }
        if declaration.path.count > 1, declaration.objectiveCName == nil {
            if own.areEmpty { return false }
            report(
                declaration.place,
                "the nested class \(name) cannot be the class of an entity, which is found by its name",
                "Declare it at the top of the file")
            return false
        }
        if types.access(declaration.path).isFileLocal {
            if own.areEmpty { return false }
            report(
                declaration.place, "the class \(name) is private to its file, and no model can name it",
                "Make it internal")
            return false
        }
        return true
    }

    private func isCyclic(_ declaration: TypeDeclaration) -> Bool {
        var path = declaration.path
        var visited: Set = [path]
        while let next = superclass(of: path) {
            if !visited.insert(next).inserted { return true }
            path = next
        }
        return false
    }

    private func superclass(of path: [String]) -> [String]? {
        guard case .named(let parent, _)? = types[path]?.inherited.first,
            let next = resolver.ownerClass(parent, in: Array(path.dropLast())), next.types.module == module,
            case .classType = next.declaration.kind
        else { return nil }
        return next.declaration.path
    }

    /// Returns the superclasses in the module, nearest first.
    private func parents(of declaration: TypeDeclaration) -> [[String]] {
        var parents: [[String]] = []
        while let next = superclass(of: parents.last ?? declaration.path), !parents.contains(next) {
            parents.append(next)
        }
        return parents
    }

    // MARK: Entities

    private mutating func entity(_ declaration: TypeDeclaration, _ own: Members) -> EntityClass {
        let name = declaration.path.last ?? ""
        var entity = EntityClass(
            path: declaration.path, className: declaration.objectiveCName ?? "." + name,
            entityName: knownNames[declaration.objectiveCName ?? name] ?? name, place: declaration.place)
        for group in own.statements {
            for statement in group.statements { apply(statement, to: &entity) }
        }
        return entity
    }

    private mutating func apply(_ statement: EntityStatement, to entity: inout EntityClass) {
        var reader = StatementReader(statement)
        switch statement.name {
        case "entity":
            if let name = reader.string("name") { entity.entityName = name }
            if let flag = reader.bool("isAbstract") {
                entity.facts.append(.flag("isAbstract", flag, reader.place("isAbstract"), at: \.isAbstract))
            }
            if let old = reader.string("renamedFrom") {
                entity.renamedFrom = old
                entity.facts.append(
                    .text("renaming identifier", old, reader.place("renamedFrom"), at: \.renamingIdentifier))
            }
            if let text = reader.string("versionHashModifier") {
                entity.facts.append(
                    .text(
                        "version hash modifier", text, reader.place("versionHashModifier"), at: \.versionHashModifier))
            }
            entity.facts += Fact.userInfo(reader.userInfo(), reader.place("userInfo"), at: \.userInfo)
            _ = reader.bool("isEntity")
        case "unique":
            let keys = reader.keys()
            guard !keys.isEmpty else { break }
            entity.facts.append(
                Fact(
                    "unique key", stated: keys.joined(separator: ", "), statement.place,
                    current: { _ in "absent" }, holds: { $0.uniquenessConstraints.contains(keys) },
                    apply: { $0.uniquenessConstraints.append(keys) }))
        case "index": if let fact = index(&reader) { entity.facts.append(fact) }
        case "attribute", "relationship": break
        default:
            reader.report(
                statement.place, "this is no statement about the entity",
                "Call entity, unique, index, attribute and relationship, with literals and key paths as arguments")
        }
        problems += reader.problems
    }

    private func index(_ reader: inout StatementReader) -> Fact<Entity>? {
        let keys = reader.keys()
        let descending = reader.keyList("descending")
        let kind: FetchIndexElement.Kind = reader.member("type") == "rTree" ? .rTree : .binary
        let stated = reader.string("name")
        guard !keys.isEmpty else { return nil }
        for key in descending where !keys.contains(key) {
            reader.report(
                reader.place("descending"), "\(key) is not among the properties of the index", "Name it first")
        }
        let elements = keys.map {
            FetchIndexElement(property: $0, kind: kind, isAscending: !descending.contains($0))
        }
        let usual = "by" + keys.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And") + "Index"
        let name = stated ?? usual
        return Fact(
            "index", stated: name, reader.statement.place,
            current: { entity in entity.fetchIndexes.contains { $0.name == name } ? "with other elements" : "absent" },
            holds: { entity in
                entity.effectiveFetchIndexes.contains {
                    $0.elements == elements && (stated == nil || $0.name == stated)
                }
            },
            apply: { entity in
                entity.fetchIndexes.removeAll { $0.name == name }
                entity.fetchIndexes.append(FetchIndex(name: name, elements: elements))
            })
    }

    private mutating func checkNames() {
        var known: [String: EntityClass] = [:]
        for entity in entities {
            if let other = known[entity.entityName] {
                let place = "\(other.place.file):\(other.place.line)"
                report(
                    entity.place,
                    "the classes \(other.path.joined(separator: ".")) (\(place)) and "
                        + "\(entity.path.joined(separator: ".")) are both the class of the entity \(entity.entityName)",
                    "Name one of the entities otherwise, or state isEntity: false")
            }
            known[entity.entityName] = entity
        }
    }

    private mutating func report(_ place: SourcePlace, _ message: String, _ advice: String) {
        problems.append(Diagnostic(message: message, file: place.file, line: place.line, advice: advice))
    }
}

extension Model {
    /// Returns the names of entities by the names of their classes. Of several with one class, the first that does not inherit
    /// from another of them.
    fileprivate func entityNamesByClass(in module: String) -> [String: String] {
        var names: [String: String] = [:]
        for entity in entities where entity.moduleName == nil || entity.moduleName == module {
            guard let name = entity.swiftClassName else { continue }
            let isRoot = !lineage(of: entity).dropFirst().contains { $0.swiftClassName == name }
            if isRoot, names[name] == nil { names[name] = entity.name }
        }
        return names
    }
}

import ModelFormat

/// Finds managed properties with types that the runtime cannot read from the model's attributes.
///
/// Only certain failures are errors: a class without an entity in the module's models, or an unknown type, may be correct.
struct ModelFit {
    let module: String
    let files: [ScannedFile]
    let resolver: TypeResolver
    let models: [Model]

    func problems() -> [Diagnostic] {
        guard !models.isEmpty else { return [] }
        let uses = entityUses()
        return files.flatMap(\.properties).compactMap { problem(with: $0, uses) }
    }

    // MARK: Entities of classes

    /// An entity with objects on which the members of a class are called.
    private struct Use {
        let entity: Entity
        let model: Model
        /// The number of inheritance steps from the entity's class to the class that declares the members.
        let distance: Int
    }

    /// Returns the entities of every class and of its subclasses. Those of the class itself come first.
    private func entityUses() -> [[String]: [Use]] {
        var uses: [[String]: [Use]] = [:]
        for model in models {
            for entity in model.entities {
                guard let found = declaration(of: entity) else { continue }
                let classes = resolver.lineage(of: found.declaration, in: found.types).classes
                for (distance, ancestor) in classes.enumerated() where ancestor.module == module {
                    uses[ancestor.path, default: []].append(Use(entity: entity, model: model, distance: distance))
                }
            }
        }
        return uses.mapValues { $0.sorted { $0.distance < $1.distance } }
    }

    private func declaration(of entity: Entity) -> (declaration: TypeDeclaration, types: ModuleTypes)? {
        guard let found = entity.swiftClassName.flatMap({ resolver.modelClass($0, ofModule: entity.moduleName) }),
            case .classType = found.declaration.kind
        else { return nil }
        return found
    }

    // MARK: Properties

    private func problem(with property: ManagedPropertyDeclaration, _ uses: [[String]: [Use]]) -> Diagnostic? {
        // Classes generated from the model match it, and for undecided conditions another branch may be compiled.
        guard property.namePlace.file.hasSuffix(".swift"), property.conditions.isEmpty, property.obstacle == nil,
            let syntax = property.type, let owner = resolver.ownerClass(property.owner.path),
            owner.types.module == module, let uses = uses[owner.declaration.path],
            let type = try? resolver.resolve(syntax, in: owner.declaration.path)
        else { return nil }
        let declared = Declared(syntax: syntax, type: type)
        var warning: Diagnostic?
        for use in uses {
            let found = misfit(of: declared, property.name, use)
            guard let found else { continue }
            let diagnostic = Diagnostic(
                severity: found.severity,
                message:
                    "the property \(property.name) of the class \(owner.declaration.path.joined(separator: ".")) is "
                    + "declared as \(syntax.text), but \(found.reason)",
                file: property.namePlace.file, line: property.namePlace.line, column: property.namePlace.column,
                advice: found.advice)
            if found.severity == .error { return diagnostic }
            warning = warning ?? diagnostic
        }
        return warning
    }

    /// A type as written, and without its optional.
    private struct Declared {
        let syntax: TypeSyntax
        let handling: ResolvedType.Handling
        let type: MangledType

        init(syntax: TypeSyntax, type: ResolvedType) {
            self.syntax = syntax
            handling = type.handling
            if case .optional(let wrapped) = type.mangled { self.type = wrapped } else { self.type = type.mangled }
        }
    }

    private struct Misfit {
        var severity = Diagnostic.Severity.error
        let reason: String
        let advice: String
    }

    private func misfit(of declared: Declared, _ name: String, _ use: Use) -> Misfit? {
        for entity in use.model.lineage(of: use.entity) {
            if let attribute = entity.attributes.first(where: { $0.name == name }) {
                return misfit(of: declared, attribute, entity)
            }
            if let relationship = entity.relationships.first(where: { $0.name == name }) {
                return misfit(of: declared, relationship, entity, use.model)
            }
        }
        return nil
    }

    private func misfit(of declared: Declared, _ attribute: Attribute, _ entity: Entity) -> Misfit? {
        let fit = AttributeFit(attribute: attribute)
        if fit.accepts(declared.type, handling: declared.handling) { return nil }
        return Misfit(
            reason: "the attribute \(attribute.name) of the entity \(entity.name) has the type "
                + attribute.type.xmlName,
            advice: "Declare it as \(fit.remedy), or change the attribute's type in the model")
    }

    // MARK: Relationships

    private func misfit(
        of declared: Declared, _ relationship: Relationship, _ entity: Entity, _ model: Model
    ) -> Misfit? {
        let destination = model.entity(named: relationship.destinationName)
        let className = destination?.swiftClassName ?? "NSManagedObject"
        let kind = relationship.isToMany ? relationship.isOrdered ? "an ordered to-many" : "a to-many" : "a to-one"
        let remedy =
            relationship.isToMany
            ? relationship.isOrdered ? "NSOrderedSet" : "Set<\(className)>" : "\(className)?"
        let start = "\(relationship.name) of the entity \(entity.name) is \(kind) relationship"
        let advice = "Declare it as \(remedy), or change the relationship in the model"
        let member: MangledType
        switch container(declared.type, relationship) {
        case .fits: return nil
        case .fails: return Misfit(reason: start + " to \(relationship.destinationName)", advice: advice)
        case .holds(let type): member = type
        }
        guard case .nominal(let nominal) = member, let destination else { return nil }
        let answers = concreteEntities(destination, model).map { (entity: $0, fits: objects(of: $0, are: nominal)) }
        guard let wrong = answers.first(where: { !$0.fits })?.entity else { return nil }
        let isSure = answers.allSatisfy { !$0.fits }
        return Misfit(
            severity: isSure ? .error : .warning,
            reason: "\(start) to \(relationship.destinationName), "
                + (isSure ? "whose class is" : "which may lead to \(wrong.name), whose class is") + " "
                + ((isSure ? destination : wrong).swiftClassName ?? "NSManagedObject"),
            advice: isSure ? advice : "Reading such an object will stop the program. " + advice)
    }

    private enum Container {
        case fits, fails
        /// An object, or a set of objects, of a class.
        case holds(MangledType)
    }

    private func container(_ type: MangledType, _ relationship: Relationship) -> Container {
        switch type {
        case .existential, .anyObject, .void, .optional: return .fits
        case .bound(let generic, let arguments):
            guard KnownTypes.isKnown(generic) else { return .fits }
            guard generic.path.last?.name == "Set", relationship.isToMany, !relationship.isOrdered,
                let member = arguments.first
            else { return .fails }
            return .holds(member)
        case .nominal(let nominal):
            let name = nominal.path.last?.name ?? ""
            guard KnownTypes.isKnown(nominal) else { return relationship.isToMany ? .fails : .holds(type) }
            if name == "NSObject" { return .fits }
            if !relationship.isToMany { return name == "NSManagedObject" ? .fits : .fails }
            return name == (relationship.isOrdered ? "NSOrderedSet" : "NSSet") ? .fits : .fails
        }
    }

    /// Returns the concrete entities that the objects of a relationship can have.
    private func concreteEntities(_ destination: Entity, _ model: Model) -> [Entity] {
        let family = model.entities.filter { entity in
            model.lineage(of: entity).contains { $0.name == destination.name }
        }
        let concrete = family.filter { !$0.isAbstract }
        return concrete.isEmpty ? [destination] : concrete
    }

    /// Returns whether the class of an entity is `type` or a subclass. True if unknown.
    private func objects(of entity: Entity, are type: NominalType) -> Bool {
        if KnownTypes.isKnown(type) {
            return ["NSManagedObject", "NSObject", "AnyHashable"].contains(type.path.last?.name)
        }
        guard let name = entity.swiftClassName, name != "NSManagedObject" else { return false }
        guard let found = declaration(of: entity) else { return type.kind == .classType }
        let lineage = resolver.lineage(of: found.declaration, in: found.types)
        let path = type.path.map(\.name)
        return !lineage.isComplete || lineage.classes.contains { $0.path == path && $0.module == type.module }
    }
}

extension Model {
    /// Returns an entity and its ancestors, nearest first.
    func lineage(of entity: Entity) -> [Entity] {
        var lineage = [entity]
        while let parent = lineage.last?.parentName.flatMap({ self.entity(named: $0) }),
            !lineage.contains(where: { $0.name == parent.name })
        {
            lineage.append(parent)
        }
        return lineage
    }
}

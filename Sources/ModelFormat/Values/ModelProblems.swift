extension Model {
    /// Returns the errors of the model: duplicate names, references to missing elements, inheritance cycles.
    ///
    /// A store rejects a model with problems. Costs an iteration over all properties.
    public func problems(lines: ModelLines = ModelLines(), file: String? = nil) -> [ModelFormatError] {
        var checker = ProblemChecker(model: self, lines: lines, file: file)
        checker.check()
        return checker.problems
    }

    /// Returns the warnings about a usable model, which both Xcode and `modelc` compile.
    ///
    /// Their codes are ``ModelFormatError/Code/inverseMismatch``, ``ModelFormatError/Code/inverseEntity``,
    /// ``ModelFormatError/Code/unreadableDefault``, ``ModelFormatError/Code/misspelledName``, and
    /// ``ModelFormatError/Code/unsupported`` for unread parts of an Xcode 3 file. Costs an iteration over all properties.
    public func warnings(lines: ModelLines = ModelLines(), file: String? = nil) -> [ModelFormatError] {
        var checker = ProblemChecker(model: self, lines: lines, file: file)
        checker.check()
        checker.checkDefaults()
        return checker.warnings
    }
}

/// Checks a model for dangling references, and for parts that deserve a warning.
struct ProblemChecker {
    let model: Model
    let lines: ModelLines
    let file: String?
    private(set) var problems: [ModelFormatError] = []
    private(set) var warnings: [ModelFormatError] = []
    private var byName: [String: Entity] = [:]
    /// The names of entities with all their ancestors present.
    private var sound: Set<String> = []

    init(model: Model, lines: ModelLines, file: String?) {
        self.model = model
        self.lines = lines
        self.file = file
    }

    mutating func check() {
        byName = [String: Entity](minimumCapacity: model.entities.count)
        for entity in model.entities {
            if byName[entity.name] != nil {
                report(.duplicateName, "two entities are named \(entity.name)", entity)
            }
            byName[entity.name] = entity
        }
        for entity in model.entities { check(entity) }
        for configuration in model.configurations {
            for name in configuration.entityNames where byName[name] == nil {
                report(
                    .unknownName, "configuration \(configuration.name) names the entity \(name), which does not exist",
                    line: lines[nil, part: .configuration, configuration.name])
            }
        }
        var templates: Set<String> = []
        for template in model.fetchTemplates {
            if !templates.insert(template.name).inserted {
                report(.duplicateName, "two fetch requests are named \(template.name)", line: lines[nil, template.name])
            }
            if byName[template.entityName] == nil {
                report(
                    .unknownName,
                    "fetch request \(template.name) asks for \(template.entityName), which does not exist",
                    line: lines[nil, template.name])
            }
        }
    }

    private mutating func check(_ entity: Entity) {
        var names = Set<String>(
            minimumCapacity: entity.attributes.count + entity.relationships.count + entity.fetchedProperties.count)
        func note(_ name: String, _ checker: inout Self) {
            if names.insert(name).inserted { return }
            checker.report(.duplicateName, "two properties are named \(name)", entity, name)
        }
        for attribute in entity.attributes { note(attribute.name, &self) }
        for relationship in entity.relationships { note(relationship.name, &self) }
        for property in entity.fetchedProperties { note(property.name, &self) }
        for index in entity.fetchIndexes where index.elements.contains(where: { $0.kind != index.elements[0].kind }) {
            report(
                .unsupported, "fetch index \(index.name) mixes binary and R-tree elements", entity,
                line: lines[entity.name, part: .fetchIndex, index.name], advice: "Make an index for each kind")
        }
        guard isSound(entity) else { return }
        for relationship in entity.relationships { check(relationship, in: entity) }
        for property in entity.fetchedProperties where byName[property.fetchRequest.entityName] == nil {
            let message = "the fetched property asks for \(property.fetchRequest.entityName), which does not exist"
            report(.unknownName, message, entity, property.name)
        }
        let indexes = entity.effectiveFetchIndexes
        guard !entity.uniquenessConstraints.isEmpty || !indexes.isEmpty else { return }
        let lineage = lineage(of: entity) ?? [entity]
        var all = Set<String>(minimumCapacity: lineage.reduce(0) { $0 + $1.attributes.count + $1.relationships.count })
        for one in lineage {
            for attribute in one.attributes { notePaths(of: attribute, at: attribute.name, in: &all) }
            for relationship in one.relationships { all.insert(relationship.name) }
        }
        for constraint in entity.uniquenessConstraints {
            for name in constraint where !all.contains(name) {
                report(.unknownName, "a uniqueness constraint names \(name), which is no property", entity)
            }
        }
        for index in indexes {
            for case .property(let name) in index.elements.map(\.subject) where !all.contains(name) {
                report(
                    .unknownName, "fetch index \(index.name) names \(name), which is no property", entity,
                    line: lines[entity.name, part: .fetchIndex, index.name])
            }
        }
    }

    /// Collects the path of an attribute, and those of the elements of a composite one.
    ///
    /// - Parameter types: the enclosing named composite types, to detect cycles.
    private func notePaths(of attribute: Attribute, at path: String, in all: inout Set<String>, types: [String] = []) {
        all.insert(path)
        var (elements, types) = (attribute.elements, types)
        if elements.isEmpty, let name = attribute.compositeName, !types.contains(name) {
            elements = model.composites.first { $0.name == name }?.attributes ?? []
            types.append(name)
        }
        for element in elements { notePaths(of: element, at: "\(path).\(element.name)", in: &all, types: types) }
    }

    private mutating func check(_ relationship: Relationship, in entity: Entity) {
        guard let destination = byName[relationship.destinationName] else {
            let message = "the destination \(relationship.destinationName) does not exist"
            return report(.unknownName, message, entity, relationship.name)
        }
        guard let inverseName = relationship.inverseName else { return }
        let candidates = lineage(of: destination)?.flatMap(\.relationships) ?? destination.relationships
        guard let inverse = candidates.first(where: { $0.name == inverseName }) else {
            let message = "the inverse \(destination.name).\(inverseName) does not exist"
            return report(.unknownName, message, entity, relationship.name)
        }
        if inverse.inverseName != relationship.name {
            warn(
                .inverseMismatch,
                "the inverse \(destination.name).\(inverseName) has the inverse \(inverse.inverseName ?? "none"), "
                    + "not \(relationship.name)",
                entity.name, relationship.name,
                advice: "Make each the inverse of the other, or changes are not propagated in both directions")
        } else if !isRelated(inverse.destinationName, entity) {
            warn(
                .inverseMismatch,
                "the inverse \(destination.name).\(inverseName) has the destination \(inverse.destinationName), "
                    + "not \(entity.name)",
                entity.name, relationship.name,
                advice: "Make each the inverse of the other, or changes are not propagated in both directions")
        }
        if let named = relationship.extraAttributes["inverseEntity"], named != destination.name {
            let ancestors = lineage(of: destination)?.map(\.name) ?? []
            let isParent = ancestors.contains(named)
            warn(
                .inverseEntity,
                isParent
                    ? "inverseEntity is \(named), a parent of the destination \(destination.name)"
                    : "inverseEntity is \(named), but the destination is \(destination.name)",
                entity.name, relationship.name,
                advice: isParent
                    ? "Make \(named) the destination, or set inverseEntity to \(destination.name)"
                    : "The destination decides: set inverseEntity to \(destination.name)")
        }
    }

    /// Returns whether the entities are the same, or one of them inherits from the other.
    private mutating func isRelated(_ name: String, _ entity: Entity) -> Bool {
        if name == entity.name { return true }
        guard let other = byName[name] else { return true }
        return lineage(of: entity)?.contains { $0.name == name } == true
            || lineage(of: other)?.contains { $0.name == entity.name } == true
    }

    /// Returns whether all ancestors of an entity exist; reports a missing one. Checks each entity once.
    private mutating func isSound(_ entity: Entity) -> Bool {
        var names: Set = [entity.name]
        var current = entity
        while let parentName = current.parentName, !sound.contains(parentName) {
            guard let parent = byName[parentName] else {
                if names.count == 1 { report(.unknownName, "the parent entity \(parentName) does not exist", entity) }
                return false
            }
            guard names.insert(parentName).inserted else {
                report(.cycle, "the entity inherits from itself", entity)
                return false
            }
            current = parent
        }
        sound.formUnion(names)
        return true
    }

    /// Returns the entity and its ancestors; `nil`, with the problem reported, if a parent is missing or inheritance has a
    /// cycle.
    private mutating func lineage(of entity: Entity) -> [Entity]? {
        var lineage = [entity]
        if entity.parentName == nil { return lineage }
        var names: Set = [entity.name]
        while let parentName = lineage[lineage.count - 1].parentName {
            guard let parent = byName[parentName] else {
                if lineage.count == 1 { report(.unknownName, "the parent entity \(parentName) does not exist", entity) }
                return nil
            }
            guard names.insert(parentName).inserted else {
                report(.cycle, "the entity inherits from itself", entity)
                return nil
            }
            lineage.append(parent)
        }
        return lineage
    }

    @inline(never)
    private mutating func report(
        _ code: ModelFormatError.Code, _ message: String, _ entity: Entity? = nil, _ property: String? = nil,
        line: Int? = nil, advice: String? = nil
    ) {
        let problem = ModelFormatError(
            code, message, file: file, line: line ?? lines[entity?.name, property], entity: entity?.name,
            property: property,
            advice: advice)
        if !problems.contains(problem) { problems.append(problem) }
    }

    mutating func warn(
        _ code: ModelFormatError.Code, _ message: String, _ entity: String?, _ property: String?, advice: String
    ) {
        var warning = ModelFormatError(
            code, message, file: file, line: lines[entity, property], entity: entity, property: property,
            advice: advice)
        warning.severity = .warning
        if !warnings.contains(warning) { warnings.append(warning) }
    }
}

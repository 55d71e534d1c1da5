import ModelFormat

/// A model changed to what managed object classes say, with the differences that were found.
struct ModelFromClasses {
    /// A difference between the classes and a model that says something else.
    struct Disagreement {
        var message: String
        var place: SourcePlace
        var entity: String
        var property: String?
        /// The change in words: `type Integer 16 -> Integer 32`.
        var change: String
        /// True if builds report it by other means, or accept it.
        var isImplied: Bool
    }

    /// A part that the model lacked.
    struct Addition {
        var entity: String
        var property: String?
        /// The part in words: `attribute, String`.
        var what: String
        var place: SourcePlace
        /// True if the property has the wrapper `@Stored`.
        var isStored = false
    }

    /// The model as the classes say.
    private(set) var model: Model
    private(set) var additions: [Addition] = []
    private(set) var disagreements: [Disagreement] = []
    /// Errors and warnings about the classes.
    private(set) var problems: [Diagnostic] = []
    /// Warnings that do not prevent the change.
    private(set) var notes: [Diagnostic] = []

    private let classes: [EntityClass]
    private let module: String
    /// The composite types of the classes, by name.
    private var composites: [String: CompositeType] = [:]
    /// The location of the class's relationships, and those that are stated to have no inverse.
    private var inverses: InversePairing

    /// Compares classes with a model.
    init(_ classes: [EntityClass], model: Model, module: String) {
        self.model = model
        self.classes = classes
        self.module = module
        inverses = InversePairing()
        for entity in classes { placeEntity(entity) }
        for entity in classes { merge(entity) }
        for entity in classes { for composite in entity.composites { merge(composite, of: entity) } }
        resolveComposites()
        inverses.pair(in: &self.model)
        problems += inverses.problems
        notes += inverses.notes(about: self.model)
        checkKeys()
    }

    // MARK: Entities

    private func index(of entity: EntityClass) -> Int? {
        let name = entity.className.split(separator: ".").last.map(String.init)
        let candidates = model.entities.indices.filter {
            let known = model.entities[$0]
            return known.swiftClassName == name && (known.moduleName == nil || known.moduleName == module)
        }
        return candidates.first { model.entities[$0].name == entity.entityName } ?? candidates.first
            ?? model.entities.firstIndex { $0.name == entity.entityName }
    }

    /// Adds an entity that the model lacks, or renames one.
    private mutating func placeEntity(_ entity: EntityClass) {
        let found = index(of: entity).map { model.entities[$0].name }
        if found == entity.entityName { return }
        if let old = found ?? entity.renamedFrom, model.entity(named: old) != nil {
            disagree(
                entity.entityName, nil, entity.place,
                "the entity \(old) of the model has the new name \(entity.entityName)",
                "renamed from \(old)")
            model.renameEntity(old, to: entity.entityName)
            let index = model.entities.firstIndex { $0.name == entity.entityName }
            if let index, model.entities[index].renamingIdentifier == nil {
                model.entities[index].renamingIdentifier = old
            }
            return
        }
        var new = Entity(name: entity.entityName, className: entity.className)
        new.extraAttributes["syncable"] = "YES"
        model.entities.insert(new, sortedBy: \.name)
        additions.append(Addition(entity: entity.entityName, property: nil, what: "entity", place: entity.place))
    }

    private mutating func merge(_ entity: EntityClass) {
        guard let position = index(of: entity) else { return }
        var described = model.entities[position]
        let isNew = additions.contains { $0.entity == described.name && $0.property == nil }
        checkClass(entity, &described)
        model.entities[position] = described
        // The parent has some of the properties, and unique keys name others by their new names.
        let declared = Set(described.attributes.map(\.name) + described.relationships.map(\.name))
        let parent = entity.parentName.flatMap { self.model.entity(named: $0) }
        let inherited = parent.map { $0.attributes.map(\.name) + $0.relationships.map(\.name) } ?? []
        // An entity that has the superclass's properties itself shares the class only.
        let isSeparate = described.parentName == nil && !inherited.isEmpty && declared.isSuperset(of: inherited)
        if !isSeparate {
            merge(entity.facts.filter { $0.name == "parent entity" }, isNew: isNew, into: position)
        }
        for attribute in entity.attributes { merge(attribute, into: position) }
        for relationship in entity.relationships { merge(relationship, into: position) }
        merge(entity.facts.filter { $0.name != "parent entity" }, isNew: isNew, into: position)
    }

    private mutating func merge(_ facts: [Fact<Entity>], isNew: Bool, into position: Int) {
        var described = model.entities[position]
        for fact in facts where !fact.holds(described) {
            let isAbsent = fact.current(described) == "absent"
            if isAbsent, !isNew {
                additions.append(
                    Addition(
                        entity: described.name, property: nil, what: "\(fact.name) \(fact.stated)", place: fact.place))
            } else if !isNew {
                disagree(fact, described, described.name, nil)
            }
            fact.apply(&described)
        }
        model.entities[position] = described
    }

    private mutating func checkClass(_ entity: EntityClass, _ described: inout Entity) {
        if described.className == nil {
            additions.append(
                Addition(entity: described.name, property: nil, what: "class \(entity.className)", place: entity.place))
            described.className = entity.className
        }
        let name = entity.className.split(separator: ".").last.map(String.init)
        if described.swiftClassName != name {
            disagree(
                described.name, nil, entity.place,
                "the class of the entity \(described.name) is \(described.className ?? "none") in the model",
                "class \(described.className ?? "none") -> \(entity.className)")
            described.className = entity.className
        }
        if described.codeGeneration == .classDefinition {
            disagree(
                described.name, nil, entity.place,
                "the model has the class of the entity \(described.name) generated (Class Definition), and the sources "
                    + "declare it", "code generation Class Definition -> Manual/None")
            described.codeGeneration = .manual
        }
    }

    // MARK: Properties

    private mutating func merge(_ attribute: ClassProperty<Attribute>, into position: Int) {
        let entity = model.entities[position]
        guard let (owner, found) = place(attribute.name, renamedFrom: attribute.renamedFrom, in: entity) else {
            if entity.fetchedProperties.contains(where: { $0.name == attribute.name }) { return }
            var new = attribute.initial
            for fact in attribute.facts { fact.apply(&new) }
            model.entities[position].attributes.insert(new, sortedBy: \.name)
            additions.append(
                Addition(
                    entity: entity.name, property: attribute.name, what: "attribute, \(new.type.xmlName)",
                    place: attribute.place, isStored: attribute.isStored))
            return
        }
        guard case .attribute(let index) = found else {
            return disagree(
                entity.name, attribute.name, attribute.place,
                "\(attribute.name) is an attribute by its type \(attribute.typeText), but a relationship in the model",
                "relationship -> attribute", advice: "Remove the relationship from the model first")
        }
        rename(attribute.name, owner, attribute.place, at: \.attributes[index].name)
        let original = model.entities[owner].attributes[index]
        var described = original
        for fact in attribute.facts where !fact.holds(described) {
            // A new type takes the values of the former one with it.
            if fact.holds(original) {
                fact.apply(&described)
                continue
            }
            if fact.isNoted {
                noteOptional(fact, attribute.name, entity.name)
                continue
            }
            disagree(fact, described, entity.name, attribute.name)
            fact.apply(&described)
        }
        model.entities[owner].attributes[index] = described
    }

    private mutating func merge(_ relationship: ClassProperty<Relationship>, into position: Int) {
        let entity = model.entities[position]
        guard let (owner, found) = place(relationship.name, renamedFrom: relationship.renamedFrom, in: entity) else {
            if entity.fetchedProperties.contains(where: { $0.name == relationship.name }) { return }
            var new = relationship.initial
            for fact in relationship.facts { fact.apply(&new) }
            model.entities[position].relationships.insert(new, sortedBy: \.name)
            additions.append(
                Addition(
                    entity: entity.name, property: relationship.name,
                    what: "\(new.isToMany ? "to-many" : "to-one") relationship to \(new.destinationName)",
                    place: relationship.place))
            inverses.note(relationship, of: entity.name, isNew: true)
            return
        }
        guard case .relationship(let index) = found else {
            return disagree(
                entity.name, relationship.name, relationship.place,
                "\(relationship.name) is a relationship by its type \(relationship.typeText), but an attribute in the model",
                "attribute -> relationship", advice: "Remove the attribute from the model first")
        }
        rename(relationship.name, owner, relationship.place, at: \.relationships[index].name)
        var described = model.entities[owner].relationships[index]
        for fact in relationship.facts where !fact.holds(described) {
            if fact.name == "destination", leads(described.destinationName, to: fact.stated) { continue }
            disagree(fact, described, entity.name, relationship.name)
            if ["destination", "inverse"].contains(fact.name) {
                unlink(described, of: model.entities[owner].name)
                described.inverseName = nil
                described.extraAttributes["inverseEntity"] = nil
            }
            fact.apply(&described)
        }
        model.entities[owner].relationships[index] = described
        inverses.note(relationship, of: model.entities[owner].name, isNew: false)
    }

    /// Takes the inverse from the relationship that is a relationship's inverse so far.
    private mutating func unlink(_ relationship: Relationship, of entity: String) {
        guard let inverse = relationship.inverseName,
            let index = model.entities.firstIndex(where: { $0.name == relationship.destinationName }),
            let position = model.entities[index].relationships.firstIndex(where: {
                $0.name == inverse && $0.inverseName == relationship.name && $0.destinationName == entity
            })
        else { return }
        model.entities[index].relationships[position].inverseName = nil
        model.entities[index].relationships[position].extraAttributes["inverseEntity"] = nil
    }

    private mutating func merge(_ composite: CompositeType, of entity: EntityClass) {
        if let other = composites[composite.name], other != composite {
            problems.append(
                Diagnostic(
                    message: "two structures named \(composite.name) with different members are composite attributes",
                    file: entity.place.file, line: entity.place.line, entity: entity.entityName,
                    advice: "Rename one of them, or leave out type: .composite to store it as JSON"))
            return
        }
        composites[composite.name] = composite
        guard let index = model.composites.firstIndex(where: { $0.name == composite.name }) else {
            model.composites.insert(composite, sortedBy: \.name)
            return
        }
        for member in composite.attributes {
            let known = model.composites[index].attributes.firstIndex { $0.name == member.name }
            guard let known else {
                additions.append(
                    Addition(
                        entity: entity.entityName, property: nil,
                        what: "member \(member.name) of the composite type \(composite.name)", place: entity.place))
                model.composites[index].attributes.insert(member, sortedBy: \.name)
                continue
            }
            let type = model.composites[index].attributes[known].type
            guard type != member.type else { continue }
            disagree(
                entity.entityName, nil, entity.place,
                "\(composite.name).\(member.name) has the type \(member.type.xmlName) in the sources, but \(type.xmlName) in "
                    + "the model", "\(composite.name).\(member.name) \(type.xmlName) -> \(member.type.xmlName)")
            model.composites[index].attributes[known] = member
        }
    }

    /// Gives composite attributes the elements of their types.
    private mutating func resolveComposites() {
        func resolve(_ attributes: inout [Attribute], _ depth: Int) {
            for index in attributes.indices where attributes[index].type == .composite && depth < 16 {
                guard let name = attributes[index].compositeName,
                    var elements = model.composites.first(where: { $0.name == name })?.attributes
                else { continue }
                resolve(&elements, depth + 1)
                attributes[index].elements = elements
            }
        }
        for index in model.entities.indices {
            var attributes = model.entities[index].attributes
            resolve(&attributes, 0)
            model.entities[index].attributes = attributes
        }
    }

    private enum Found {
        case attribute(Int), relationship(Int)
    }

    /// Returns the place of a property in an entity or in one of its ancestors, by its name or by the former one.
    private func place(_ name: String, renamedFrom old: String?, in entity: Entity) -> (owner: Int, found: Found)? {
        for name in [name, old].compactMap({ $0 }) {
            for ancestor in model.lineage(of: entity) {
                guard let owner = model.entities.firstIndex(where: { $0.name == ancestor.name }) else { continue }
                if let index = ancestor.attributes.firstIndex(where: { $0.name == name }) {
                    return (owner, .attribute(index))
                }
                if let index = ancestor.relationships.firstIndex(where: { $0.name == name }) {
                    return (owner, .relationship(index))
                }
            }
        }
        return nil
    }

    private mutating func rename(
        _ name: String, _ owner: Int, _ place: SourcePlace, at path: WritableKeyPath<Entity, String>
    ) {
        let old = model.entities[owner][keyPath: path]
        guard old != name else { return }
        disagree(
            model.entities[owner].name, name, place, "the property \(old) of the model has the new name \(name)",
            "renamed from \(old)")
        model.entities[owner][keyPath: path] = name
        model.renameProperty(old, to: name, of: owner)
        noteTexts(that: old, place)
    }

    /// Notes predicates and derivations that name a property by its former name.
    private mutating func noteTexts(that name: String, _ place: SourcePlace) {
        let texts =
            model.fetchTemplates.map { ("fetch request \($0.name)", $0.predicate) }
            + model.entities.flatMap { entity in
                entity.attributes.map { ("\(entity.name).\($0.name)", $0.derivation) }
                    + entity.fetchedProperties.map { ("\(entity.name).\($0.name)", $0.fetchRequest.predicate) }
            }
        for (part, text) in texts {
            let words = text?.split { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? []
            guard words.contains(Substring(name)) else { continue }
            notes.append(
                Diagnostic(
                    severity: .warning, message: "the text of \(part) names \(name): \(text ?? "")", file: place.file,
                    line: place.line, advice: "Change it in the model if it means the renamed property"))
        }
    }

    /// Returns whether an entity is another one, or inherits from it.
    private func leads(_ name: String, to ancestor: String) -> Bool {
        model.entity(named: name).map { model.lineage(of: $0).contains { $0.name == ancestor } } ?? false
    }

    // MARK: Reports

    private mutating func noteOptional(_ fact: Fact<Attribute>, _ property: String, _ entity: String) {
        notes.append(
            Diagnostic(
                severity: .note,
                message: "\(entity).\(property) is optional in the model, and the property cannot be nil",
                file: fact.place.file, line: fact.place.line, column: fact.place.column, entity: entity,
                property: property,
                advice: "Declare it with ?, or state attribute(\\.\(property), isOptional: false), or true to keep both"
            ))
    }

    private mutating func disagree<Target>(
        _ fact: Fact<Target>, _ target: Target, _ entity: String, _ property: String?
    ) {
        let current = fact.current(target)
        // A renaming is told already.
        let isTold = disagreements.contains {
            $0.entity == entity && $0.property == property && $0.change.hasPrefix("renamed from ")
        }
        if isTold, fact.name == "renaming identifier" { return }
        let part = property.map { "\(entity).\($0)" } ?? entity
        disagreements.append(
            Disagreement(
                message:
                    "\(part): \(fact.name.hasPrefix("is") ? fact.name : "the " + fact.name) is \(fact.stated) in the sources, but \(current) in the model",
                place: fact.place, entity: entity, property: property,
                change: "\(fact.name) \(current) -> \(fact.stated)", isImplied: fact.isImplied))
    }

    private mutating func disagree(
        _ entity: String, _ property: String?, _ place: SourcePlace, _ message: String, _ change: String,
        advice: String? = nil
    ) {
        if let advice {
            problems.append(
                Diagnostic(
                    message: message, file: place.file, line: place.line, entity: entity, property: property,
                    advice: advice))
        } else {
            disagreements.append(
                Disagreement(
                    message: message, place: place, entity: entity, property: property, change: change,
                    isImplied: false))
        }
    }

    /// Reports statements about properties that no entity has.
    private mutating func checkKeys() {
        for entity in classes {
            guard let position = index(of: entity) else { continue }
            let described = model.entities[position]
            let lineage = model.lineage(of: described)
            let names = Set(
                lineage.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
            for fact in entity.facts where ["unique key", "index"].contains(fact.name) {
                var probe = Entity(name: "")
                fact.apply(&probe)
                let keys =
                    probe.uniquenessConstraints.joined()
                    + probe.fetchIndexes.flatMap(\.elements).compactMap {
                        if case .property(let name) = $0.subject { name } else { nil }
                    }
                for key in keys where !names.contains(key.split(separator: ".").first.map(String.init) ?? key) {
                    problems.append(
                        Diagnostic(
                            message: "\(key) is no property of the entity \(described.name)", file: fact.place.file,
                            line: fact.place.line, entity: described.name,
                            advice: "Name an @NSManaged or @Stored property"))
                }
            }
        }
    }
}

extension Array {
    /// Inserts an element where its name belongs, if the others are sorted; otherwise appends it.
    mutating func insert(_ element: Element, sortedBy name: (Element) -> String) {
        let isSorted = zip(self, dropFirst()).allSatisfy { name($0) <= name($1) }
        let index = isSorted ? firstIndex { name($0) > name(element) } : nil
        insert(element, at: index ?? endIndex)
    }
}

extension Model {
    /// Renames an entity everywhere in the model.
    mutating func renameEntity(_ old: String, to new: String) {
        for index in entities.indices {
            if entities[index].name == old { entities[index].name = new }
            if entities[index].parentName == old { entities[index].parentName = new }
            for position in entities[index].relationships.indices {
                if entities[index].relationships[position].destinationName == old {
                    entities[index].relationships[position].destinationName = new
                    entities[index].relationships[position].extraAttributes["inverseEntity"] = nil
                }
            }
            for position in entities[index].fetchedProperties.indices
            where entities[index].fetchedProperties[position].fetchRequest.entityName == old {
                entities[index].fetchedProperties[position].fetchRequest.entityName = new
            }
        }
        for index in fetchTemplates.indices where fetchTemplates[index].entityName == old {
            fetchTemplates[index].entityName = new
        }
        for index in configurations.indices {
            configurations[index].entityNames = configurations[index].entityNames.map { $0 == old ? new : $0 }
        }
        for index in diagram.indices where diagram[index].name == old { diagram[index].name = new }
    }

    /// Renames a property in the inverses, unique keys and indexes that name it.
    fileprivate mutating func renameProperty(_ old: String, to new: String, of owner: Int) {
        let name = entities[owner].name
        for index in entities.indices {
            for position in entities[index].relationships.indices {
                let relationship = entities[index].relationships[position]
                if relationship.destinationName == name, relationship.inverseName == old {
                    entities[index].relationships[position].inverseName = new
                }
            }
            guard lineage(of: entities[index]).contains(where: { $0.name == name }) else { continue }
            entities[index].uniquenessConstraints = entities[index].uniquenessConstraints.map { names in
                names.map { $0 == old ? new : $0 }
            }
            for position in entities[index].fetchIndexes.indices {
                for element in entities[index].fetchIndexes[position].elements.indices
                where entities[index].fetchIndexes[position].elements[element].subject == .property(old) {
                    entities[index].fetchIndexes[position].elements[element].subject = .property(new)
                }
            }
        }
    }
}

import CoreDataModelBuilding
import ModelFormat

extension EditedModel {
    /// Adds an entity, at its place if the entities are sorted by name, as Xcode sorts them.
    ///
    /// - Throws: ``Diagnostic`` if the name is invalid or taken, or the parent is unknown.
    mutating func add(_ entity: Entity) throws(Diagnostic) {
        try check(entity.name, of: "an entity", entity: entity.name)
        if model.entity(named: entity.name) != nil {
            throw error(
                "there is an entity \(entity.name) already", entity.name,
                advice: "Choose another name, or add properties to it with modelc add attribute")
        }
        if let parent = entity.parentName { try requireEntity(parent, for: "the parent") }
        model.entities.insertByName(entity, \.name)
    }

    /// Adds an attribute to an entity.
    ///
    /// - Throws: ``Diagnostic`` if the entity is unknown, or the name is invalid or taken in the entity's hierarchy.
    mutating func add(_ attribute: Attribute, to entity: String) throws(Diagnostic) {
        let index = try place(forProperty: attribute.name, of: entity)
        model.entities[index].attributes.insertByName(attribute, \.name)
    }

    /// Adds an index of one property, named `byTitle` for `title`.
    mutating func addIndex(on property: String, of entity: String) throws(Diagnostic) {
        let index = try requireEntity(entity, for: "the entity")
        let name = "by" + property.prefix(1).uppercased() + property.dropFirst()
        if model.entities[index].fetchIndexes.contains(where: { $0.name == name }) {
            throw error("the entity has an index \(name) already", entity, advice: "Change the index in the file")
        }
        let new = FetchIndex(name: name, elements: [FetchIndexElement(property: property)])
        model.entities[index].fetchIndexes.insertByName(new, \.name)
    }

    /// Adds a uniqueness constraint of one property.
    mutating func addUniqueness(of property: String, in entity: String) throws(Diagnostic) {
        let index = try requireEntity(entity, for: "the entity")
        model.entities[index].uniquenessConstraints.append([property])
    }

    /// Adds a relationship to an entity. If it names an inverse, a relationship of the destination with that name becomes
    /// its inverse.
    ///
    /// - Parameters:
    ///   - relationship: the relationship.
    ///   - entity: the name of its entity.
    ///   - inverse: the relationship to add to the destination if it has none of that name.
    /// - Throws: ``Diagnostic`` if an entity is unknown, a name is invalid or taken, or the destination's relationship cannot
    ///   be the inverse. The model is unchanged then.
    mutating func add(
        _ relationship: Relationship, to entity: String, inverse: Relationship? = nil
    ) throws(Diagnostic) {
        let before = model
        do throws(Diagnostic) {
            try addLinked(relationship, to: entity, inverse: inverse)
        } catch {
            model = before
            throw error
        }
    }

    private mutating func addLinked(
        _ relationship: Relationship, to entity: String, inverse: Relationship?
    ) throws(Diagnostic) {
        let destination = try requireEntity(relationship.destinationName, for: "the destination")
        let index = try place(forProperty: relationship.name, of: entity)
        model.entities[index].relationships.insertByName(relationship, \.name)
        guard let name = relationship.inverseName else { return }
        if name == relationship.name, relationship.destinationName == entity { return }
        guard let place = model.entities[destination].relationships.firstIndex(where: { $0.name == name }) else {
            guard let inverse else {
                throw error(
                    "\(relationship.destinationName) has no relationship \(name)", entity, relationship.name,
                    advice: "Add it to \(relationship.destinationName)")
            }
            return try addLinked(inverse, to: relationship.destinationName, inverse: relationship)
        }
        let existing = model.entities[destination].relationships[place]
        if let other = existing.inverseName, other != relationship.name {
            throw error(
                "\(relationship.destinationName).\(name) has the inverse \(existing.destinationName).\(other) already",
                relationship.destinationName, name, advice: "Name another inverse, or change it in the file")
        }
        guard existing.destinationName == entity else {
            throw error(
                "\(relationship.destinationName).\(name) leads to \(existing.destinationName), not to \(entity)",
                relationship.destinationName, name,
                advice: "Name another inverse, or change its destination in the file")
        }
        model.entities[destination].relationships[place].inverseName = relationship.name
    }

    // MARK: Checks

    /// Returns the errors and warnings of `modelc lint` that ``model`` has and ``original`` does not have.
    func newFindings(lines: ModelLines) -> [Diagnostic] {
        let old = Set(Linter.findings(in: original))
        return Linter.findings(in: model).filter { $0.severity != .note && !old.contains($0) }.map {
            $0.diagnostic(file: file, line: lines[$0.entity, $0.property])
        }
    }

    @discardableResult
    private func requireEntity(_ name: String, for role: String) throws(Diagnostic) -> Int {
        guard let index = model.entities.firstIndex(where: { $0.name == name }) else {
            let names = model.entities.map(\.name).joined(separator: ", ")
            throw Diagnostic(
                message: "\(role) \(name) does not exist", file: file,
                advice: (names.isEmpty ? "The model has no entities" : "The entities are \(names)")
                    + "; modelc add entity adds one")
        }
        return index
    }

    /// Returns the index of an entity that can have a property of a name.
    private func place(forProperty name: String, of entity: String) throws(Diagnostic) -> Int {
        let place = try requireEntity(entity, for: "the entity")
        try check(name, of: "a property", entity: entity)
        let index = ModelIndex(model)
        for relative in index.lineage(entity) + index.family(entity) {
            let names =
                ModelProperty.own(relative).map(\.name) + relative.fetchedProperties.map(\.name)
            if names.contains(name) {
                throw error(
                    "there is a property \(relative.name).\(name) already", relative.name, name,
                    advice: relative.name == entity
                        ? "Choose another name"
                        : "\(relative.name) is in the hierarchy of \(entity): choose another name")
            }
        }
        return place
    }

    /// Throws if a name is not that of a Swift identifier.
    private func check(_ name: String, of kind: String, entity: String) throws(Diagnostic) {
        let isValid =
            name.first.map { $0.isLetter || $0 == "_" } == true
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        guard isValid else {
            throw Diagnostic(
                message: "\"\(name)\" is no name for \(kind)", file: file,
                advice: "Use letters, digits and underscores, with a letter first")
        }
    }

    private func error(
        _ message: String, _ entity: String, _ property: String? = nil, advice: String
    ) -> Diagnostic {
        Diagnostic(
            message: message, file: file, line: lines[entity, property], entity: entity, property: property,
            advice: advice)
    }
}

extension Finding {
    /// Returns the finding, with the name of its rule, at a place.
    func diagnostic(file: String, line: Int?) -> Diagnostic {
        Diagnostic(
            severity: severity, message: "\(message) [\(rule)]", file: file, line: line, entity: entity,
            property: property, advice: advice)
    }
}

extension Array {
    /// Inserts an element at its place if the elements are sorted by name, and else appends it.
    fileprivate mutating func insertByName(_ element: Element, _ name: KeyPath<Element, String>) {
        let names = map { $0[keyPath: name] }
        let isSorted = zip(names, names.dropFirst()).allSatisfy { $0 <= $1 }
        let place = isSorted ? names.firstIndex { $0 > element[keyPath: name] } : nil
        insert(element, at: place ?? count)
    }
}

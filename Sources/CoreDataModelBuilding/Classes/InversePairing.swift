import ModelFormat

/// Finds the inverses of relationships: the stated ones, and those where only one fits.
struct InversePairing {
    private struct Noted {
        var entity: String
        var name: String
        var place: SourcePlace
        var inverse: String?
        var isOneWay: Bool
        var isNew: Bool
    }

    private var noted: [Noted] = []
    private(set) var problems: [Diagnostic] = []

    /// Notes a relationship of a class.
    mutating func note(_ relationship: ClassProperty<Relationship>, of entity: String, isNew: Bool) {
        var probe = relationship.initial
        probe.inverseName = ""
        for fact in relationship.facts where fact.name == "inverse" { fact.apply(&probe) }
        noted.append(
            Noted(
                entity: entity, name: relationship.name, place: relationship.place,
                inverse: probe.inverseName?.isEmpty == false ? probe.inverseName : nil,
                isOneWay: probe.inverseName == nil, isNew: isNew))
    }

    /// Sets the inverses of the noted relationships that have none.
    mutating func pair(in model: inout Model) {
        for relationship in noted { if let inverse = relationship.inverse { state(relationship, inverse, &model) } }
        for relationship in noted where relationship.inverse == nil && !relationship.isOneWay {
            guard let own = model[relationship.entity, relationship.name], own.inverseName == nil else { continue }
            let candidates = candidates(of: own, in: relationship.entity, model)
            if candidates.isEmpty { continue }
            let back = candidates.count == 1 ? model[own.destinationName, candidates[0]] : nil
            let others = back.map { self.candidates(of: $0, in: own.destinationName, model) } ?? []
            guard candidates.count == 1, others == [relationship.name] else {
                let names = candidates.count > 1 ? candidates.map { "\(own.destinationName).\($0)" } : nil
                let rivals = others.map { "\(relationship.entity).\($0)" }
                report(
                    relationship,
                    names.map { "\($0.joined(separator: " and ")) may be the inverse of it" }
                        ?? "\(rivals.joined(separator: " and ")) may be the inverse of "
                        + "\(own.destinationName).\(candidates[0])",
                    "State one: relationship(\\.\(relationship.name), inverse: "
                        + "\\\(own.destinationName).\(candidates[0])), or isOneWay: true")
                continue
            }
            model[relationship.entity, relationship.name]?.inverseName = candidates[0]
            model[own.destinationName, candidates[0]]?.inverseName = relationship.name
        }
    }

    private mutating func state(_ relationship: Noted, _ inverse: String, _ model: inout Model) {
        guard let own = model[relationship.entity, relationship.name] else { return }
        let destination = own.destinationName
        guard let partner = model[destination, inverse] else {
            return report(
                relationship, "its inverse \(destination).\(inverse) is no relationship",
                "Name a relationship that \(destination) declares")
        }
        guard partner.destinationName == relationship.entity else {
            return report(
                relationship, "its inverse \(destination).\(inverse) leads to \(partner.destinationName)",
                "Name a relationship of \(destination) that leads to \(relationship.entity)")
        }
        if let other = partner.inverseName, other != relationship.name {
            return report(
                relationship, "its inverse \(destination).\(inverse) is the inverse of \(other)",
                "Name another one, or change the inverse of \(destination).\(inverse)")
        }
        model[relationship.entity, relationship.name]?.inverseName = inverse
        model[destination, inverse]?.inverseName = relationship.name
    }

    /// Returns the names of the relationships without an inverse that lead back.
    private func candidates(of relationship: Relationship, in entity: String, _ model: Model) -> [String] {
        let destination = relationship.destinationName
        return (model.entity(named: destination)?.relationships ?? []).filter { other in
            other.destinationName == entity && other.inverseName == nil
                && !(destination == entity && other.name == relationship.name)
                && !noted.contains { $0.entity == destination && $0.name == other.name && $0.isOneWay }
        }.map(\.name)
    }

    /// Returns notes about relationships of new properties without an inverse.
    func notes(about model: Model) -> [Diagnostic] {
        noted.filter { !$0.isOneWay && $0.isNew && model[$0.entity, $0.name]?.inverseName == nil }.map { relationship in
            Diagnostic(
                severity: .note, message: "\(relationship.entity).\(relationship.name) has no inverse",
                file: relationship.place.file, line: relationship.place.line, column: relationship.place.column,
                entity: relationship.entity, property: relationship.name,
                advice: "Declare a relationship that leads back, or state isOneWay: true")
        }
    }

    private mutating func report(_ relationship: Noted, _ message: String, _ advice: String) {
        let place = relationship.place
        problems.append(
            Diagnostic(
                message: "\(relationship.entity).\(relationship.name): \(message)", file: place.file, line: place.line,
                column: place.column, entity: relationship.entity, property: relationship.name, advice: advice))
    }
}

extension Model {
    /// Accesses a relationship that an entity declares.
    fileprivate subscript(entity: String, name: String) -> Relationship? {
        get { self.entity(named: entity)?.relationships.first { $0.name == name } }
        set {
            guard let newValue, let index = entities.firstIndex(where: { $0.name == entity }),
                let position = entities[index].relationships.firstIndex(where: { $0.name == name })
            else { return }
            entities[index].relationships[position] = newValue
        }
    }
}

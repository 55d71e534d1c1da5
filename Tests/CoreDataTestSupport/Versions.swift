import CoreData

/// A small first version of a model for tests of single rules, and other versions made from it.
///
/// `Person` with the subentity `Employee`, `Company` 1 ⟷ n `Employee`, `Person` n ⟷ n `Club`, `Person` 1 ⟷ 1 `Card`.
package enum Versions {
    package static func first() -> NSManagedObjectModel {
        let person = LibraryModel.entity("Person"), employee = LibraryModel.entity("Employee")
        let company = LibraryModel.entity("Company"), club = LibraryModel.entity("Club"),
            card = LibraryModel.entity("Card")
        person.properties = [
            LibraryModel.attribute("name", .stringAttributeType),
            LibraryModel.attribute("age", .integer32AttributeType),
            LibraryModel.attribute(
                "born", .dateAttributeType, optional: false, default: Date(timeIntervalSinceReferenceDate: 0)),
        ]
        employee.properties = [LibraryModel.attribute("salary", .doubleAttributeType)]
        company.properties = [LibraryModel.attribute("title", .stringAttributeType)]
        club.properties = [LibraryModel.attribute("title", .stringAttributeType)]
        card.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        person.subentities = [employee]
        LibraryModel.relate(company, "staff", many: true, employee, "company", many: false)
        LibraryModel.relate(person, "clubs", many: true, club, "members", many: true)
        LibraryModel.relate(person, "card", many: false, card, "owner", many: false)
        let model = NSManagedObjectModel()
        model.entities = [person, employee, company, club, card]
        return model
    }

    /// Another version.
    package static func changed(
        from model: NSManagedObjectModel = first(),
        _ change: ([String: NSEntityDescription], NSManagedObjectModel) -> Void
    ) -> NSManagedObjectModel {
        guard let copy = model.copy() as? NSManagedObjectModel else { fatalError("A model copies to a model.") }
        change(copy.entitiesByName, copy)
        return copy
    }

    /// An attribute computed by the store.
    package static func derived(_ name: String, _ expression: String) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = .integer64AttributeType
        attribute.derivationExpression = NSExpression(format: expression)
        return attribute
    }

    /// Three people, two of them employees of one company, two clubs, two cards.
    package static func fill(_ context: NSManagedObjectContext) {
        let company = context.insert("Company", ["title": "Acme"])
        let clubs = ["Chess", "Rowing"].map { context.insert("Club", ["title": $0]) }
        let ann = context.insert("Person", ["name": "Ann", "age": 30])
        let bob = context.insert("Employee", ["name": "Bob", "salary": 100.5, "company": company])
        let cem = context.insert("Employee", ["name": "Cem", "age": 50, "company": company])
        ann.setValue(Set(clubs), forKey: "clubs")
        bob.setValue(Set([clubs[0]]), forKey: "clubs")
        context.insert("Card", ["number": 1, "owner": ann])
        context.insert("Card", ["number": 2, "owner": cem])
    }
}

extension NSManagedObjectContext {
    /// The one object of an entity with a value.
    package func one(_ entity: String, _ key: String, _ value: Any) throws -> NSManagedObject {
        let found = try fetchAll(entity).first { ($0.value(forKey: key) as? AnyHashable) == (value as? AnyHashable) }
        guard let found else { throw CocoaError(.coderValueNotFound) }
        return found
    }

    /// Values of an attribute, sorted by their text; nil as "nil".
    package func texts(_ entity: String, _ key: String) throws -> [String] {
        try fetchAll(entity).map { $0.value(forKey: key).map { "\($0)" } ?? "nil" }.sorted()
    }

    /// Values of an attribute of related objects.
    package func texts(_ object: NSManagedObject, _ relationship: String, _ key: String) -> [String] {
        let value = object.value(forKey: relationship)
        let members =
            (value as? Set<NSManagedObject>).map { Array($0) }
            ?? (value as? NSOrderedSet)?.array.compactMap { $0 as? NSManagedObject } ?? []
        return members.map { "\($0.value(forKey: key) ?? "nil")" }.sorted()
    }
}

#if canImport(ModelCompiler)
import CoreData

/// A version of a model with derived attributes: `Visit` with the subentity `Stay`, its notes, and `Extra`, which may be gone.
///
/// What is the same attribute in two versions is known by its number, whatever it is called.
struct VisitVersion: CustomStringConvertible {
    enum Kind: Hashable {
        case text, number
        case derived(String)

        var isStored: Bool { self == .text || self == .number }
    }

    struct Attribute: CustomStringConvertible {
        var id: Int
        var name: String
        var previous: String?
        var kind: Kind

        var description: String { "\(name)\(previous.map { " (\($0))" } ?? "") \(kind)" }
    }

    var visit: [Attribute] = []
    var stay: [Attribute] = []
    var hasExtra = true

    var description: String { "Visit \(visit), Stay \(stay)\(hasExtra ? ", Extra" : "")" }

    func attributes(of entity: String) -> [Attribute] {
        switch entity {
        case "Visit": visit
        case "Stay": visit + stay
        default: []
        }
    }

    // MARK: The model

    func model() -> NSManagedObjectModel {
        func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "NSManagedObject"
            entity.properties = properties
            return entity
        }
        let key = Attribute(id: -1, name: "key", kind: .number), stars = Attribute(id: -2, name: "stars", kind: .number)
        let notes = NSRelationshipDescription(), owner = NSRelationshipDescription()
        let visit = entity("Visit", ([key] + visit).map(Self.description) + [notes])
        let stay = entity("Stay", stay.map(Self.description))
        let note = entity("Note", [Self.description(stars), owner])
        visit.subentities = [stay]
        (notes.name, notes.destinationEntity, notes.maxCount) = ("notes", note, 0)
        (owner.name, owner.destinationEntity, owner.maxCount) = ("visit", visit, 1)
        (notes.inverseRelationship, owner.inverseRelationship) = (owner, notes)
        let model = NSManagedObjectModel()
        model.entities = [visit, stay, note] + (hasExtra ? [entity("Extra", [Self.description(stars)])] : [])
        return model
    }

    private static func description(_ attribute: Attribute) -> NSAttributeDescription {
        let made: NSAttributeDescription
        if case .derived(let expression) = attribute.kind {
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = NSExpression(format: expression)
            made = derived
        } else {
            made = NSAttributeDescription()
        }
        made.name = attribute.name
        made.attributeType = attribute.kind == .text ? .stringAttributeType : .integer64AttributeType
        made.isOptional = true
        if let previous = attribute.previous { made.renamingIdentifier = previous }
        return made
    }
}

/// Random versions, and random changes of them.
struct RandomVisits {
    private var state: UInt64
    private var last = 0

    init(seed: Int) { state = UInt64(seed) &* 7919 &+ 17 }

    mutating func number(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    mutating func version() -> VisitVersion {
        var version = VisitVersion()
        for _ in 0..<1 + number(4) { version.visit.append(attribute()) }
        for _ in 0..<number(3) { version.stay.append(attribute()) }
        return version
    }

    private mutating func attribute() -> VisitVersion.Attribute {
        last += 1
        let kinds: [VisitVersion.Kind] = [.text, .number, derivation(), derivation()]
        // One name is the beginning of others.
        return .init(id: last, name: "note" + (last > 1 ? "Count\(last)" : ""), kind: kinds[number(kinds.count)])
    }

    private mutating func derivation() -> VisitVersion.Kind {
        .derived(["notes.@count", "notes.@sum.stars", "notes.@max.stars"][number(3)])
    }

    mutating func changed(_ version: VisitVersion) -> VisitVersion {
        var version = version
        for _ in 0..<1 + number(3) {
            if number(2) == 0 {
                change(&version.visit)
            } else {
                change(&version.stay)
            }
        }
        if number(6) == 0 { version.hasExtra = false }
        return version
    }

    private mutating func change(_ attributes: inout [VisitVersion.Attribute]) {
        guard number(5) > 0, !attributes.isEmpty else { return attributes.append(attribute()) }
        let index = number(attributes.count)
        switch (number(4), attributes[index].kind) {
        case (0, _): attributes.remove(at: index)
        case (1, _) where attributes[index].previous == nil:
            attributes[index].previous = attributes[index].name
            attributes[index].name += "Renamed"
        case (2, .number): attributes[index].kind = derivation()
        case (2, .derived): attributes[index].kind = .number
        case (_, .derived): attributes[index].kind = derivation()
        default: attributes.append(attribute())
        }
    }

    /// Objects of every entity, the first of which has a value for every attribute.
    mutating func fill(_ context: NSManagedObjectContext, _ version: VisitVersion) {
        var key = 0
        for entity in ["Visit", "Stay"] {
            for index in 0..<3 {
                key += 1
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValue(key, forKey: "key")
                for attribute in version.attributes(of: entity) where attribute.kind.isStored {
                    guard index == 0 || number(2) == 0 else { continue }
                    let value = 10 + number(90)
                    object.setValue(attribute.kind == .text ? "\(value)" : value, forKey: attribute.name)
                }
                for _ in 0..<(index == 0 ? 2 : number(3)) {
                    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                    note.setValue(number(6), forKey: "stars")
                    note.setValue(object, forKey: "visit")
                }
            }
        }
        NSEntityDescription.insertNewObject(forEntityName: "Extra", into: context)
    }
}
#endif

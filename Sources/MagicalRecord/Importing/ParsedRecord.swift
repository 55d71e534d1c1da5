import CoreData

/// A record read by an entity's plan, with every value converted, before any object is touched. A record that cannot
/// be read therefore changes nothing.
struct ParsedRecord {
    let plan: ImportPlan
    let source: Any
    /// Attributes the record has values for; `nil` is a null.
    var values: [(attribute: ImportPlan.Attribute, value: Any?)] = []
    var related: [Related] = []
    /// What identifies the object; `nil` when the record does not say.
    var identity: Identity?

    /// What a record has for one relationship.
    struct Related {
        let relationship: ImportPlan.Relationship
        let source: Any
        let content: Content
    }

    /// The content of a relationship.
    enum Content {
        /// An explicit null.
        case nothing
        case members([Member])
    }

    /// One related object.
    enum Member {
        /// A record of its own.
        case record(ParsedRecord)
        /// Nothing but what identifies it.
        case identity(Identity)
        /// An object that an export wrote elsewhere in the same document.
        case reference(Int)
    }

    /// Reads a record.
    ///
    /// - Parameters:
    ///   - plan: the entity the record is about. Of an abstract one, the sub-entity that fits the record best is taken.
    ///   - key: what identifies the object: at the top level the entity's key, behind a relationship that one's.
    ///   - depth: how many relationships lie above, to stop at documents nested without end.
    init(_ source: Any, plan: ImportPlan, key: ImportPlan.Attribute?, depth: Int = 0) throws {
        guard depth < 200 else {
            throw MagicalRecordError(.malformedRecord, "The record is nested too deeply.", entity: plan.entityName)
        }
        let payload = Payload(source)
        // Objects are looked up among all of the hierarchy, whichever entity a new one would have.
        let hierarchy = plan
        let plan = try plan.concrete(for: payload)
        self.plan = plan
        self.source = source
        do {
            for attribute in plan.attributes {
                if let value = try attribute.value(in: payload) { values.append((attribute, value)) }
            }
        } catch var error as MagicalRecordError {
            error.entity = error.entity ?? plan.entityName
            throw error
        }
        if let key, let value = values.first(where: { $0.attribute.name == key.name })?.value {
            identity = Identity(plan: hierarchy, attribute: key.name, value: value)
        }
        for relationship in plan.relationships {
            guard let found = relationship.paths.firstValue(in: payload) else { continue }
            related.append(
                Related(
                    relationship: relationship, source: found.value,
                    content: try Self.content(found.value, relationship, depth)))
        }
    }

    private static func content(_ value: Any, _ relationship: ImportPlan.Relationship, _ depth: Int) throws -> Content {
        if value is NSNull { return .nothing }
        guard let list = value as? [Any] else {
            return .members([try member(value, relationship, depth)])
        }
        guard relationship.isToMany else {
            throw MagicalRecordError(
                .malformedRecord, "A list was given for a to-one relationship.", key: relationship.name)
        }
        // A null in a list identifies nothing. (The original went on to search for a null key.)
        return .members(try list.filter { !($0 is NSNull) }.map { try member($0, relationship, depth) })
    }

    private static func member(_ value: Any, _ relationship: ImportPlan.Relationship, _ depth: Int) throws -> Member {
        let plan = ImportPlan.plan(for: relationship.destination)
        if value is String || value is NSNumber || value is UUID || value is Date {
            guard let key = relationship.key else {
                throw MagicalRecordError(
                    .malformedRecord, "An id was given, but nothing says which attribute it is.",
                    advice: "Set \(kMagicalRecordImportRelationshipLinkedByKey) in the relationship's userInfo.",
                    entity: plan.entityName, key: relationship.name)
            }
            guard let converted = try key.converter.convert(value),
                let identity = Identity(plan: plan, attribute: key.name, value: converted)
            else {
                throw MagicalRecordError(
                    .malformedRecord, "The id has no value.", entity: plan.entityName, key: relationship.name)
            }
            return .identity(identity)
        }
        if let dictionary = value as? [String: Any], let number = dictionary[ExportMarks.reference] as? Int {
            return .reference(number)
        }
        return .record(try ParsedRecord(value, plan: plan, key: relationship.key, depth: depth + 1))
    }

    /// Calls `body` with what identifies this record's object and those behind its relationships.
    func forEachIdentity(_ body: (Identity) -> Void) {
        if let identity { body(identity) }
        for related in related {
            guard case .members(let members) = related.content else { continue }
            for member in members {
                switch member {
                case .record(let record): record.forEachIdentity(body)
                case .identity(let identity): body(identity)
                case .reference: break
                }
            }
        }
    }
}

/// What identifies an object: an entity, one of its attributes, and a value, in a form that can be compared.
struct Identity {
    let plan: ImportPlan
    let attribute: String
    /// The value as the attribute holds it.
    let value: Any
    let key: AnyHashable

    /// `nil` when the value cannot identify anything.
    init?(plan: ImportPlan, attribute: String, value: Any?) {
        guard let value, let key = Identity.comparable(value) else { return nil }
        self.plan = plan
        self.attribute = attribute
        self.value = value
        self.key = key
    }

    /// Objects of one hierarchy that are identified by the same attribute are looked up together.
    var group: IdentityMap.Group { IdentityMap.Group(root: plan.rootName, attribute: attribute) }

    /// Values that mean the same compare equal, whatever class they come in.
    static func comparable(_ value: Any) -> AnyHashable? {
        if let text = value as? String { return AnyHashable(text) }
        if let number = value as? NSNumber {
            let double = number.doubleValue
            if abs(double) < 9_007_199_254_740_992, let integer = Int64(exactly: double) { return AnyHashable(integer) }
            return double.rounded() == double ? AnyHashable(number.int64Value) : AnyHashable(double)
        }
        return value as? AnyHashable
    }
}

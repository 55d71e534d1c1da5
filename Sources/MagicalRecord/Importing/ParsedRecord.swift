import CoreData

/// A record converted by an entity's plan before any object is changed. An unreadable record therefore changes nothing; with an
/// ``ImportTolerance`` only its unreadable parts are left out.
final class ParsedRecord {
    let plan: ImportPlan
    let source: Any
    /// The attributes that the record has values for.
    let values: [(attribute: ImportPlan.Attribute, value: ImportedValue)]
    let related: [Related]
    /// The identity of the object; nil if the record has none.
    let identity: Identity?
    /// The number that an export has given this record, and that of the record that this one refers to.
    let number, reference: Int?
    /// Whether parts were left out and nothing importable remained.
    let isUnusable: Bool

    /// The record's value for one relationship.
    struct Related {
        let relationship: ImportPlan.Relationship
        let source: Any
        /// The related objects, each with its index in the record's list, if that is one; nil for an explicit null.
        let members: [(index: Int?, member: Member)]?
    }

    /// One related object: a nested record, an identity alone, or the number of a record elsewhere in the document.
    enum Member {
        case record(ParsedRecord)
        case identity(Identity)
        case reference(Int)
    }

    /// Parses a record.
    ///
    /// - Parameters:
    ///   - keys: the attributes that may identify the object; the first that the record has a value for is used.
    ///   - identity: the object's identity, if it is known already.
    ///   - depth: the number of relationships above the record, to limit nesting.
    ///   - tolerance: collects the errors of unreadable parts; without it the first one is thrown.
    init(
        _ source: Any, plan: ImportPlan, keys: [ImportPlan.Attribute], identity known: Identity? = nil, depth: Int = 0,
        tolerance: ImportTolerance?
    ) throws {
        guard depth < 200 else {
            throw MagicalRecordError(.malformedRecord, "The record is nested too deeply.", entity: plan.entityName)
        }
        let payload = Payload(source)
        // Identities are looked up in the whole hierarchy, whichever subentity a new object would have.
        let hierarchy = plan
        let plan = try plan.concrete(for: payload)
        self.plan = plan
        self.source = source
        let errors = tolerance?.errors.count ?? 0
        number = payload.dictionary?[ExportMarks.number] as? Int
        reference = payload.dictionary?[ExportMarks.reference] as? Int
        let key = keys.first { $0.paths.hasValue(in: payload) }
        var identity = known
        var values: [(attribute: ImportPlan.Attribute, value: ImportedValue)] = []
        values.reserveCapacity(plan.attributes.count)
        for attribute in plan.attributes {
            let isKey = key?.name == attribute.name
            let reader = isKey ? key ?? attribute : attribute
            guard let value = try reader.value(in: payload, of: plan, identifies: isKey, tolerance) else { continue }
            values.append((attribute, value))
            if isKey { identity = Identity(plan: hierarchy, attribute: attribute, value: value) }
        }
        self.values = values
        self.identity = identity
        related = try plan.relationships.compactMap { relationship in
            guard let value = relationship.paths.value(in: payload) else { return nil }
            return try tolerance.collecting(at: relationship.paths.path(in: payload)) {
                try Self.related(value, relationship, of: plan, depth, tolerance)
            }
        }
        isUnusable = tolerance?.errors.count ?? 0 > errors && related.isEmpty && values.allSatisfy(\.value.isNull)
    }

    /// Returns the value of a relationship; nil if none of it can be read, with the error in the tolerance.
    private static func related(
        _ value: Any, _ relationship: ImportPlan.Relationship, of plan: ImportPlan, _ depth: Int,
        _ tolerance: ImportTolerance?
    ) throws -> Related? {
        let members: [(Int?, Member)]?
        if ImportedValue.isNull(value) {
            members = nil
        } else if let list = value as? [Any] {
            guard relationship.isToMany else {
                throw MagicalRecordError(
                    .malformedRecord, "A list was given for a to-one relationship.", entity: plan.entityName,
                    key: relationship.name)
            }
            // A null in a list identifies no object. (The original searched for a null key.)
            var found: [(Int?, Member)] = []
            for (index, value) in list.enumerated() where !ImportedValue.isNull(value) {
                let read = try tolerance.collecting(at: "[\(index)]") {
                    try member(value, relationship, depth, tolerance)
                }
                if let read { found.append((index, read)) }
            }
            members = found
        } else {
            guard let member = try member(value, relationship, depth, tolerance) else { return nil }
            members = [(nil, member)]
        }
        return Related(relationship: relationship, source: value, members: members)
    }

    /// Returns one related object; nil if nothing of its record can be read.
    private static func member(
        _ value: Any, _ relationship: ImportPlan.Relationship, _ depth: Int, _ tolerance: ImportTolerance?
    ) throws -> Member? {
        let plan = ImportPlan.plan(for: relationship.destination)
        if ImportedValue.isPlain(value) || value is UUID || value is Date {
            guard let key = relationship.keys.first else {
                throw MagicalRecordError(
                    .malformedRecord, "An id was given, but nothing says which attribute it is.",
                    advice: "Set \(ImportKey.identifyingAttribute) in the relationship's userInfo.",
                    entity: plan.entityName, key: relationship.name)
            }
            guard let identity = Identity(plan: plan, attribute: key, value: try key.converted(value)) else {
                throw MagicalRecordError(
                    .malformedRecord, "The id has no value.", entity: plan.entityName, key: relationship.name)
            }
            return .identity(identity)
        }
        if let dictionary = value as? [String: Any], let number = dictionary[ExportMarks.reference] as? Int {
            return .reference(number)
        }
        let record = try ParsedRecord(
            value, plan: plan, keys: relationship.keys, depth: depth + 1, tolerance: tolerance)
        return record.isUnusable ? nil : .record(record)
    }

    /// Calls `body` with the identities of this record and of the records nested in it.
    func forEachIdentity(_ body: (Identity) -> Void) {
        if let identity { body(identity) }
        for related in related {
            for (_, member) in related.members ?? [] {
                switch member {
                case .record(let record): record.forEachIdentity(body)
                case .identity(let identity): body(identity)
                case .reference: break
                }
            }
        }
    }
}

/// The identity of an object: an entity, one of its attributes, and a value.
struct Identity {
    let plan: ImportPlan
    /// The namespace of the identity; the objects of one group are looked up together.
    let group: IdentityMap.Group
    let value: ImportedValue
    let key: IdentityKey

    /// Creates an identity; nil if the value cannot identify an object.
    init?(plan: ImportPlan, attribute: ImportPlan.Attribute, value: ImportedValue) {
        guard let key = IdentityKey(value) else { return nil }
        self.plan = plan
        group = attribute.group
        self.value = value
        self.key = key
    }
}

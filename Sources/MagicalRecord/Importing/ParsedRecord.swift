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
    /// The number that an export has given this record, so that other records can refer to it.
    let number: Int?
    /// The number of the record that this one refers to.
    let reference: Int?
    /// Whether parts were left out and nothing importable remained.
    let isUnusable: Bool

    /// The record's value for one relationship.
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
        /// A nested record.
        case record(ParsedRecord)
        /// An identity alone.
        case identity(Identity)
        /// A reference to an object that an export wrote elsewhere in the document.
        case reference(Int)
    }

    /// Parses a record.
    ///
    /// - Parameters:
    ///   - plan: the entity of the record. For an abstract one, the subentity that matches the record best is used.
    ///   - keys: the attributes that may identify the object: the entity's key at the top level, those of the relationship
    ///     below it. The first that the record has a value for is used.
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
        let errorsBefore = tolerance?.errors.count ?? 0
        number = payload.dictionary?[ExportMarks.number] as? Int
        reference = payload.dictionary?[ExportMarks.reference] as? Int
        let key = keys.first { $0.hasValue(in: payload) }
        var identity = known
        var values: [(attribute: ImportPlan.Attribute, value: ImportedValue)] = []
        values.reserveCapacity(plan.attributes.count)
        do {
            for attribute in plan.attributes {
                let isKey = key?.name == attribute.name
                let reader = isKey ? key ?? attribute : attribute
                guard let value = try reader.value(in: payload, identifies: isKey, tolerance) else { continue }
                values.append((attribute, value))
                if isKey {
                    identity = Identity(plan: hierarchy, attribute: attribute, value: value)
                }
            }
        } catch var error as MagicalRecordError {
            error.entity = error.entity ?? plan.entityName
            throw error
        }
        self.values = values
        self.identity = identity
        var related: [Related] = []
        for relationship in plan.relationships {
            guard let value = relationship.paths.value(in: payload) else { continue }
            do {
                let content = try Self.content(value, relationship, depth, tolerance)
                guard let content else { continue }
                related.append(Related(relationship: relationship, source: value, content: content))
            } catch var error as MagicalRecordError {
                if error.entity == nil, error.key == relationship.name { error.entity = plan.entityName }
                guard let tolerance else { throw error }
                tolerance.add(error)
            }
        }
        self.related = related
        isUnusable =
            (tolerance?.errors.count ?? 0) > errorsBefore && related.isEmpty && values.allSatisfy(\.value.isNull)
    }

    /// Returns the content of a relationship; nil if none of it can be read, with the error in the tolerance.
    private static func content(
        _ value: Any, _ relationship: ImportPlan.Relationship, _ depth: Int, _ tolerance: ImportTolerance?
    ) throws -> Content? {
        if ImportedValue.isNull(value) { return .nothing }
        guard let list = value as? [Any] else {
            return try member(value, relationship, depth, tolerance).map { .members([$0]) }
        }
        guard relationship.isToMany else {
            throw MagicalRecordError(
                .malformedRecord, "A list was given for a to-one relationship.", key: relationship.name)
        }
        // A null in a list identifies no object. (The original searched for a null key.)
        let values = list.filter { !ImportedValue.isNull($0) }
        return .members(
            try values.compactMap { value in
                do {
                    return try member(value, relationship, depth, tolerance)
                } catch {
                    guard let tolerance else { throw error }
                    tolerance.add(error)
                    return nil
                }
            })
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

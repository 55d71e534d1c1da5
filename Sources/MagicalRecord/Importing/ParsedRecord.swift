import CoreData

/// A record read by an entity's plan, with every value converted, before any object is touched. A record that cannot
/// be read therefore changes nothing; with an ``ImportTolerance`` only the unreadable parts of it are left out.
final class ParsedRecord {
    let plan: ImportPlan
    let source: Any
    /// Attributes the record has values for.
    let values: [(attribute: ImportPlan.Attribute, value: ImportedValue)]
    let related: [Related]
    /// What identifies the object; `nil` when the record does not say.
    let identity: Identity?
    /// The number an export has given this record, so that others in the document can refer to it.
    let number: Int?
    /// The number of the record this one only refers to.
    let reference: Int?
    /// Whether parts were left out, and nothing that could be imported remained.
    let isUnusable: Bool

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
    ///   - keys: what may identify the object: at the top level the entity's key, behind a relationship those of the
    ///     relationship. The first that the record has a value for does.
    ///   - identity: what identifies the object, when that is known from elsewhere.
    ///   - depth: how many relationships lie above, to stop at documents nested without end.
    ///   - tolerance: collects what cannot be read; without one the first such part makes the record an error.
    init(
        _ source: Any, plan: ImportPlan, keys: [ImportPlan.Attribute], identity known: Identity? = nil, depth: Int = 0,
        tolerance: ImportTolerance?
    ) throws {
        guard depth < 200 else {
            throw MagicalRecordError(.malformedRecord, "The record is nested too deeply.", entity: plan.entityName)
        }
        let payload = Payload(source)
        // Objects are looked up among all of the hierarchy, whichever entity a new one would have.
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

    /// What a record has for a relationship; `nil` when none of it can be read, which the tolerance then knows.
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
        // A null in a list identifies nothing. (The original went on to search for a null key.)
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

    /// One related object; `nil` when nothing of its record can be read.
    private static func member(
        _ value: Any, _ relationship: ImportPlan.Relationship, _ depth: Int, _ tolerance: ImportTolerance?
    ) throws -> Member? {
        let plan = ImportPlan.plan(for: relationship.destination)
        if ImportedValue.isPlain(value) || value is UUID || value is Date {
            guard let key = relationship.keys.first else {
                throw MagicalRecordError(
                    .malformedRecord, "An id was given, but nothing says which attribute it is.",
                    advice: "Set \(kMagicalRecordImportRelationshipLinkedByKey) in the relationship's userInfo.",
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

/// What identifies an object: an entity, one of its attributes, and a value.
struct Identity {
    let plan: ImportPlan
    /// Objects of one hierarchy that are identified by the same attribute are looked up together.
    let group: IdentityMap.Group
    let value: ImportedValue
    let key: IdentityKey

    /// `nil` when the value cannot identify anything.
    init?(plan: ImportPlan, attribute: ImportPlan.Attribute, value: ImportedValue) {
        guard let key = IdentityKey(value) else { return nil }
        self.plan = plan
        group = attribute.group
        self.value = value
        self.key = key
    }
}

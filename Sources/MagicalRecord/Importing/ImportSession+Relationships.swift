import CoreData

extension ImportSession {
    /// Sets one relationship from a record; returns true if it changed.
    mutating func setRelationship(
        _ related: ParsedRecord.Related, of record: ParsedRecord, on object: NSManagedObject, _ hooks: ImportHooks
    ) throws -> Bool {
        let relationship = related.relationship
        guard hooks.shouldImportRelationship(relationship.name, related.source) else { return false }
        if hooks.handlesRelationship(relationship.name, record.source) { return true }
        if options.relationships == .keep, hasMembers(object, relationship) { return false }
        guard let members = related.members else {
            guard hasMembers(object, relationship) else { return false }
            object.setValue(nil, forKey: relationship.name)
            return true
        }
        let tolerance = tolerance
        let place = { relationship.paths.path(in: Payload(record.source)) }
        let objects = try members.compactMap { index, member in
            try tolerance.collecting(at: place().map { $0 + (index.map { "[\($0)]" } ?? "") }) {
                switch member {
                case .record(let record): return try self.object(for: record)
                case .identity(let identity): return try self.object(for: identity)
                case .reference(let number):
                    let found = try self.object(marked: number)
                    if let found, found.entity.isKindOf(entity: relationship.destination) { return found }
                    throw MagicalRecordError(
                        .malformedRecord,
                        "The document refers to an object, number \(number), that it does not contain.",
                        key: relationship.name)
                }
            }
        }
        if objects.isEmpty, !members.isEmpty { return false }
        return setMembers(objects, of: relationship, on: object)
    }

    private func hasMembers(_ object: NSManagedObject, _ relationship: ImportPlan.Relationship) -> Bool {
        guard let value = object.value(forKey: relationship.name) else { return false }
        return (value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count ?? 1 > 0
    }

    /// Sets the relationship's members, or adds them if the options say so; returns true if it changed.
    private func setMembers(
        _ members: [NSManagedObject], of relationship: ImportPlan.Relationship, on object: NSManagedObject
    ) -> Bool {
        let (present, adds) = (object.value(forKey: relationship.name), options.relationships == .add)
        let value: Any?
        if !relationship.isToMany {
            guard present as? NSManagedObject !== members.first else { return false }
            value = members.first
        } else if relationship.isOrdered {
            let old = (present as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
            var seen: Set<NSManagedObject> = []
            let new = ((adds ? old : []) + members).filter { seen.insert($0).inserted }
            guard old != new else { return false }
            value = NSOrderedSet(array: new)
        } else {
            let old = present as? Set<NSManagedObject> ?? []
            let new = adds ? old.union(members) : Set(members)
            guard old != new else { return false }
            value = new as NSSet
        }
        object.setValue(value, forKey: relationship.name)
        return true
    }
}

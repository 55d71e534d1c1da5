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
        switch related.content {
        case .nothing:
            guard hasMembers(object, relationship) else { return false }
            object.setValue(nil, forKey: relationship.name)
            return true
        case .members(let members):
            let objects = try self.objects(for: members, relationship)
            if objects.isEmpty, !members.isEmpty { return false }
            return relationship.isToMany
                ? setMembers(objects, of: relationship, on: object)
                : setMember(objects.first, of: relationship, on: object)
        }
    }

    /// Returns the related objects. With a tolerance, collects errors and leaves out their objects.
    private mutating func objects(for members: [ParsedRecord.Member], _ relationship: ImportPlan.Relationship) throws
        -> [NSManagedObject]
    {
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(members.count)
        for member in members {
            do {
                objects.append(try object(for: member, relationship))
            } catch {
                guard let tolerance else { throw error }
                tolerance.add(error)
            }
        }
        return objects
    }

    private mutating func object(for member: ParsedRecord.Member, _ relationship: ImportPlan.Relationship) throws
        -> NSManagedObject
    {
        switch member {
        case .record(let record): return try object(for: record)
        case .identity(let identity): return try object(for: identity)
        case .reference(let number):
            guard let object = try object(marked: number), object.entity.isKindOf(entity: relationship.destination)
            else {
                throw MagicalRecordError(
                    .malformedRecord, "The document refers to an object, number \(number), that it does not contain.",
                    key: relationship.name)
            }
            return object
        }
    }

    private func hasMembers(_ object: NSManagedObject, _ relationship: ImportPlan.Relationship) -> Bool {
        guard let value = object.value(forKey: relationship.name) else { return false }
        if let set = value as? NSSet { return set.count > 0 }
        if let set = value as? NSOrderedSet { return set.count > 0 }
        return true
    }

    private func setMember(
        _ member: NSManagedObject?, of relationship: ImportPlan.Relationship, on object: NSManagedObject
    ) -> Bool {
        guard object.value(forKey: relationship.name) as? NSManagedObject !== member else { return false }
        object.setValue(member, forKey: relationship.name)
        return true
    }

    private func setMembers(
        _ members: [NSManagedObject], of relationship: ImportPlan.Relationship, on object: NSManagedObject
    ) -> Bool {
        let present = object.value(forKey: relationship.name)
        if relationship.isOrdered {
            let old = (present as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
            let new = merged(old, members)
            guard old != new else { return false }
            object.setValue(NSOrderedSet(array: new), forKey: relationship.name)
            return true
        }
        let old = present as? Set<NSManagedObject> ?? []
        let new = options.relationships == .add ? old.union(members) : Set(members)
        guard old != new else { return false }
        object.setValue(new as NSSet, forKey: relationship.name)
        return true
    }

    /// Returns the members without duplicates, in order, behind the existing ones if members are added.
    private func merged(_ old: [NSManagedObject], _ members: [NSManagedObject]) -> [NSManagedObject] {
        var seen: Set<NSManagedObject> = []
        return ((options.relationships == .add ? old : []) + members).filter { seen.insert($0).inserted }
    }
}

import CoreData

/// One import into one context: the engine behind all import functions. To be used on the context's queue.
struct ImportSession {
    let context: NSManagedObjectContext
    let plan: ImportPlan
    let options: ImportOptions
    private var counted = ImportReport()
    /// What has been done so far.
    var report: ImportReport {
        var report = counted
        report.lookUps = map.lookUps
        return report
    }

    var map = IdentityMap()
    /// Objects that an export has marked with a number, so that others in the document can refer to them.
    private var marked: [Int: NSManagedObject] = [:]
    /// The same for those of earlier chunks, which have been saved and let go of.
    private var markedIDs: [Int: NSManagedObjectID] = [:]
    private var adopters: [ObjectIdentifier: Bool] = [:]
    private var nextIndex = 0
    /// Which record touched an object first, and what became of it, to say so when the object turns out not to be valid.
    private(set) var owners: [NSManagedObject: Int] = [:]
    private var effects: [Int: Effect] = [:]

    init(context: NSManagedObjectContext, entity: NSEntityDescription, options: ImportOptions) {
        self.context = context
        self.options = options
        plan = ImportPlan.plan(for: entity)
    }

    /// Imports records, looking their objects up together.
    ///
    /// - Returns: the object of each record; `nil` for those that failed or were skipped.
    /// - Throws: Core Data's error of a look-up, or with `stopsAtFirstFailure` the first failure.
    mutating func importChunk(_ records: [Any]) throws -> [NSManagedObject?] {
        var parsed: [ParsedRecord?] = []
        parsed.reserveCapacity(records.count)
        let first = nextIndex
        nextIndex += records.count
        for (offset, record) in records.enumerated() {
            do {
                parsed.append(try parse(record))
            } catch {
                try note(error, at: first + offset)
                parsed.append(nil)
            }
        }
        try map.lookUp(parsed.compactMap { $0 }, in: context)
        var objects: [NSManagedObject?] = []
        objects.reserveCapacity(records.count)
        for (offset, record) in parsed.enumerated() {
            guard let record else {
                objects.append(nil)
                continue
            }
            do {
                objects.append(try importTop(record, index: first + offset))
            } catch {
                try note(error, at: first + offset)
                objects.append(nil)
            }
        }
        return objects
    }

    /// Notes a failure, or rethrows it.
    mutating func note(_ error: any Error, at index: Int) throws {
        if options.stopsAtFirstFailure { throw error }
        counted.failures.append(ImportReport.Failure(index: index, error: error))
    }

    /// Notes that a record's object was refused after the record had been counted as imported.
    mutating func noteInvalid(_ error: any Error, at index: Int) throws {
        switch effects.removeValue(forKey: index) {
        case .inserted: counted.inserted -= 1
        case .changed: counted.updated -= 1
        case .unchanged: counted.unchanged -= 1
        case .refused, nil: break
        }
        try note(error, at: index)
    }

    /// Forgets the objects of the chunk, which are about to leave the context.
    mutating func forgetObjects() {
        map.removeAll()
        owners = [:]
        effects = [:]
        for (number, object) in marked { markedIDs[number] = object.objectID }
        marked = [:]
    }

    /// The object that carries a number in the document.
    func object(marked number: Int) -> NSManagedObject? {
        marked[number] ?? markedIDs[number].flatMap { try? context.existingObject(with: $0) }
    }

    /// Fills an existing object from a record, without a look-up of its own.
    ///
    /// - Returns: false when the object's hook turned the record down.
    mutating func fill(_ object: NSManagedObject, from record: Any) throws -> Bool {
        let plan = ImportPlan.plan(for: object.entity)
        let parsed = try ParsedRecord(record, plan: plan, key: nil)
        try map.lookUp([parsed], in: context)
        return try apply(parsed, to: object, isNew: false) != .refused
    }

    private func parse(_ record: Any) throws -> ParsedRecord {
        if let unreadable = record as? UnreadableRecord { throw unreadable.error }
        if record is NSNull || record is String || record is NSNumber {
            throw MagicalRecordError(
                .malformedRecord, "A record must be a dictionary or an object.", entity: plan.entityName)
        }
        return try ParsedRecord(record, plan: plan, key: plan.key)
    }

    private mutating func importTop(_ record: ParsedRecord, index: Int) throws -> NSManagedObject? {
        if let number = (record.source as? [String: Any])?[ExportMarks.reference] as? Int,
            let existing = object(marked: number)
        {
            counted.unchanged += 1
            return existing
        }
        if let existing = record.identity.flatMap({ map[$0] }) {
            guard options.existing == .update else {
                counted.skipped += 1
                return existing
            }
            owners[existing] = owners[existing] ?? index
            let effect = try apply(try self.record(record, about: existing), to: existing, isNew: false)
            switch effect {
            case .refused: counted.skipped += 1
            case .unchanged: counted.unchanged += 1
            case .changed, .inserted: counted.updated += 1
            }
            effects[index] = effect
            return existing
        }
        let object = record.plan.entity.makeObject(in: context)
        owners[object] = index
        do {
            if try apply(record, to: object, isNew: true) == .refused {
                context.delete(object)
                counted.skipped += 1
                return nil
            }
        } catch {
            context.delete(object)
            throw error
        }
        counted.inserted += 1
        effects[index] = .inserted
        return object
    }

    /// The object of a related record, found or made, and filled.
    mutating func object(for record: ParsedRecord, ownerIndex: Int?) throws -> NSManagedObject {
        if let existing = record.identity.flatMap({ map[$0] }) {
            _ = try apply(try self.record(record, about: existing), to: existing, isNew: false)
            return existing
        }
        let object = record.plan.entity.makeObject(in: context)
        owners[object] = ownerIndex
        counted.relatedInserted += 1
        // Entered at once, so that a record further inside that means the same object finds it.
        if let identity = record.identity { map[identity] = object }
        _ = try apply(record, to: object, isNew: true)
        return object
    }

    /// The record as one about that object, which may be of another sub-entity than a new one would be.
    private func record(_ record: ParsedRecord, about object: NSManagedObject) throws -> ParsedRecord {
        guard !object.entity.isKindOf(entity: record.plan.entity) else { return record }
        var read = try ParsedRecord(record.source, plan: ImportPlan.plan(for: object.entity), key: nil)
        read.identity = record.identity
        return read
    }

    /// The object an id stands for, found or made with nothing but the id.
    mutating func object(for identity: Identity, ownerIndex: Int?) throws -> NSManagedObject {
        if let existing = map[identity] { return existing }
        let object = try identity.plan.concrete(for: Payload([String: Any]())).entity.makeObject(in: context)
        owners[object] = ownerIndex
        counted.relatedInserted += 1
        if !hooks(of: object).handlesValue(identity.value, identity.attribute) {
            object.setValue(identity.value, forKey: identity.attribute)
        }
        map[identity] = object
        return object
    }

    enum Effect {
        case refused, inserted, changed, unchanged
    }

    /// Sets the record's values and relationships.
    private mutating func apply(_ record: ParsedRecord, to object: NSManagedObject, isNew: Bool) throws -> Effect {
        let hooks = hooks(of: object)
        guard hooks.shouldImport(record.source) else { return .refused }
        hooks.willImport(record.source)
        var changed = setValues(of: record, on: object, hooks, isNew: isNew)
        enter(record, object)
        for related in record.related {
            if try setRelationship(related, of: record, on: object, hooks) { changed = true }
        }
        hooks.didImport(record.source)
        return changed ? .changed : .unchanged
    }

    /// True when a value differed. Values that are there already are not written, so that an object stays clean.
    private func setValues(of record: ParsedRecord, on object: NSManagedObject, _ hooks: ImportHooks, isNew: Bool)
        -> Bool
    {
        var changed = false
        for (attribute, value) in record.values {
            if hooks.handlesValue(value, attribute.name) {
                changed = true
            } else if !ImportSession.isEqual(object.value(forKey: attribute.name), value) {
                object.setValue(value, forKey: attribute.name)
                changed = true
            }
        }
        // A new object has the defaults already.
        for attribute in record.plan.attributes where attribute.usesDefault && !isNew {
            guard !record.values.contains(where: { $0.attribute === attribute }) else { continue }
            let value = record.plan.defaults[attribute.name]
            if !ImportSession.isEqual(object.value(forKey: attribute.name), value) {
                object.setValue(value, forKey: attribute.name)
                changed = true
            }
        }
        return changed
    }

    /// Makes the object known under its identity and under its number, before its relationships lead back to it.
    private mutating func enter(_ record: ParsedRecord, _ object: NSManagedObject) {
        if let identity = record.identity { map[identity] = object }
        for name in map.attributes(of: record.plan) where name != record.identity?.attribute {
            guard let value = record.values.first(where: { $0.attribute.name == name })?.value,
                let identity = Identity(plan: record.plan, attribute: name, value: value)
            else { continue }
            map[identity] = object
        }
        if let dictionary = record.source as? [String: Any], let number = dictionary[ExportMarks.number] as? Int {
            marked[number] = object
        }
    }

    private mutating func hooks(of object: NSManagedObject) -> ImportHooks {
        let type = type(of: object)
        let key = ObjectIdentifier(type)
        let adopts = adopters[key] ?? (type is any MagicalRecordDataImportProtocol.Type)
        adopters[key] = adopts
        return ImportHooks(object, adopts: adopts)
    }

    static func isEqual(_ left: Any?, _ right: Any?) -> Bool {
        switch (left, right) {
        case (nil, nil): return true
        case (let left as NSObject, let right as NSObject): return left.isEqual(right)
        case (let left as AnyHashable, let right as AnyHashable): return left == right
        default: return false
        }
    }
}

import CoreData

/// An import into one context: the engine behind all import functions. Must be used on the context's queue.
struct ImportSession {
    let context: NSManagedObjectContext
    let plan: ImportPlan
    let options: MagicalRecord.ImportOptions
    /// Collects the errors of unreadable values; without it such a value makes its record fail.
    let tolerance: ImportTolerance?
    private var counted = MagicalRecord.ImportReport()
    /// The report so far.
    var report: MagicalRecord.ImportReport {
        var report = counted
        report.lookUps = map.lookUps
        return report
    }

    var map = IdentityMap()
    /// The objects that an export has numbered, so that other records of the document can refer to them.
    private var marked: [Int: NSManagedObject] = [:]
    /// The IDs of numbered objects of earlier chunks, which have been saved and released.
    private var markedIDs: [Int: NSManagedObjectID] = [:]
    private var traits: [ObjectIdentifier: ImportTraits] = [:]
    /// The index of the record being imported, and that of the first record of its chunk.
    private var index = 0
    private(set) var chunkStart = 0
    private var nextIndex = 0
    /// The objects of the chunk, each with the index of its record: validation errors are reported by record.
    private var touched: [(object: NSManagedObject, index: Int)] = []
    /// The objects that the current record has inserted, and those that it changed first; reverted if the record fails.
    private var made: [NSManagedObject] = []
    private var changedFirst: [NSManagedObject] = []
    private var effects: [Effect?] = []

    init(
        context: NSManagedObjectContext, entity: NSEntityDescription, options: MagicalRecord.ImportOptions,
        tolerance: ImportTolerance? = nil
    ) {
        self.context = context
        self.options = options
        self.tolerance = tolerance
        plan = ImportPlan.plan(for: entity)
    }

    /// Imports records, looking their objects up together.
    ///
    /// - Returns: the object of each record; `nil` for those that failed or were skipped.
    /// - Throws: Core Data's error of a fetch, or with `stopsAtFirstFailure` the first failure.
    mutating func importChunk(_ records: [Any]) throws -> [NSManagedObject?] {
        chunkStart = nextIndex
        nextIndex += records.count
        touched.removeAll(keepingCapacity: true)
        effects = Array(repeating: nil, count: records.count)
        var parsed: [ParsedRecord?] = []
        parsed.reserveCapacity(records.count)
        for (offset, record) in records.enumerated() {
            do {
                parsed.append(try parse(record))
            } catch {
                try note(error, at: chunkStart + offset)
                parsed.append(nil)
            }
        }
        try map.lookUp(parsed, in: context)
        var objects: [NSManagedObject?] = []
        objects.reserveCapacity(records.count)
        for (offset, record) in parsed.enumerated() {
            guard let record else {
                objects.append(nil)
                continue
            }
            index = chunkStart + offset
            do {
                objects.append(try importWhole(record))
            } catch {
                try note(error, at: index)
                objects.append(nil)
            }
        }
        return objects
    }

    /// Adds a failure to the report, or rethrows it if the options say so.
    mutating func note(_ error: any Error, at index: Int) throws {
        if options.stopsAtFirstFailure { throw error }
        counted.failures.append(MagicalRecord.ImportReport.Failure(index: index, error: error))
    }

    /// Reports a record as failed after it was counted as imported: its object turned out invalid.
    mutating func noteInvalid(_ error: any Error, at index: Int) throws {
        switch effects[index - chunkStart] {
        case .inserted: counted.inserted -= 1
        case .changed: counted.updated -= 1
        case .unchanged: counted.unchanged -= 1
        case .refused, nil: break
        }
        effects[index - chunkStart] = nil
        try note(error, at: index)
    }

    /// Releases the objects of the chunk, before the context is reset.
    mutating func forgetObjects() {
        map.removeAll()
        touched.removeAll(keepingCapacity: true)
        for (number, object) in marked { markedIDs[number] = object.objectID }
        marked = [:]
    }

    /// The index of the first record of the chunk that touched each object.
    var owners: [NSManagedObject: Int] {
        Dictionary(touched.lazy.map { ($0.object, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the object with a number in the document, or nil if there is none.
    ///
    /// - Throws: the store's error if the object cannot be read.
    func object(marked number: Int) throws -> NSManagedObject? {
        if let object = marked[number] { return object }
        guard let id = markedIDs[number] else { return nil }
        do {
            return try context.existingObject(with: id)
        } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
            return nil
        }
    }

    /// Imports a record into a given object, without looking one up by identity.
    ///
    /// - Returns: false if the object's hook rejected the record.
    mutating func fill(_ object: NSManagedObject, from record: Any) throws -> Bool {
        let plan = ImportPlan.plan(for: object.entity)
        let parsed = try ParsedRecord(record, plan: plan, keys: [], tolerance: tolerance)
        try map.lookUp([parsed], in: context)
        return try apply(parsed, to: object, isNew: false) != .refused
    }

    private func parse(_ record: Any) throws -> ParsedRecord {
        if type(of: record) != [String: Any].self {
            if let unreadable = record as? UnreadableRecord { throw unreadable.error }
            if let list = record as? [Any] {
                throw MagicalRecordError(
                    .malformedRecord, "A list of \(list.count) records was given for one record.",
                    advice: "Pass lists to importAll(from:), or as an array to mr_import(from:).",
                    entity: plan.entityName)
            }
            if record is NSNull || record is String || record is NSNumber {
                throw MagicalRecordError(
                    .malformedRecord, "A record must be a dictionary or an object.", entity: plan.entityName)
            }
        }
        return try ParsedRecord(record, plan: plan, keys: plan.keys, tolerance: tolerance)
    }

    /// Imports a record; reverts its changes if it fails halfway.
    private mutating func importWhole(_ record: ParsedRecord) throws -> NSManagedObject? {
        made.removeAll(keepingCapacity: true)
        changedFirst.removeAll(keepingCapacity: true)
        let relatedBefore = counted.relatedInserted
        do {
            return try importTop(record)
        } catch {
            for object in made { context.delete(object) }
            for object in changedFirst { context.refresh(object, mergeChanges: false) }
            counted.relatedInserted = relatedBefore
            throw error
        }
    }

    private mutating func importTop(_ record: ParsedRecord) throws -> NSManagedObject? {
        if let number = record.reference, let existing = try object(marked: number) {
            counted.unchanged += 1
            return existing
        }
        if let existing = record.identity.flatMap({ map[$0] }) {
            guard options.existing == .update else {
                counted.skipped += 1
                return existing
            }
            touched.append((existing, index))
            let effect = try apply(try self.record(record, about: existing), to: existing, isNew: false)
            switch effect {
            case .refused: counted.skipped += 1
            case .unchanged: counted.unchanged += 1
            case .changed, .inserted: counted.updated += 1
            }
            effects[index - chunkStart] = effect
            return existing
        }
        if record.isUnusable {
            counted.skipped += 1
            return nil
        }
        let object = makeObject(record.plan)
        if try apply(record, to: object, isNew: true) == .refused {
            context.delete(object)
            counted.skipped += 1
            return nil
        }
        counted.inserted += 1
        effects[index - chunkStart] = .inserted
        return object
    }

    private mutating func makeObject(_ plan: ImportPlan) -> NSManagedObject {
        let object = plan.entity.makeObject(in: context)
        touched.append((object, index))
        made.append(object)
        return object
    }

    /// Returns the object of a related record, existing or inserted, with the record's values.
    mutating func object(for record: ParsedRecord) throws -> NSManagedObject {
        if let existing = record.identity.flatMap({ map[$0] }) {
            touched.append((existing, index))
            _ = try apply(try self.record(record, about: existing), to: existing, isNew: false)
            return existing
        }
        let object = makeObject(record.plan)
        counted.relatedInserted += 1
        // Entered first, so that nested records with this identity find it.
        if let identity = record.identity { map[identity] = object }
        _ = try apply(record, to: object, isNew: true)
        return object
    }

    /// Returns the record parsed for the entity of an existing object, which may be another subentity than a new object would
    /// have.
    private func record(_ record: ParsedRecord, about object: NSManagedObject) throws -> ParsedRecord {
        guard !object.entity.isKindOf(entity: record.plan.entity) else { return record }
        return try ParsedRecord(
            record.source, plan: ImportPlan.plan(for: object.entity), keys: [], identity: record.identity,
            tolerance: tolerance)
    }

    /// Returns the object with an identity, or inserts one that has nothing but the key's value.
    mutating func object(for identity: Identity) throws -> NSManagedObject {
        if let existing = map[identity] { return existing }
        let object = makeObject(try identity.plan.concrete(for: Payload([String: Any]())))
        counted.relatedInserted += 1
        let attribute = identity.group.attribute
        if !hooks(of: object).handlesValue(identity.value, attribute) {
            object.setValue(identity.value.boxed, forKey: attribute)
        }
        map[identity] = object
        return object
    }

    enum Effect {
        case refused, inserted, changed, unchanged
    }

    /// Sets the values and relationships of a record, calling the object's hooks.
    private mutating func apply(_ record: ParsedRecord, to object: NSManagedObject, isNew: Bool) throws -> Effect {
        let hooks = hooks(of: object)
        guard hooks.shouldImport(record.source) else { return .refused }
        if !isNew, !object.hasChanges { changedFirst.append(object) }
        hooks.willImport(record.source)
        var changed = setValues(of: record, on: object, hooks, isNew: isNew)
        enter(record, object)
        for related in record.related {
            if try setRelationship(related, of: record, on: object, hooks) { changed = true }
        }
        hooks.didImport(record.source)
        return changed ? .changed : .unchanged
    }

    /// Sets the values of a record; returns true if one differed or the object is new. Equal values are not written, so that an
    /// object stays clean.
    private func setValues(of record: ParsedRecord, on object: NSManagedObject, _ hooks: ImportHooks, isNew: Bool)
        -> Bool
    {
        var changed = false
        for (attribute, value) in record.values {
            if hooks.handlesValue(value, attribute.name) {
                changed = true
            } else if isNew && !value.isNull {
                attribute.set(value, of: object, hooks.traits)
            } else if set(value, attribute, on: object, hooks.traits) {
                changed = true
            }
        }
        // A new object has the defaults from its insertion.
        if isNew { return true }
        for (attribute, value) in record.plan.defaulted
        where !record.values.contains(where: { $0.attribute === attribute }) {
            if set(value, attribute, on: object, hooks.traits) { changed = true }
        }
        return changed
    }

    private func set(
        _ value: ImportedValue, _ attribute: ImportPlan.Attribute, on object: NSManagedObject, _ traits: ImportTraits
    ) -> Bool {
        if attribute.holds(value, in: object, traits) { return false }
        attribute.set(value, of: object, traits)
        return true
    }

    /// Enters the object under its identity and its number, before its relationships are imported: they may refer to it.
    private mutating func enter(_ record: ParsedRecord, _ object: NSManagedObject) {
        if let identity = record.identity { map[identity] = object }
        // Other relationships may look it up by another attribute.
        for group in map.groups where group !== record.identity?.group && group.root == record.plan.rootName {
            guard let (attribute, value) = record.values.first(where: { $0.attribute.group === group }),
                let identity = Identity(plan: record.plan, attribute: attribute, value: value)
            else { continue }
            map[identity] = object
        }
        if let number = record.number { marked[number] = object }
    }

    private mutating func hooks(of object: NSManagedObject) -> ImportHooks {
        let type = type(of: object)
        let key = ObjectIdentifier(type)
        if let known = traits[key] { return ImportHooks(object, known) }
        let new = ImportTraits(type)
        traits[key] = new
        return ImportHooks(object, new)
    }
}

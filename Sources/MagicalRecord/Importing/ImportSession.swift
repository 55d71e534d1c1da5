import CoreData

/// An import into one context: the engine behind all import functions. Must be used on the context's queue.
struct ImportSession {
    let context: NSManagedObjectContext
    let plan: ImportPlan
    let options: MagicalRecord.ImportOptions
    /// Collects the errors of unreadable values; without it such a value makes its record fail.
    let tolerance: ImportTolerance?
    /// True if errors get the index of their record.
    var namesRecords = true
    private(set) var report = MagicalRecord.ImportReport()
    private var map = IdentityMap()
    /// The objects that an export has numbered, so that other records of the document can refer to them.
    private var marked: [Int: NSManagedObject] = [:]
    /// The IDs of numbered objects of earlier chunks, which have been saved and released.
    private var markedIDs: [Int: NSManagedObjectID] = [:]
    private var traits: [ObjectIdentifier: ImportTraits] = [:]
    /// The index of the record being imported, and that of the first record of its chunk.
    private var index = 0
    private var chunkStart = 0
    /// The objects of the chunk, each with the index of its record: validation errors are reported by record.
    private var touched: [(object: NSManagedObject, index: Int)] = []
    /// The objects that the current record has inserted, and those that it changed first; reverted if the record fails.
    private var made: [NSManagedObject] = []
    private var changedFirst: [NSManagedObject] = []
    /// The effects of the chunk's records; nil for those that failed or have none.
    private var effects: [ImportEffect?] = []

    init(
        context: NSManagedObjectContext, entity: NSEntityDescription, options: MagicalRecord.ImportOptions,
        tolerance: ImportTolerance? = nil
    ) {
        self.context = context
        self.options = options
        self.tolerance = tolerance
        plan = ImportPlan.plan(for: entity)
    }

    /// Imports the records of a reader as ``importChunk(_:)``, reporting to the instruments.
    mutating func importRecords(_ records: [ReadRecord]) throws -> [NSManagedObject?] {
        try Instruments.importChunk(of: records.count, as: plan.entityName, in: context) { try importChunk(records) }
    }

    /// Imports records, looking their objects up together; returns the object of each, nil for those that failed or were
    /// skipped. Throws Core Data's error of a fetch, or with `stopsAtFirstFailure` the first failure.
    mutating func importChunk(_ records: [ReadRecord]) throws -> [NSManagedObject?] {
        chunkStart += effects.count
        touched.removeAll(keepingCapacity: true)
        effects = Array(repeating: nil, count: records.count)
        let parsed = try records.enumerated().map { offset, record in
            try attempt(chunkStart + offset) { try $0.parse(try record.get()) }
        }
        try map.lookUp(parsed, in: context)
        report.lookUps = map.lookUps
        return try parsed.enumerated().map { offset, record in
            guard let record else { return nil }
            return try attempt(chunkStart + offset) { try $0.importTop(record) }
        }
    }

    /// Runs a step of a record's import. If it fails, reverts its changes, adds the failure to the report and returns nil.
    private mutating func attempt<Value>(_ index: Int, _ body: (inout Self) throws -> Value?) throws -> Value? {
        self.index = index
        made.removeAll(keepingCapacity: true)
        changedFirst.removeAll(keepingCapacity: true)
        let relatedBefore = report.relatedInserted
        let known = tolerance?.errors.count ?? 0
        defer { if namesRecords { tolerance?.updateErrors(since: known) { $0.inRecord(index) } } }
        do {
            return try body(&self)
        } catch {
            for object in made { context.delete(object) }
            for object in changedFirst { context.refresh(object, mergeChanges: false) }
            report.relatedInserted = relatedBefore
            try note(error, at: index)
            return nil
        }
    }

    /// Adds a failure to the report, or rethrows it if the options say so.
    private mutating func note(_ error: any Error, at index: Int) throws {
        let error = namesRecords ? error.inRecord(index) : error
        if options.stopsAtFirstFailure { throw error }
        report.failures.append(MagicalRecord.ImportReport.Failure(index: index, error: error))
    }

    /// Drops invalid objects from the context and reports the records that first touched them as failed; returns whether there
    /// were any.
    mutating func dropInvalidObjects() throws -> Bool {
        var failures: [(index: Int, error: any Error)] = []
        let owners = Dictionary(touched.lazy.map { ($0.object, $0.index) }, uniquingKeysWith: { first, _ in first })
        for object in context.insertedObjects.union(context.updatedObjects) {
            do {
                if object.isInserted { try object.validateForInsert() } else { try object.validateForUpdate() }
            } catch {
                failures.append((owners[object] ?? chunkStart, error))
                if object.isInserted { context.delete(object) } else { context.refresh(object, mergeChanges: false) }
            }
        }
        context.processPendingChanges()
        for (index, error) in failures.sorted(by: { $0.index < $1.index }) {
            let effect = effects[index - chunkStart]
            if let effect, effect != .refused { report.count(effect, -1) }
            effects[index - chunkStart] = nil
            try note(error, at: index)
        }
        return !failures.isEmpty
    }

    /// Releases the objects of the chunk, before the context is reset.
    mutating func forgetObjects() {
        map.removeAll()
        touched.removeAll(keepingCapacity: true)
        markedIDs.merge(marked.mapValues(\.objectID)) { _, new in new }
        marked = [:]
    }

    /// Returns the object with a number in the document, or nil if there is none. Throws the store's errors of reading it.
    func object(marked number: Int) throws -> NSManagedObject? {
        if let object = marked[number] { return object }
        guard let id = markedIDs[number] else { return nil }
        do {
            return try context.existingObject(with: id)
        } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
            return nil
        }
    }

    /// Imports a record into a given object; returns false if the object's hook rejected the record.
    mutating func fill(_ object: NSManagedObject, from record: Any) throws -> Bool {
        let plan = ImportPlan.plan(for: object.entity)
        let parsed = try ParsedRecord(record, plan: plan, keys: [], tolerance: tolerance)
        try map.lookUp([parsed], in: context)
        return try apply(parsed, to: object, isNew: false) != .refused
    }

    private func parse(_ record: Any) throws -> ParsedRecord {
        if type(of: record) != [String: Any].self {
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

    private mutating func importTop(_ record: ParsedRecord) throws -> NSManagedObject? {
        if let number = record.reference, let existing = try object(marked: number) {
            report.unchanged += 1
            return existing
        }
        if let existing = record.identity.flatMap({ map[$0] }) {
            count(options.existing == .update ? try update(existing, from: record) : .refused)
            return existing
        }
        if record.isUnusable {
            report.skipped += 1
            return nil
        }
        let object = makeObject(record.plan)
        let effect = try apply(record, to: object, isNew: true)
        count(effect)
        guard effect == .refused else { return object }
        context.delete(object)
        return nil
    }

    private mutating func count(_ effect: ImportEffect) {
        report.count(effect, 1)
        effects[index - chunkStart] = effect
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
            _ = try update(existing, from: record)
            return existing
        }
        let object = makeObject(record.plan)
        report.relatedInserted += 1
        // Entered first, so that nested records with this identity find it.
        if let identity = record.identity { map[identity] = object }
        _ = try apply(record, to: object, isNew: true)
        return object
    }

    /// Imports a record into an existing object, which may have another subentity than a new object would.
    private mutating func update(_ object: NSManagedObject, from record: ParsedRecord) throws -> ImportEffect {
        touched.append((object, index))
        var record = record
        if !object.entity.isKindOf(entity: record.plan.entity) {
            record = try ParsedRecord(
                record.source, plan: ImportPlan.plan(for: object.entity), keys: [], identity: record.identity,
                tolerance: tolerance)
        }
        return try apply(record, to: object, isNew: false)
    }

    /// Returns the object with an identity, or inserts one that has nothing but the key's value.
    mutating func object(for identity: Identity) throws -> NSManagedObject {
        if let existing = map[identity] { return existing }
        let object = makeObject(try identity.plan.concrete(for: Payload([String: Any]())))
        report.relatedInserted += 1
        let attribute = identity.group.attribute
        if !hooks(of: object).handlesValue(identity.value, attribute) {
            object.setValue(identity.value.boxed, forKey: attribute)
        }
        map[identity] = object
        return object
    }

    /// Sets the values and relationships of a record, calling the object's hooks.
    private mutating func apply(_ record: ParsedRecord, to object: NSManagedObject, isNew: Bool) throws -> ImportEffect
    {
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
        return isNew ? .inserted : changed ? .changed : .unchanged
    }

    /// Sets the values of a record; returns true if one differed or the object is new.
    private func setValues(of record: ParsedRecord, on object: NSManagedObject, _ hooks: ImportHooks, isNew: Bool)
        -> Bool
    {
        var changed = isNew
        for (attribute, value) in record.values {
            if hooks.handlesValue(value, attribute.name) {
                changed = true
            } else if isNew && !value.isNull {
                attribute.set(value, of: object, hooks.traits)
            } else if attribute.update(value, of: object, hooks.traits) {
                changed = true
            }
        }
        // A new object has the defaults from its insertion.
        for (attribute, value) in record.plan.defaulted
        where !isNew && !record.values.contains(where: { $0.attribute === attribute }) {
            if attribute.update(value, of: object, hooks.traits) { changed = true }
        }
        return changed
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
        if let known = traits[ObjectIdentifier(type)] { return ImportHooks(object, known) }
        let new = ImportTraits(type)
        traits[ObjectIdentifier(type)] = new
        return ImportHooks(object, new)
    }
}

/// The effect of a record on its object.
private enum ImportEffect {
    case refused, inserted, changed, unchanged
}

extension MagicalRecord.ImportReport {
    /// Adds `records`, which may be negative, to the number of records with an effect.
    fileprivate mutating func count(_ effect: ImportEffect, _ records: Int) {
        switch effect {
        case .refused: skipped += records
        case .inserted: inserted += records
        case .changed: updated += records
        case .unchanged: unchanged += records
        }
    }
}

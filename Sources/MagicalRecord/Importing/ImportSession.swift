import CoreData

/// One import into one context: the engine behind all import functions. To be used on the context's queue.
struct ImportSession {
    let context: NSManagedObjectContext
    let plan: ImportPlan
    let options: MagicalRecord.ImportOptions
    /// Collects what the records have that cannot be imported; without it that makes a record fail.
    let tolerance: ImportTolerance?
    private var counted = MagicalRecord.ImportReport()
    /// What has been done so far.
    var report: MagicalRecord.ImportReport {
        var report = counted
        report.lookUps = map.lookUps
        return report
    }

    var map = IdentityMap()
    /// Objects that an export has marked with a number, so that others in the document can refer to them.
    private var marked: [Int: NSManagedObject] = [:]
    /// The same for those of earlier chunks, which have been saved and let go of.
    private var markedIDs: [Int: NSManagedObjectID] = [:]
    private var traits: [ObjectIdentifier: ImportTraits] = [:]
    /// The record being imported, by its place in the input, and the first of its chunk.
    private var index = 0
    private(set) var chunkStart = 0
    private var nextIndex = 0
    /// Which records of the chunk touched which objects, and what became of each record, to say so when an object
    /// turns out not to be valid.
    private var touched: [(object: NSManagedObject, index: Int)] = []
    /// What the record being imported has made, and which objects it changed that were clean: undone when it fails.
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
    /// - Throws: Core Data's error of a look-up, or with `stopsAtFirstFailure` the first failure.
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

    /// Notes a failure, or rethrows it.
    mutating func note(_ error: any Error, at index: Int) throws {
        if options.stopsAtFirstFailure { throw error }
        counted.failures.append(MagicalRecord.ImportReport.Failure(index: index, error: error))
    }

    /// Notes that a record's object was refused after the record had been counted as imported.
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

    /// Forgets the objects of the chunk, which are about to leave the context.
    mutating func forgetObjects() {
        map.removeAll()
        touched.removeAll(keepingCapacity: true)
        for (number, object) in marked { markedIDs[number] = object.objectID }
        marked = [:]
    }

    /// By object, the first record of the chunk that touched it.
    var owners: [NSManagedObject: Int] {
        Dictionary(touched.lazy.map { ($0.object, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    /// The object that carries a number in the document.
    ///
    /// - Throws: The store's error where the object cannot be read.
    func object(marked number: Int) throws -> NSManagedObject? {
        if let object = marked[number] { return object }
        guard let id = markedIDs[number] else { return nil }
        do {
            return try context.existingObject(with: id)
        } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
            return nil
        }
    }

    /// Fills an existing object from a record, without a look-up of its own.
    ///
    /// - Returns: false when the object's hook turned the record down.
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

    /// Imports a record, or, when it fails halfway, nothing of it.
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

    /// The object of a related record, found or made, and filled.
    mutating func object(for record: ParsedRecord) throws -> NSManagedObject {
        if let existing = record.identity.flatMap({ map[$0] }) {
            touched.append((existing, index))
            _ = try apply(try self.record(record, about: existing), to: existing, isNew: false)
            return existing
        }
        let object = makeObject(record.plan)
        counted.relatedInserted += 1
        // Entered at once, so that a record further inside that means the same object finds it.
        if let identity = record.identity { map[identity] = object }
        _ = try apply(record, to: object, isNew: true)
        return object
    }

    /// The record as one about that object, which may be of another sub-entity than a new one would be.
    private func record(_ record: ParsedRecord, about object: NSManagedObject) throws -> ParsedRecord {
        guard !object.entity.isKindOf(entity: record.plan.entity) else { return record }
        return try ParsedRecord(
            record.source, plan: ImportPlan.plan(for: object.entity), keys: [], identity: record.identity,
            tolerance: tolerance)
    }

    /// The object an id stands for, found or made with nothing but the id.
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

    /// Sets the record's values and relationships.
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

    /// True when a value differed. Values that are there already are not written, so that an object stays clean.
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
        // A new object has the defaults already.
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

    /// Makes the object known under its identity and under its number, before its relationships lead back to it.
    private mutating func enter(_ record: ParsedRecord, _ object: NSManagedObject) {
        if let identity = record.identity { map[identity] = object }
        // It may be looked for by another attribute as well.
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

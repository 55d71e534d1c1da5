import CoreDataRowStorage
import Foundation
import PredicateFormat

extension Probe {
    /// Runs a fetch with any result type as an event.
    @inline(never)
    static func fetch<Result>(
        _ kind: EventKind, _ request: FetchRequestBase, _ context: NSManagedObjectContext,
        count: (Result) -> Int, _ body: () throws -> Result
    ) rethrows -> Result {
        if isNeeded(.objects), let predicate = request.settings.predicate { usesArguments(of: predicate) }
        return try measure(kind, context.label, entity: request.entityName) { record in
            record.predicate = request.settings.predicate.map(ReportedPredicate.init)
            record.sortDescriptors = request.settings.sortDescriptors
            record.limit = request.settings.fetchLimit
            if context.ownParent != nil { record.source = .parent }
            let result = try body()
            record.objectCount = count(result)
            if isNeeded(.objects), let objects = result as? [NSManagedObject] {
                record.fetched = fetched(objects)
                noteFetched(objects, as: request.entityName, context)
            }
            return result
        }
    }

    /// Returns the fetched objects if their use can be observed: several faults, all in the first one's table.
    private static func fetched(_ objects: [NSManagedObject]) -> FetchedObjects? {
        guard let first = objects.first, let last = objects.last, objects.count > 1, let table = first._tableReference,
            objects.allSatisfy({ $0._state.contains(.fault) && $0._tableReference?.toOpaque() == table.toOpaque() })
        else { return nil }
        return FetchedObjects(table: table.toOpaque(), count: objects.count, first: first, last: last)
    }

    /// Records that the program reached an object through a to-one relationship.
    @inline(never)
    static func approaches(
        _ destination: NSManagedObject, from object: NSManagedObject, _ relationship: EntityLayout.Relationship
    ) {
        guard destination.lacksRow, notesWays, let ways = object.context?.notedWays else { return }
        ways.note(ways.following(relationship, of: object), to: destination)
    }

    /// Records that the program reached objects by a fetch.
    static func noteFetched(_ objects: [NSManagedObject], as entity: String?, _ context: NSManagedObjectContext) {
        guard notesWays, let entity, !objects.isEmpty else { return }
        context.notedWays.noteFetched(objects, as: entity)
    }

    /// Records a use of an object that reads none of its values.
    @inline(never)
    static func uses(_ object: NSManagedObject, _ use: ObjectUse) {
        guard isNeeded(.objects), let table = object._tableReference else { return }
        // Only deleting objects one by one calls their hooks.
        let use = use == .deletion && MethodOverrides.heedsDeletion(type(of: object)) ? .reference : use
        uses(use, in: table.toOpaque())
    }

    /// Records that a fault was fulfilled by a row in memory.
    @inline(never)
    static func hit(_ object: NSManagedObject) {
        guard let table = object._tableReference else { return }
        hit(in: table.toOpaque(), context: object.context?.label, entity: object.layout.name)
    }

    /// Runs the fulfillment of a fault without a row as an event.
    @inline(never)
    static func fault(
        _ object: NSManagedObject, _ context: NSManagedObjectContext, _ body: () throws -> Bool
    ) rethrows -> Bool {
        try measure(.fault, context.label, entity: object.layout.name) { record in
            record.subject = object.identifier
            record.table = object._tableReference.map { UInt(bitPattern: $0.toOpaque()) } ?? 0
            if let way = context.ways?[object], way.lastStep?.isToMany == false { record.way = way }
            if context.ownParent != nil { record.source = .parent }
            let isFulfilled = try body()
            record.objectCount = isFulfilled ? 1 : 0
            return isFulfilled
        }
    }

    /// Runs the loading of a to-many relationship as an event.
    @inline(never)
    static func relationshipFault(
        _ object: NSManagedObject, _ relationship: EntityLayout.Relationship, _ context: NSManagedObjectContext,
        _ body: () throws -> ContiguousArray<NSManagedObject>
    ) rethrows -> ContiguousArray<NSManagedObject> {
        try measure(.relationshipFault, context.label, entity: object.layout.name) { record in
            record.keyPath = relationship.name
            if notesWays { record.way = context.notedWays.following(relationship, of: object) }
            record.table = object._tableReference.map { UInt(bitPattern: $0.toOpaque()) } ?? 0
            record.subject = object.identifier
            let members = try body()
            record.objectCount = members.count
            // The rows of several objects may have been read with those of the first.
            record.source = context.ownParent != nil ? .parent : record.statements.isEmpty ? .memory : .store
            if let way = record.way, let ways = context.ways { members.forEach { ways.note(way, to: $0) } }
            return members
        }
    }

    static func storeClosing(_ store: NSPersistentStore, _ body: () -> Void) {
        guard isOn else { return body() }
        measure(.storeClosing) { record in
            record.store = store.url?.nameInMessages
            body()
        }
    }

    /// Runs the loading of several faults' rows as an event.
    static func batch(
        _ count: Int, of layout: EntityLayout, _ context: NSManagedObjectContext, _ body: () throws -> Void
    ) rethrows {
        guard isOn else { return try body() }
        try measure(.batch, context.label, entity: layout.name) { record in
            record.objectCount = count
            try body()
        }
    }

    /// Runs the loading of a relationship of several objects as an event.
    ///
    /// - Parameter way: The path by which the program will reach the destinations, if the program requested the prefetch.
    static func prefetch(
        _ keyPath: String, of layout: EntityLayout, _ way: ObjectWay?, _ context: NSManagedObjectContext,
        _ body: () throws -> [NSManagedObject]
    ) rethrows -> [NSManagedObject] {
        guard isOn else { return try body() }
        return try measure(.prefetch, context.label, entity: layout.name) { record in
            record.keyPath = keyPath
            record.way = way
            let result = try body()
            record.objectCount = max(result.count, record.rowCount)
            return result
        }
    }
}

extension NSPersistentStoreRequest {
    /// The kind of event of a request without objects; nil for others.
    var eventKind: EventKind? {
        switch self {
        case is NSBatchInsertRequest: .batchInsert
        case is NSBatchUpdateRequest: .batchUpdate
        case is NSBatchDeleteRequest: .batchDelete
        case is NSPersistentHistoryChangeRequest: .history
        default: nil
        }
    }

    var eventEntity: String? {
        switch self {
        case let insert as NSBatchInsertRequest: insert.entityName
        case let update as NSBatchUpdateRequest: update.entityName
        case let delete as NSBatchDeleteRequest: delete.fetchRequest.entityName
        default: nil
        }
    }

    var eventPredicate: NSPredicate? {
        switch self {
        case let update as NSBatchUpdateRequest: update.predicate
        case let delete as NSBatchDeleteRequest: delete.fetchRequest.predicate
        default: nil
        }
    }
}

extension EventRecord {
    /// Adds the changes written by a save.
    func note(_ outcome: SaveOutcome) {
        guard kind == .save else { return }
        changes.inserted += outcome.inserted.count
        changes.updated += outcome.updated.count
        changes.deleted += outcome.deleted.count
        objectCount = changes.total
    }
}

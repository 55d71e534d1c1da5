import CoreData

extension MagicalRecord {
    /// One page of a result that is walked through by cursors.
    public struct CursorPage<Object: NSManagedObject> {
        /// The objects of this page.
        public let objects: [Object]
        /// The cursor of the next page, or `nil` if this one is the last.
        public let next: Cursor?

        /// Whether another page follows.
        public var hasNext: Bool { next != nil }
    }
}

extension MagicalRecord.Query {
    /// Returns the page of the result that begins after a cursor; without one, the first page.
    ///
    /// ```swift
    /// let newest = User.sorted(by: \.lastUpdate, .descending)
    /// let first = try newest.page(after: nil, size: 20)
    /// let second = try newest.page(after: first.next, size: 20)
    /// ```
    /// The store goes on from the values of the last object, by an index on the sort keys if there is one: every page costs
    /// the same, while ``page(_:size:in:)`` costs more the further it lies back. What is inserted or deleted meanwhile neither shifts
    /// pages nor repeats objects.
    ///
    /// Objects equal in all sort keys are told apart by a unique attribute among them, and otherwise, off Apple's platforms, by
    /// their IDs.
    ///
    /// - Throws: ``MagicalRecordError/Code/invalidArgument`` for a size below 1, a query with a limit, or a cursor of another query
    ///   or store; ``MagicalRecordError/Code/unsupportedCondition`` for an order that compares text other than plainly, that is by
    ///   no attribute, or on Apple's platforms does not decide between all objects; what ``fetchRequest(in:)`` throws, or Core
    ///   Data's error.
    public func page(
        after cursor: MagicalRecord.Cursor?, size: Int, in context: NSManagedObjectContext? = nil
    ) throws -> MagicalRecord.CursorPage<Object> {
        guard size > 0, size < .max else {
            throw MagicalRecordError(
                .invalidArgument, "There is no page of \(size) objects.", advice: "A page holds at least one object.",
                entity: entityName ?? EntityLookup.name(of: type))
        }
        try refuseLimit("Pages are made of")
        let context = try ContextScope.resolve(context)
        return try context.runAndWait {
            let keys = try PageKeys(order, of: try entity(in: context))
            var rest = self
            rest.order = .descriptors(keys.descriptors)
            // One more, to know whether another page follows.
            rest.limit = size + 1
            if let cursor { rest = rest.where(try keys.predicate(after: cursor, in: context)) }
            let found = try rest.findAll(in: context)
            guard found.count > size, let last = found.prefix(size).last else {
                return MagicalRecord.CursorPage(objects: found, next: nil)
            }
            return MagicalRecord.CursorPage(objects: Array(found.prefix(size)), next: try keys.cursor(at: last))
        }
    }
}

/// The keys by which a result is walked through.
private struct PageKeys {
    private struct Key {
        let name: String
        let isAscending: Bool
        let type: NSAttributeType
    }

    private let entity: NSEntityDescription
    private let keys: [Key]
    /// Whether objects equal in all keys are told apart by their IDs.
    private let endsWithObject: Bool
    /// The entity and the order, as cursors have them.
    private let query: String

    init<Object>(_ order: MagicalRecord.SortOrder<Object>, of entity: NSEntityDescription) throws {
        self.entity = entity
        keys = try order.sortDescriptors().map { descriptor in
            guard let name = descriptor.key, Self.isPlain(descriptor) else {
                throw MagicalRecordError(
                    .unsupportedCondition, "An order that compares values in a way of its own cannot be gone on with.",
                    advice: "Sort by attributes, text without options.", entity: entity.name, key: descriptor.key)
            }
            return Key(
                name: name, isAscending: descriptor.ascending,
                type: try AggregateColumn.attributeType(of: name, in: entity))
        }
        endsWithObject = !keys.contains { Self.isUnique($0.name, in: entity) }
        query = ([entity.name ?? ""] + keys.map { ($0.isAscending ? "+" : "-") + $0.name }).joined(separator: " ")
        #if canImport(Darwin)
        // Apple's framework does not promise that objects can be compared by order.
        if endsWithObject {
            throw MagicalRecordError(
                .unsupportedCondition, "The order does not decide between all objects.",
                advice: "Sort by a required attribute with a uniqueness constraint after the other keys.",
                entity: entity.name)
        }
        #endif
    }

    private static func isPlain(_ descriptor: NSSortDescriptor) -> Bool {
        guard let selector = descriptor.selector else { return false }
        return NSStringFromSelector(selector) == "compare:"
    }

    /// Returns whether every object has a value that no other object has.
    private static func isUnique(_ name: String, in entity: NSEntityDescription) -> Bool {
        guard entity.attributesByName[name]?.isOptional == false else { return false }
        return sequence(first: entity) { $0.superentity }.contains { entity in
            entity.uniquenessConstraints.contains { constraint in
                guard constraint.count == 1 else { return false }
                return (constraint[0] as? NSAttributeDescription)?.name ?? constraint[0] as? String == name
            }
        }
    }

    var descriptors: [NSSortDescriptor] {
        let named = keys.map { NSSortDescriptor(key: $0.name, ascending: $0.isAscending) }
        return endsWithObject ? named + [NSSortDescriptor(key: "self", ascending: true)] : named
    }

    func cursor(at object: NSManagedObject) throws -> MagicalRecord.Cursor {
        if endsWithObject, object.objectID.isTemporaryID {
            throw MagicalRecordError(
                .unsupportedCondition, "An object that has never been saved cannot end a page.",
                advice: "Save first, add a unique sort key, or leave unsaved changes out with savedOnly().",
                entity: entity.name)
        }
        return MagicalRecord.Cursor(
            query: query,
            values: try keys.map { key in
                guard let value = MagicalRecord.Cursor.Value(object.value(forKeyPath: key.name), of: key.type) else {
                    throw MagicalRecordError(
                        .unsupportedCondition, "Values of \(key.name) have no order that can be gone on with.",
                        advice: "Sort by numbers, dates, text, UUIDs or URLs.", entity: entity.name, key: key.name)
                }
                return value
            }, object: endsWithObject ? object.objectID.uriRepresentation() : nil)
    }

    /// Returns the condition of the objects after a cursor: the first key lies beyond its value, or is equal and the second key
    /// lies beyond, and so on.
    func predicate(after cursor: MagicalRecord.Cursor, in context: NSManagedObjectContext) throws -> NSPredicate {
        guard cursor.query == query, cursor.values.count == keys.count, (cursor.object != nil) == endsWithObject else {
            throw MagicalRecordError(
                .invalidArgument, "The cursor comes from a query of another entity or order.",
                advice: "Go on with the query whose page had it.", entity: entity.name)
        }
        for (key, value) in zip(keys, cursor.values) where !value.fits(key.type) {
            throw MagicalRecordError(
                .invalidArgument, "The cursor's value of \(key.name) is none that the attribute can have.",
                advice: "Go on with a cursor as the page gave it, or begin with the first page.", entity: entity.name,
                key: key.name)
        }
        var equal: [NSPredicate] = []
        var ways: [NSPredicate] = []
        for (key, value) in zip(keys, cursor.values) {
            if let beyond = beyond(key, value) { ways.append(all(equal + [beyond])) }
            equal.append(comparison(key.name, "==", value.argument))
        }
        if let url = cursor.object {
            guard let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url),
                id.entity.isKindOf(entity: entity)
            else {
                throw MagicalRecordError(
                    .invalidArgument, "The cursor comes from another store or entity.",
                    advice: "Begin with the first page.", entity: entity.name)
            }
            ways.append(all(equal + [NSPredicate(format: "SELF > %@", argumentArray: [id])]))
        }
        let after = NSCompoundPredicate(orPredicateWithSubpredicates: ways)
        // Says nothing new, but lets an index on the first key be entered at the right place.
        guard let start = start(cursor.values) else { return after }
        return all([start, after])
    }

    private func beyond(_ key: Key, _ value: MagicalRecord.Cursor.Value) -> NSPredicate? {
        guard let argument = value.argument else {
            // Missing values come first where the order ascends, and last where it descends.
            return key.isAscending ? comparison(key.name, "!=", nil) : nil
        }
        if key.isAscending { return comparison(key.name, ">", argument) }
        let less = comparison(key.name, "<", argument)
        guard canBeMissing(key) else { return less }
        return NSCompoundPredicate(orPredicateWithSubpredicates: [less, comparison(key.name, "==", nil)])
    }

    private func start(_ values: [MagicalRecord.Cursor.Value]) -> NSPredicate? {
        guard let key = keys.first, let argument = values.first?.argument, key.isAscending || !canBeMissing(key) else {
            return nil
        }
        return comparison(key.name, key.isAscending ? ">=" : "<=", argument)
    }

    private func canBeMissing(_ key: Key) -> Bool { entity.attributesByName[key.name]?.isOptional ?? true }

    private func comparison(_ name: String, _ operation: String, _ value: Any?) -> NSPredicate {
        guard let value else { return NSPredicate(format: "%K \(operation) nil", argumentArray: [name]) }
        return NSPredicate(format: "%K \(operation) %@", argumentArray: [name, value])
    }

    private func all(_ predicates: [NSPredicate]) -> NSPredicate {
        predicates.count == 1 ? predicates[0] : NSCompoundPredicate(andPredicateWithSubpredicates: predicates)
    }
}

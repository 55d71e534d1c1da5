import CoreData

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
    /// Objects equal in all sort keys are told apart by a unique attribute among them, or else, off Apple's platforms, by ID.
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
                entity: shownEntity)
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
            let objects = Array(found.prefix(size))
            let next = try found.count > size ? objects.last.map(keys.cursor) : nil
            return MagicalRecord.CursorPage(objects: objects, next: next)
        }
    }
}

/// The keys by which a result is walked through.
private struct PageKeys {
    private struct Key {
        let name: String
        let isAscending: Bool
        let type: NSAttributeType
        let canBeMissing: Bool

        /// Returns the condition of the values beyond another one; nil if there are none.
        func beyond(_ value: Any?) -> NSPredicate? {
            // Missing values come first where the order ascends, and last where it descends.
            guard let value else { return isAscending ? comparison("!=", nil) : nil }
            if isAscending { return comparison(">", value) }
            let less = comparison("<", value)
            guard canBeMissing else { return less }
            return NSCompoundPredicate(orPredicateWithSubpredicates: [less, comparison("==", nil)])
        }

        func comparison(_ operation: String, _ value: Any?) -> NSPredicate {
            guard let value else { return NSPredicate(format: "%K \(operation) nil", argumentArray: [name]) }
            return NSPredicate(format: "%K \(operation) %@", argumentArray: [name, value])
        }
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
            guard let name = descriptor.key, let selector = descriptor.selector,
                NSStringFromSelector(selector) == "compare:"
            else {
                throw MagicalRecordError(
                    .unsupportedCondition, "An order that compares values in a way of its own cannot be gone on with.",
                    advice: "Sort by attributes, text without options.", entity: entity.name, key: descriptor.key)
            }
            return Key(
                name: name, isAscending: descriptor.ascending,
                type: try AggregateFetch.attributeType(of: name, in: entity),
                canBeMissing: entity.attributesByName[name]?.isOptional ?? true)
        }
        endsWithObject = !keys.contains { !$0.canBeMissing && Self.isUnique($0.name, in: entity) }
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

    /// Returns whether no two objects have the same value.
    private static func isUnique(_ name: String, in entity: NSEntityDescription) -> Bool {
        sequence(first: entity) { $0.superentity }.flatMap(\.uniquenessConstraints).contains { constraint in
            constraint.count == 1
                && (constraint[0] as? NSAttributeDescription)?.name ?? constraint[0] as? String == name
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
        let values = try keys.map { key in
            if let value = MagicalRecord.Cursor.Value(object.value(forKeyPath: key.name), of: key.type) { return value }
            throw MagicalRecordError(
                .unsupportedCondition, "Values of \(key.name) have no order that can be gone on with.",
                advice: "Sort by numbers, dates, text, UUIDs or URLs.", entity: entity.name, key: key.name)
        }
        let last = endsWithObject ? object.objectID.uriRepresentation() : nil
        return MagicalRecord.Cursor(contents: .init(query: query, values: values, object: last))
    }

    /// Returns the condition of the objects after a cursor: the first key lies beyond its value, or is equal and the second key
    /// lies beyond, and so on.
    func predicate(after cursor: MagicalRecord.Cursor, in context: NSManagedObjectContext) throws -> NSPredicate {
        let (values, object) = (cursor.contents.values, cursor.contents.object)
        guard cursor.contents.query == query, values.count == keys.count, (object != nil) == endsWithObject else {
            throw MagicalRecordError(
                .invalidArgument, "The cursor comes from a query of another entity or order.",
                advice: "Go on with the query whose page had it.", entity: entity.name)
        }
        for (key, value) in zip(keys, values) where !value.fits(key.type) {
            throw MagicalRecordError(
                .invalidArgument, "The cursor's value of \(key.name) is none that the attribute can have.",
                advice: "Go on with a cursor as the page gave it, or begin with the first page.", entity: entity.name,
                key: key.name)
        }
        var equal: [NSPredicate] = []
        var ways: [NSPredicate] = []
        for (key, value) in zip(keys, values) {
            if let beyond = key.beyond(value.argument) { ways.append(all(equal + [beyond])) }
            equal.append(key.comparison("==", value.argument))
        }
        if let url = object {
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
        guard let key = keys.first, let start = values[0].argument, key.isAscending || !key.canBeMissing else {
            return after
        }
        return all([key.comparison(key.isAscending ? ">=" : "<=", start), after])
    }

    private func all(_ predicates: [NSPredicate]) -> NSPredicate {
        predicates.count == 1 ? predicates[0] : NSCompoundPredicate(andPredicateWithSubpredicates: predicates)
    }
}

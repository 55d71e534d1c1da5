import CoreData

extension MagicalRecord {
    /// The objects of a result that share a key, such as the users of one team.
    ///
    /// A section is a collection of its objects, in the order of the query. It contains objects, so it stays on their context's
    /// queue.
    public struct Section<Key: Hashable, Object: NSManagedObject>: RandomAccessCollection, Identifiable, Equatable {
        /// The key that the objects share.
        public let key: Key
        /// The objects of the section, in the order of the query.
        public let objects: [Object]

        /// Creates a section, for comparisons in tests.
        public init(key: Key, objects: [Object]) { (self.key, self.objects) = (key, objects) }

        /// The key.
        public var id: Key { key }

        public var startIndex: Int { 0 }
        public var endIndex: Int { objects.count }
        /// Accesses the object at an index of the section.
        public subscript(index: Int) -> Object { objects[index] }
    }
}

extension MagicalRecord.Query {
    /// Returns the objects in sections that share a key: a stored attribute, also of a related object, or a computed property.
    ///
    /// ```swift
    /// for section in try User.sorted(by: \.displayName).sections(by: \.team?.name) {
    ///     print(section.key ?? "no team", section.count)
    /// }
    /// ```
    /// The store sorts by an attribute before the query's own order, ascending unless that order begins with the attribute.
    /// Objects without a value form the first section, the last if the order descends.
    ///
    /// By any other key, a computed property, transient attribute or relationship, sections come in the order of their first
    /// objects. Equal keys that are not adjacent form one section. Off Apple's platforms the getter of a computed property is
    /// first called on an object with placeholder values, unless the class declares it by `ComputedKeys`.
    ///
    /// A limit and an offset count objects. Keys are read from the objects, with their unsaved changes. Costs one fetch, one
    /// more for each relationship before an attribute, and reading the key of every object, even with ``inBatches(of:)``.
    ///
    /// - Throws: ``MagicalRecordError/Code/unknownKey`` for an attribute that the model lacks; the errors of
    ///   ``fetchRequest(in:)``, or Core Data's error.
    public func sections<Key: Hashable>(
        by key: KeyPath<Object, Key>, in context: NSManagedObjectContext? = nil
    ) throws -> [MagicalRecord.Section<Key, Object>] {
        let context = try ContextScope.resolve(context)
        let question = ResultsQuestion(query: self, key: SectionKey(key))
        return try context.runAndWait {
            let objects = try context.results(of: question.request(in: context))
            let keys = ObjectKeys(key)
            _ = keys.read(objects)
            return keys.sections(of: objects)
        }
    }
}

/// The keys of a list of objects, by which they are divided into sections.
final class ObjectKeys<Object: NSManagedObject, Key: Hashable> {
    private let keyPath: KeyPath<Object, Key>
    private var keys: [Key] = []

    init(_ keyPath: KeyPath<Object, Key>) { self.keyPath = keyPath }

    /// Reads the keys of objects, on their queue. Returns whether they differ from those read before.
    func read(_ objects: [Object]) -> Bool {
        let new = objects.map { $0[keyPath: keyPath] }
        defer { keys = new }
        return new != keys
    }

    /// Returns the objects read last in sections, in the order of their first objects.
    func sections(of objects: [Object]) -> [MagicalRecord.Section<Key, Object>] {
        var places: [Key: Int] = [:]
        var sections: [(key: Key, objects: [Object])] = []
        for (key, object) in zip(keys, objects) {
            if let last = sections.last, last.key == key {
                sections[sections.count - 1].objects.append(object)
            } else if let place = places[key] {
                sections[place].objects.append(object)
            } else {
                places[key] = sections.count
                sections.append((key, [object]))
            }
        }
        return sections.map { MagicalRecord.Section(key: $0.key, objects: $0.objects) }
    }
}

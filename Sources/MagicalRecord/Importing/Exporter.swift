import CoreData

extension MagicalRecord {
    /// Options for writing objects as JSON.
    public struct ExportOptions: Sendable {
        /// The depth to which related objects are written in full, deeper ones by their import keys; 0 writes attributes only.
        public var depth: Int
        /// Whether attributes without a value are written as null.
        public var includesNulls: Bool
        /// The names of relationships and attributes to leave out.
        public var excluding: Set<String>

        /// Creates options; by default everything reachable is written, without nulls.
        public init(depth: Int = .max, includesNulls: Bool = false, excluding: Set<String> = []) {
            self.depth = depth
            self.includesNulls = includesNulls
            self.excluding = excluding
        }
    }
}

extension NSManagedObject {
    /// Returns the object and its related objects as a dictionary that JSON can hold and an import reads back into the same
    /// graph. Runs on the queue of the object's context, blocking the thread.
    ///
    /// - Throws: ``MagicalRecordError/Code/unexportableValue``.
    public func exported(_ options: MagicalRecord.ExportOptions = .init()) throws -> [String: Any] {
        try [self].exported(options)[0]
    }
}

extension Sequence where Element: NSManagedObject {
    /// Returns the objects and their related objects as dictionaries that JSON can hold and an import reads back into the same
    /// graph. Runs on the queue of the objects' context, which all must belong to, blocking the thread.
    ///
    /// - Throws: ``MagicalRecordError/Code/unexportableValue``.
    public func exported(_ options: MagicalRecord.ExportOptions = .init()) throws -> [[String: Any]] {
        let objects = Array(self)
        var exporter = Exporter(options)
        guard let context = objects.first?.managedObjectContext else { return try exporter.records(objects) }
        return try context.runAndWait { try exporter.records(objects) }
    }

    /// Returns the result of ``exported(_:)`` as JSON text, with keys in alphabetical order.
    public func exportedJSON(_ options: MagicalRecord.ExportOptions = .init()) throws -> Data {
        try JSONSerialization.data(withJSONObject: try exported(options), options: .sortedKeys)
    }
}

/// Keys that an export adds to identify objects that have no import key: the number of an object that other records of the
/// document refer to, and that of an object that is written elsewhere in the document.
enum ExportMarks {
    static let (number, reference) = ("@number", "@reference")
}

/// Writes an object graph as dictionaries with the keys and date formats that the model defines for imports. Each object is
/// written in full once; further occurrences contain its import key, or its number if it has none, so cycles end.
struct Exporter {
    private let options: MagicalRecord.ExportOptions
    private var written: [NSManagedObject: Int] = [:]
    /// The objects that occur more than once and cannot be identified by a key at every occurrence.
    private var numbered: Set<NSManagedObject> = []

    init(_ options: MagicalRecord.ExportOptions) {
        self.options = options
    }

    /// Returns the records of the objects. For the queue of their context.
    mutating func records(_ objects: [NSManagedObject]) throws -> [[String: Any]] {
        countOccurrences(objects)
        return try objects.map { try record($0, keys: ImportPlan.plan(for: $0.entity).keys, depth: 0) }
    }

    /// Collects the objects that need a number, by traversing the graph in the way it will be written.
    private mutating func countOccurrences(_ objects: [NSManagedObject]) {
        var occurrences: [NSManagedObject: Int] = [:]
        var unidentified: Set<NSManagedObject> = []
        var waiting = objects.map { ($0, ImportPlan.plan(for: $0.entity).keys, 0) }
        while let (object, keys, depth) = waiting.popLast() {
            if Self.identity(of: object, keys) == nil { unidentified.insert(object) }
            occurrences[object, default: 0] += 1
            guard occurrences[object] == 1, depth < options.depth else { continue }
            for relationship in ImportPlan.plan(for: object.entity).relationships
            where !options.excluding.contains(relationship.name) {
                waiting += Self.members(of: relationship, in: object).map { ($0, relationship.keys, depth + 1) }
            }
        }
        numbered = unidentified.filter { occurrences[$0, default: 0] > 1 }
    }

    /// Returns a record with nothing but the object's identity, the first of the keys that has a value; nil if none has.
    private static func identity(of object: NSManagedObject, _ keys: [ImportPlan.Attribute]) -> [String: Any]? {
        for key in keys {
            guard let attribute = object.entity.attributesByName[key.name],
                let json = try? key.exported(attribute, of: object)
            else { continue }
            var record: [String: Any] = [:]
            set(json, at: key.paths.first, in: &record)
            return record
        }
        return nil
    }

    private mutating func record(
        _ object: NSManagedObject, keys: [ImportPlan.Attribute], depth: Int
    ) throws -> [String: Any] {
        if let number = written[object] { return Self.identity(of: object, keys) ?? [ExportMarks.reference: number] }
        let plan = ImportPlan.plan(for: object.entity)
        var record: [String: Any] = [:]
        let number = written.count + 1
        written[object] = number
        if numbered.contains(object) { record[ExportMarks.number] = number }
        for attribute in plan.attributes where !options.excluding.contains(attribute.name) {
            guard let description = object.entity.attributesByName[attribute.name], !description.isTransient,
                let value = try attribute.exported(description, of: object)
                    ?? (options.includesNulls ? NSNull() : nil)
            else { continue }
            Self.set(value, at: attribute.paths.first, in: &record)
        }
        guard depth < options.depth else { return record }
        for relationship in plan.relationships where !options.excluding.contains(relationship.name) {
            let members = Self.members(of: relationship, in: object)
            guard !members.isEmpty else { continue }
            let records = try members.map { try self.record($0, keys: relationship.keys, depth: depth + 1) }
            Self.set(relationship.isToMany ? records : records[0], at: relationship.paths.first, in: &record)
        }
        return record
    }

    private static func members(of relationship: ImportPlan.Relationship, in object: NSManagedObject)
        -> [NSManagedObject]
    {
        switch object.value(forKey: relationship.name) {
        case let one as NSManagedObject: return [one]
        case let list as NSOrderedSet: return list.array as? [NSManagedObject] ?? []
        case let set as Set<NSManagedObject>:
            // Sorted, so that the same graph always produces the same text.
            return set.sorted { sortKey($0, relationship) < sortKey($1, relationship) }
        default: return []
        }
    }

    private static func sortKey(_ object: NSManagedObject, _ relationship: ImportPlan.Relationship) -> String {
        let key = relationship.keys.lazy.compactMap { object.value(forKey: $0.name) }.first.map { value in
            (value as? NSNumber).map { String(format: "%024.6f", $0.doubleValue) } ?? String(describing: value)
        }
        return (key ?? "") + object.objectID.uriRepresentation().absoluteString
    }

    /// Stores a value at a key path, creating the dictionaries in between.
    static func set(_ value: Any, at path: String, in record: inout [String: Any]) {
        let keys = path.split(separator: ".").map(String.init)
        if keys.count > 1 {
            var inner = record[keys[0]] as? [String: Any] ?? [:]
            set(value, at: keys.dropFirst().joined(separator: "."), in: &inner)
            record[keys[0]] = inner
        } else {
            record[path] = value
        }
    }
}

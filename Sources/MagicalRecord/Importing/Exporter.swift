import CoreData

/// Keys that an export adds to identify objects that have no import key.
enum ExportMarks {
    /// The number of an object that other records of the document refer to.
    static let number = "@number"
    /// The number of an object that is written elsewhere in the document.
    static let reference = "@reference"
}

extension MagicalRecord {
    /// Options for writing objects as JSON.
    public struct ExportOptions: Sendable {
        /// The depth to which related objects are written in full. Deeper objects are written as their import keys alone; 0
        /// writes attributes only.
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

/// Writes an object graph as dictionaries that JSON can hold and an import reads back into the same graph.
///
/// Uses the keys and date formats that the model's userInfo entries define for imports. Each object is written in full once;
/// further occurrences contain its import key, or a reference to its number if it has none, so cycles end.
struct Exporter {
    private let options: MagicalRecord.ExportOptions
    private var written: [NSManagedObject: Int] = [:]
    private var nextNumber = 1
    /// The objects that occur more than once and cannot be identified by a key at every occurrence.
    private var numbered: Set<NSManagedObject> = []

    init(_ options: MagicalRecord.ExportOptions) {
        self.options = options
    }

    /// Returns the records of the objects. For the queue of their context.
    mutating func records(_ objects: [NSManagedObject]) throws -> [[String: Any]] {
        countOccurrences(objects)
        return try objects.map { object in
            try record(object, keys: ImportPlan.plan(for: object.entity).keys, depth: 0)
        }
    }

    /// Collects the objects that need a number, by traversing the graph in the way it will be written.
    private mutating func countOccurrences(_ objects: [NSManagedObject]) {
        var seen: Set<NSManagedObject> = []
        var repeated: Set<NSManagedObject> = []
        var unidentified: Set<NSManagedObject> = []
        var waiting = objects.map { ($0, ImportPlan.plan(for: $0.entity).keys, 0) }
        while let (object, keys, depth) = waiting.popLast() {
            if Self.identity(of: object, keys) == nil { unidentified.insert(object) }
            guard seen.insert(object).inserted else {
                repeated.insert(object)
                continue
            }
            guard depth < options.depth else { continue }
            for relationship in ImportPlan.plan(for: object.entity).relationships
            where !options.excluding.contains(relationship.name) {
                for member in Self.members(of: relationship, in: object) {
                    waiting.append((member, relationship.keys, depth + 1))
                }
            }
        }
        numbered = repeated.intersection(unidentified)
    }

    /// Returns a record with nothing but the object's identity, the first of the keys that has a value; nil if none has.
    private static func identity(of object: NSManagedObject, _ keys: [ImportPlan.Attribute]) -> [String: Any]? {
        for key in keys {
            guard let attribute = object.entity.attributesByName[key.name],
                let value = object.value(forKey: key.name), let json = try? ExportedValue.json(value, attribute)
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
        if let number = written[object] {
            return Self.identity(of: object, keys) ?? [ExportMarks.reference: number]
        }
        let plan = ImportPlan.plan(for: object.entity)
        var record: [String: Any] = [:]
        let number = nextNumber
        written[object] = number
        nextNumber += 1
        if numbered.contains(object) { record[ExportMarks.number] = number }
        for attribute in plan.attributes where !options.excluding.contains(attribute.name) {
            guard let description = object.entity.attributesByName[attribute.name], !description.isTransient else {
                continue
            }
            if let value = object.value(forKey: attribute.name) {
                Self.set(try ExportedValue.json(value, description), at: attribute.paths.first, in: &record)
            } else if options.includesNulls {
                Self.set(NSNull(), at: attribute.paths.first, in: &record)
            }
        }
        guard depth < options.depth else { return record }
        for relationship in plan.relationships where !options.excluding.contains(relationship.name) {
            let members = Self.members(of: relationship, in: object)
            guard !members.isEmpty else { continue }
            let records = try members.map { member in
                try self.record(member, keys: relationship.keys, depth: depth + 1)
            }
            Self.set(
                relationship.isToMany ? records : records[0], at: relationship.paths.first, in: &record)
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
    private static func set(_ value: Any, at path: String, in record: inout [String: Any]) {
        let keys = path.split(separator: ".").map(String.init)
        guard keys.count > 1, let first = keys.first else {
            record[path] = value
            return
        }
        var inner = record[first] as? [String: Any] ?? [:]
        set(value, at: keys.dropFirst().joined(separator: "."), in: &inner)
        record[first] = inner
    }
}

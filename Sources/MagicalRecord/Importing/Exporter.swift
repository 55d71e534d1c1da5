import CoreData

/// Keys an export writes where the data alone could not say which object is meant.
enum ExportMarks {
    /// The number of an object that others in the document refer to.
    static let number = "@number"
    /// Stands for an object written elsewhere in the document.
    static let reference = "@reference"
}

extension MagicalRecord {
    /// How objects are written as JSON.
    public struct ExportOptions: Sendable {
        /// How many relationships deep related objects are written in full. Beyond that only what identifies them is
        /// written. 0 writes attributes only.
        public var depth: Int
        /// Whether attributes without a value are written, as null.
        public var includesNulls: Bool
        /// Relationships and attributes to leave out, by name.
        public var excluding: Set<String>

        /// Options; by default everything that can be reached is written, without nulls.
        public init(depth: Int = .max, includesNulls: Bool = false, excluding: Set<String> = []) {
            self.depth = depth
            self.includesNulls = includesNulls
            self.excluding = excluding
        }
    }
}

/// Writes objects and what they are related to as dictionaries that JSON can hold, and that an import reads back into
/// the same graph.
///
/// The userInfo entries of the model that say how records are read are followed in writing too: the same keys, the same
/// date formats. Each object is written in full once; where it comes again there is only what identifies it, or, for
/// objects that nothing identifies, a reference to its number. So graphs with cycles come to an end.
struct Exporter {
    private let options: MagicalRecord.ExportOptions
    private var written: [NSManagedObject: Int] = [:]
    private var nextNumber = 1
    /// Objects that occur more than once, at least once where nothing identifies them.
    private var numbered: Set<NSManagedObject> = []

    init(_ options: MagicalRecord.ExportOptions) {
        self.options = options
    }

    /// On the queue of the objects' context.
    mutating func records(_ objects: [NSManagedObject]) throws -> [[String: Any]] {
        countOccurrences(objects)
        return try objects.map { object in
            try record(object, keys: ImportPlan.plan(for: object.entity).keys, depth: 0)
        }
    }

    /// Finds the objects that will need a number, by walking the graph the way it will be written.
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

    /// The record by which an import finds the object: the first of the keys that it has a value for.
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
            // Always in the same order, so that the same graph gives the same text.
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

    /// Puts a value where a key path will find it.
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

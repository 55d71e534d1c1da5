import CoreDataRowStorage
import CoreDataTestSupport
import Foundation

@testable import CoreData

/// What contexts promised by saves that returned, noted outside Core Data.
///
/// Every edit writes a number never used before, its token, so that a value in the file tells which edit it came from.
/// `Note`s and `Counter`s have tokens in `a`, `b` and `c`; `g` is the token of the edit that set a note's `group`.
final class MergeLedger: @unchecked Sendable {
    /// One object of a save: values by column, to-one relationships by primary key.
    struct Entry {
        var label: Int64
        /// The values the context had read; empty for a new object.
        var base: [String: Int64] = [:]
        var values: [String: Int64] = [:]
        var changed: Set<String> = []
        /// The context's snapshot had no row behind it any more.
        var isUnreadable = false
        /// The version of the row that a child had read, where its edit rests on that one. The child may have read values with
        /// it that this context never got saved.
        var versionOfChild: Int64?
    }

    struct Save {
        var policy: NSMergePolicyType
        var inserts: [Int64: Entry] = [:]
        var updates: [Int64: Entry] = [:]
        var deletes: [Int64: Entry] = [:]
    }

    static let columns = ["label", "a", "b", "c", "g", "group", "value"]

    static func model() -> NSManagedObjectModel {
        let note = LibraryModel.entity("Note"), group = LibraryModel.entity("Group")
        let counter = LibraryModel.entity("Counter")
        func numbers(_ names: String...) -> [NSPropertyDescription] {
            names.map { LibraryModel.attribute($0, .integer64AttributeType) }
        }
        note.properties = numbers("label", "a", "b", "c", "g")
        group.properties = numbers("label", "a")
        counter.properties = numbers("label", "a", "b", "value")
        LibraryModel.relate(group, "notes", many: true, note, "group", many: false)
        let model = NSManagedObjectModel()
        model.entities = [note, group, counter]
        return model
    }

    private let lock = NSLock()
    private var lastToken: Int64 = 0
    private var acknowledged: [Save] = []
    private var increments: [Int64: Int64] = [:]

    var saves: [Save] { lock.withLock { acknowledged } }
    /// How often each counter was incremented by a save that returned.
    var incrementsByLabel: [Int64: Int64] { lock.withLock { increments } }

    func token() -> Int64 {
        lock.withLock {
            lastToken += 1
            return lastToken
        }
    }

    func noteIncrement(of label: Int64) { lock.withLock { increments[label, default: 0] += 1 } }

    /// Saves a context on the coordinator, and notes what it wrote if the save returns.
    func save(_ context: NSManagedObjectContext) throws {
        context.processPendingChanges()
        let type = (context.mergePolicy as? NSMergePolicy)?.mergeType ?? .errorMergePolicyType
        var save = Save(policy: type)
        let inserted = Array(context.insertedObjects), updated = Array(context.updatedObjects)
        for object in context.deletedObjects {
            let entry = Self.entry(object)
            save.deletes[entry.label] = entry
        }
        for object in updated {
            let entry = Self.entry(object)
            save.updates[entry.label] = entry
        }
        // New objects, and those that relate to them, have their primary keys after the save; their values then may be
        // others' already, if the save resolved a conflict.
        let labels = inserted.map { ($0, Self.entry($0)) }
        let groups = updated.compactMap { object in
            (object.group?.isInserted == true ? object.group : nil).map { (object, $0) }
        }
        let groupsOfNew = Dictionary(uniqueKeysWithValues: inserted.map { ($0, $0.group) })
        let updatedLabels = Dictionary(uniqueKeysWithValues: updated.map { ($0, Self.label($0)) })
        try context.save()
        for (object, entry) in labels {
            var entry = entry
            if let group = groupsOfNew[object] ?? nil { entry.values["group"] = Self.key(group) }
            save.inserts[entry.label] = entry
        }
        for (object, group) in groups { save.updates[updatedLabels[object]!]?.values["group"] = Self.key(group) }
        lock.withLock { acknowledged.append(save) }
    }

    private static func entry(_ object: NSManagedObject) -> Entry {
        let committed = object.objectID.isTemporaryID ? [:] : object.committedValues(forKeys: nil)
        var entry = Entry(label: 0, base: numbers(committed))
        if object._extra?.rowBefore != nil, let snapshot = object.committedSnapshot {
            entry.versionOfChild = Int64(EntityLayout.version(snapshot.row))
        }
        if object.isDeleted {
            entry.label = entry.base["label"] ?? -1
            entry.isUnreadable = entry.base["label"] == nil
            return entry
        }
        entry.values = numbers(
            object.dictionaryWithValues(forKeys: columns.filter { object.entity.propertiesByName[$0] != nil }))
        entry.changed = Set(object.changedValues().keys).intersection(columns)
        entry.label = entry.values["label"] ?? -1
        return entry
    }

    private static func label(_ object: NSManagedObject) -> Int64 { object.value(forKey: "label") as? Int64 ?? -1 }

    private static func numbers(_ values: [String: Any]) -> [String: Int64] {
        var numbers: [String: Int64] = [:]
        for name in columns {
            switch values[name] {
            case let object as NSManagedObject: numbers[name] = key(object)
            case let id as NSManagedObjectID: numbers[name] = key(id)
            case let number as NSNumber: numbers[name] = number.int64Value
            default: break
            }
        }
        return numbers
    }

    private static func key(_ object: NSManagedObject) -> Int64 { key(object.objectID) }

    /// The primary key in an object's address; 0 for an object never saved.
    private static func key(_ id: NSManagedObjectID) -> Int64 {
        Int64(id.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
    }
}

extension NSManagedObject {
    fileprivate var group: NSManagedObject? {
        entity.relationshipsByName["group"] == nil ? nil : value(forKey: "group") as? NSManagedObject
    }
}

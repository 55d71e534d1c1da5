import Foundation
import MagicalRecord

/// An incremental store that keeps its objects in a folder, one JSON file each.
///
/// ```swift
/// JSONFolderStore.register()
/// try coordinator.addPersistentStore(type: JSONFolderStore.storeType, at: folder)
/// ```
/// Supports every kind of relationship and every attribute type except transformable and composite ones. Predicates and sort
/// descriptors are evaluated in memory, so a fetch reads all files of its entity. Core Data calls the store on the queue of
/// the requesting context.
public final class JSONFolderStore: NSIncrementalStore, @unchecked Sendable {
    /// The store type to pass to `addPersistentStore(type:…)`.
    public static let storeType = NSPersistentStore.StoreType(rawValue: "JSONFolderStore")

    /// Registers the store class. Call it once, before adding a store.
    public static func register() {
        NSPersistentStoreCoordinator.registerStoreClass(JSONFolderStore.self, forStoreType: storeType.rawValue)
    }

    private var folder: Folder { Folder(url: url ?? URL(fileURLWithPath: "/dev/null")) }

    public override var type: String { Self.storeType.rawValue }

    // MARK: Opening

    public override func loadMetadata() throws {
        guard let url, url.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme) }
        let known = try folder.metadata()
        let identifier = known?["identifier"] as? String ?? Self.identifierForNewStore(at: url) as? String
        metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: identifier ?? UUID().uuidString]
        if known == nil { try saveMetadata() }
    }

    public override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        guard let known = try Folder(url: url).metadata(), let identifier = known["identifier"] else {
            throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: url.path])
        }
        return [NSStoreTypeKey: storeType.rawValue, NSStoreUUIDKey: identifier]
    }

    private func saveMetadata() throws {
        try folder.writeMetadata(["identifier": identifier ?? "", "type": type])
    }

    // MARK: Requests

    public override func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
    ) throws -> Any {
        switch request {
        case let fetch as NSFetchRequest<any NSFetchRequestResult>:
            guard let context else { return [Any]() }
            return try results(of: fetch, in: context)
        case let save as NSSaveChangesRequest:
            try write(save)
            return [Any]()
        default:
            throw CocoaError(CocoaError.Code(rawValue: NSPersistentStoreUnsupportedRequestTypeError))
        }
    }

    private func results(
        of fetch: NSFetchRequest<any NSFetchRequestResult>, in context: NSManagedObjectContext
    ) throws -> [Any] {
        guard let entity = fetch.entity else { return [] }
        var found: [NSManagedObject] = []
        for member in fetch.includesSubentities ? Self.family(of: entity) : [entity] {
            for name in try folder.names(of: member.name ?? "") {
                found.append(context.object(with: newObjectID(for: member, referenceObject: name)))
            }
        }
        // Match against the files, not against unsaved changes: the context applies its pending changes to the result.
        let candidates = try found.map { ($0, try snapshot(of: $0.objectID, context)) }
        var matches = candidates.filter { fetch.predicate?.evaluate(with: $0.1) ?? true }
        for descriptor in (fetch.sortDescriptors ?? []).reversed() {
            matches = matches.enumerated().sorted { one, other in
                switch descriptor.compare(one.element.1, to: other.element.1) {
                case .orderedAscending: true
                case .orderedDescending: false
                case .orderedSame: one.offset < other.offset
                }
            }.map(\.element)
        }
        matches = Array(matches.dropFirst(fetch.fetchOffset))
        if fetch.fetchLimit > 0 { matches = Array(matches.prefix(fetch.fetchLimit)) }
        switch fetch.resultType {
        case .countResultType: return [NSNumber(value: matches.count)]
        case .managedObjectIDResultType: return matches.map(\.0.objectID)
        case .managedObjectResultType: return matches.map(\.0)
        default: throw CocoaError(CocoaError.Code(rawValue: NSPersistentStoreUnsupportedRequestTypeError))
        }
    }

    private static func family(of entity: NSEntityDescription) -> [NSEntityDescription] {
        [entity] + entity.subentities.flatMap(family)
    }

    /// Returns an object's values as read from its file, for predicates. Related objects are the context's objects.
    private func snapshot(of id: NSManagedObjectID, _ context: NSManagedObjectContext) throws -> NSDictionary {
        let entity = id.entity
        let values = NSMutableDictionary()
        let node = try newValuesForObject(with: id, with: context)
        for (name, attribute) in entity.attributesByName {
            if let value = node.value(for: attribute), !(value is NSNull) { values[name] = value }
        }
        for (name, relationship) in entity.relationshipsByName {
            let value = try newValue(forRelationship: relationship, forObjectWith: id, with: context)
            if let ids = value as? [NSManagedObjectID] {
                values[name] = Set(ids.map { context.object(with: $0) })
            } else if let id = value as? NSManagedObjectID {
                values[name] = context.object(with: id)
            }
        }
        return values
    }

    // MARK: Saving

    private func write(_ save: NSSaveChangesRequest) throws {
        for object in (save.insertedObjects ?? []).union(save.updatedObjects ?? []) {
            let (entity, name) = place(of: object.objectID)
            let old = try folder.record(name, of: entity)
            try folder.write(record(of: object, version: (old?.version ?? 0) + 1), name, of: entity)
        }
        for object in save.deletedObjects ?? [] {
            let (entity, name) = place(of: object.objectID)
            try folder.remove(name, of: entity)
        }
        try saveMetadata()
    }

    private func record(of object: NSManagedObject, version: UInt64) throws -> Record {
        var record = Record(version: version)
        for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
            guard let value = object.value(forKey: name), !(value is NSNull) else { continue }
            record.attributes[name] = try JSONValue.encode(value, attribute)
        }
        for name in object.entity.relationshipsByName.keys {
            let related: [NSManagedObject]
            switch object.value(forKey: name) {
            case let one as NSManagedObject: related = [one]
            case let many as Set<NSManagedObject>: related = Array(many)
            case let ordered as NSOrderedSet: related = ordered.compactMap { $0 as? NSManagedObject }
            default: continue
            }
            let isOrdered = object.entity.relationshipsByName[name]?.isOrdered ?? false
            let names = related.map { reference(to: $0.objectID) }
            record.relationships[name] = isOrdered ? names : names.sorted()
        }
        return record
    }

    public override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
    }

    // MARK: Values

    public override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        let (entity, name) = place(of: objectID)
        guard let record = try folder.record(name, of: entity) else { throw missing(objectID) }
        var values: [String: Any] = [:]
        for (key, attribute) in objectID.entity.attributesByName where !attribute.isTransient {
            let value = record.attributes[key]
            values[key] =
                try value.map { try JSONValue.decode($0, attribute, file: folder.file(name, of: entity)) }
                ?? NSNull()
        }
        return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: record.version)
    }

    public override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        let (entity, name) = place(of: objectID)
        guard let record = try folder.record(name, of: entity) else { throw missing(objectID) }
        let ids = (record.relationships[relationship.name] ?? []).compactMap { self.objectID(for: $0) }
        if relationship.isToMany { return ids }
        return ids.first ?? NSNull()
    }

    // MARK: Names

    /// Returns the folder and the name of an object's file.
    private func place(of id: NSManagedObjectID) -> (entity: String, name: String) {
        (id.entity.name ?? "", referenceObject(for: id) as? String ?? "")
    }

    /// Returns the reference to an object in other files: its entity and file name. The entity is included because a
    /// relationship's destination may be of a subentity.
    private func reference(to id: NSManagedObjectID) -> String {
        let (entity, name) = place(of: id)
        return "\(entity)/\(name)"
    }

    private func objectID(for reference: String) -> NSManagedObjectID? {
        let parts = reference.split(separator: "/").map(String.init)
        guard parts.count == 2,
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[parts[0]]
        else { return nil }
        return newObjectID(for: entity, referenceObject: parts[1])
    }

    private func missing(_ id: NSManagedObjectID) -> CocoaError {
        CocoaError(
            CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError),
            userInfo: [NSAffectedObjectsErrorKey: [id]])
    }
}

import CoreData
import Foundation

/// An incremental store that keeps everything an object graph can hold: in memory, by URL, so that it can be opened again.
final class TableStore: NSIncrementalStore, @unchecked Sendable {
    static let type = "TableStoreForTests"

    private struct Row {
        var entity: String
        var values: [String: Any]
        var related: [String: [String]]
        var version: UInt64
    }

    /// What is at one URL.
    private final class Tables: @unchecked Sendable {
        private static let lock = NSLock()
        nonisolated(unsafe) private static var byURL: [URL: Tables] = [:]

        private let lock = NSLock()
        private var rows: [String: Row] = [:]

        static func at(_ url: URL) -> Tables {
            lock.withLock {
                let known = byURL[url] ?? Tables()
                byURL[url] = known
                return known
            }
        }

        subscript(reference: String) -> Row? {
            get { lock.withLock { rows[reference] } }
            set { lock.withLock { rows[reference] = newValue } }
        }

        func references(of entities: Set<String>) -> [String] {
            lock.withLock { rows.filter { entities.contains($0.value.entity) }.keys.sorted() }
        }
    }

    private let lock = NSLock()
    private var registrations: [NSManagedObjectID: Int] = [:]

    /// How many contexts hold each object, by what the framework has told.
    var registered: [NSManagedObjectID: Int] { lock.withLock { registrations.filter { $0.value != 0 } } }

    private var tables: Tables { Tables.at(url ?? URL(fileURLWithPath: "/")) }

    override var type: String { Self.type }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: Self.type]
    }

    override class func identifierForNewStore(at storeURL: URL) -> Any { "TABLES-\(storeURL.lastPathComponent)" }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        lock.withLock { for id in objectIDs { registrations[id, default: 0] += 1 } }
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        lock.withLock { for id in objectIDs { registrations[id, default: 0] -= 1 } }
    }

    // MARK: Requests

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        switch request {
        case let fetch as NSFetchRequest<any NSFetchRequestResult>:
            guard let context else { return [Any]() }
            return try results(of: fetch, in: context)
        case let save as NSSaveChangesRequest:
            for object in (save.insertedObjects ?? []).union(save.updatedObjects ?? []) { write(object) }
            for object in save.deletedObjects ?? [] { tables[reference(object.objectID)] = nil }
            return [Any]()
        default: throw CocoaError(.persistentStoreUnsupportedRequestType)
        }
    }

    private func results(
        of fetch: NSFetchRequest<any NSFetchRequestResult>, in context: NSManagedObjectContext
    ) throws -> [Any] {
        guard let entity = fetch.entity else { return [] }
        let names = fetch.includesSubentities ? Self.names(from: entity) : [entity.name ?? ""]
        var found = tables.references(of: names).compactMap { objectID($0) }
            .map { ($0, values(of: $0, context)) }
            .filter { fetch.predicate?.evaluate(with: $0.1) ?? true }
        for descriptor in (fetch.sortDescriptors ?? []).reversed() {
            found = found.enumerated().sorted { one, other in
                let order = descriptor.compare(one.element.1, to: other.element.1)
                return order == .orderedAscending || (order == .orderedSame && one.offset < other.offset)
            }.map(\.element)
        }
        found = Array(found.dropFirst(fetch.fetchOffset))
        if fetch.fetchLimit > 0 { found = Array(found.prefix(fetch.fetchLimit)) }
        switch fetch.resultType {
        case .countResultType: return [NSNumber(value: found.count)]
        case .managedObjectIDResultType: return found.map(\.0)
        default: return found.map { context.object(with: $0.0) }
        }
    }

    private static func names(from entity: NSEntityDescription) -> Set<String> {
        entity.subentities.reduce(into: [entity.name ?? ""]) { $0.formUnion(names(from: $1)) }
    }

    /// As saved, whatever the context has changed.
    private func values(of id: NSManagedObjectID, _ context: NSManagedObjectContext) -> NSDictionary {
        let result = NSMutableDictionary()
        guard let row = tables[reference(id)] else { return result }
        for (key, value) in row.values { result[key] = value }
        for (key, relationship) in id.entity.relationshipsByName {
            let objects = (row.related[key] ?? []).compactMap { objectID($0) }.map { context.object(with: $0) }
            if relationship.isToMany { result[key] = Set(objects) } else { result[key] = objects.first }
        }
        return result
    }

    private func write(_ object: NSManagedObject) {
        let old = tables[reference(object.objectID)]
        var row = Row(entity: object.entity.name ?? "", values: [:], related: [:], version: (old?.version ?? 0) + 1)
        for (key, attribute) in object.entity.attributesByName where !attribute.isTransient {
            row.values[key] = object.value(forKey: key)
        }
        for key in object.entity.relationshipsByName.keys {
            switch object.value(forKey: key) {
            case let one as NSManagedObject: row.related[key] = [reference(one.objectID)]
            case let many as Set<NSManagedObject>: row.related[key] = many.map { reference($0.objectID) }.sorted()
            case let ordered as NSOrderedSet:
                row.related[key] = ordered.compactMap { ($0 as? NSManagedObject).map { reference($0.objectID) } }
            default: break
            }
        }
        tables[reference(object.objectID)] = row
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: "\($0.entity.name ?? "").\(UUID().uuidString)") }
    }

    // MARK: Values

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        guard let row = tables[reference(objectID)] else { throw CocoaError(.managedObjectReferentialIntegrity) }
        return NSIncrementalStoreNode(objectID: objectID, withValues: row.values, version: row.version)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        let ids = (tables[reference(objectID)]?.related[relationship.name] ?? []).compactMap { self.objectID($0) }
        return relationship.isToMany ? ids : ids.first ?? NSNull()
    }

    private func reference(_ id: NSManagedObjectID) -> String { referenceObject(for: id) as? String ?? "" }

    /// References begin with the entity's name.
    private func objectID(_ reference: String) -> NSManagedObjectID? {
        let name = String(reference.prefix { $0 != "." })
        return persistentStoreCoordinator?.managedObjectModel.entitiesByName[name].map {
            newObjectID(for: $0, referenceObject: reference)
        }
    }
}

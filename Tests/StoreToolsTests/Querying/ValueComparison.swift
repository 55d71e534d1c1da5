#if canImport(CoreDataSQLiteStorage)
import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import StoreTools

/// Compares what an ``OpenStore`` gives of every row with what fetches give over a copy of the same files.
struct ValueComparison {
    /// The number of compared values, by the kind of property.
    private(set) var counts: [String: Int] = [:]
    /// What differs, in words.
    private(set) var differences: [String] = []

    var total: Int { counts.values.reduce(0, +) }

    /// Compares a store with a copy of it.
    init(_ url: URL, model: Model? = nil, copy: URL, _ description: NSManagedObjectModel) throws {
        let store = try OpenStore(url, model: model)
        try QuerySample.open(copy, description) { context in
            for entity in description.entities {
                try compare(entity, store, context)
            }
        }
    }

    private mutating func compare(
        _ entity: NSEntityDescription, _ store: OpenStore, _ context: NSManagedObjectContext
    ) throws {
        let name = entity.name ?? ""
        let properties = entity.properties.filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) }
        let toManys = properties.compactMap { $0 as? NSRelationshipDescription }.filter(\.isToMany)
        var query = store.query(entity: name)
        query.includesSubentities = false
        var rows: [String: StoreQuery.Row] = [:]
        try query.forEach { row in
            rows[row.uri.absoluteString] = row
            return true
        }
        query.columns = toManys.map(\.name)
        var members: [String: StoreQuery.Row] = [:]
        try query.forEach { row in
            members[row.uri.absoluteString] = row
            return true
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        let objects = try context.fetch(request)
        expect(rows.count, objects.count, "\(name): number of rows")
        expect(members.count, objects.count, "\(name): number of rows with members")
        expect(try query.count(), objects.count, "\(name): count")
        let transformed = try transformables(of: entity, context)
        for object in objects {
            let uri = object.objectID.uriRepresentation()
            guard let row = rows[uri.absoluteString], let lists = members[uri.absoluteString] else {
                differences.append("\(uri): no row")
                continue
            }
            expect(row.entity, object.entity.name ?? "", "\(uri): entity")
            for property in properties {
                if let relationship = property as? NSRelationshipDescription, relationship.isToMany {
                    try compare(object, relationship, lists[property.name], store)
                } else if let filled = transformed[property.name] {
                    compareDescription(row[property.name], filled.contains(object.objectID), "\(uri).\(property.name)")
                } else {
                    compare(object, property, row[property.name])
                }
            }
        }
    }

    /// Returns the objects that have a value of each transformable attribute. Values are described only, and the class that
    /// transforms them may not be there.
    private func transformables(
        of entity: NSEntityDescription, _ context: NSManagedObjectContext
    ) throws -> [String: Set<NSManagedObjectID>] {
        var filled: [String: Set<NSManagedObjectID>] = [:]
        for attribute in entity.attributesByName.values
        where attribute.attributeType == .transformableAttributeType && !attribute.isTransient {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.predicate = NSPredicate(format: "%K != nil", attribute.name)
            filled[attribute.name] = Set(try context.fetch(request).map(\.objectID))
        }
        return filled
    }

    private mutating func compareDescription(_ found: StoreQuery.Value?, _ hasValue: Bool, _ place: String) {
        counts["transformable", default: 0] += 1
        if hasValue, case .transformable(_, let bytes)? = found, bytes > 0 { return }
        if !hasValue, found == StoreQuery.Value.none { return }
        differences.append("\(place): \(found.map { "\($0)" } ?? "no value"), fetched \(hasValue ? "a" : "no") value")
    }

    private mutating func compare(
        _ object: NSManagedObject, _ property: NSPropertyDescription, _ found: StoreQuery.Value?
    ) {
        let kind =
            (property as? NSAttributeDescription).map {
                $0 is NSDerivedAttributeDescription ? "derived" : "\($0.attributeType)"
            }
            ?? "to-one"
        counts[kind, default: 0] += 1
        let wanted = QuerySample.expected(object, property)
        guard let found else {
            return differences.append("\(object.objectID.uriRepresentation()).\(property.name): no value")
        }
        guard !Self.areEqual(found, wanted) else { return }
        differences.append(
            "\(object.objectID.uriRepresentation()).\(property.name): \(found), fetched \(wanted) \(kind)")
    }

    /// Values of transformable attributes are described only: that there is one, and that it has bytes.
    private static func areEqual(_ found: StoreQuery.Value, _ wanted: StoreQuery.Value) -> Bool {
        switch (found, wanted) {
        case (.transformable(_, let bytes), .transformable): bytes > 0
        case (.composite(let found), .composite(let wanted)):
            found.count == wanted.count
                && found.allSatisfy { key, value in wanted[key].map { areEqual(value, $0) } ?? false }
        default: found == wanted
        }
    }

    private mutating func compare(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ found: StoreQuery.Value?,
        _ store: OpenStore
    ) throws {
        let place = "\(object.objectID.uriRepresentation()).\(relationship.name)"
        counts[relationship.isOrdered ? "ordered" : "to-many", default: 0] += 1
        let value = object.value(forKey: relationship.name)
        let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        let wanted = members.compactMap { ($0 as? NSManagedObject)?.objectID.uriRepresentation().absoluteString }
        guard case .list(let list)? = found else {
            return differences.append("\(place): \(found.map { "\($0)" } ?? "no value"), fetched \(wanted)")
        }
        let uris = list.map { if case .object(let uri, _) = $0 { uri.absoluteString } else { "\($0)" } }
        func sorted(_ uris: [String]) -> [String] { relationship.isOrdered ? uris : uris.sorted() }
        expect(sorted(uris), sorted(wanted), place)
        // One object takes several statements.
        guard counts["followed", default: 0] < 40 else { return }
        counts["followed", default: 0] += 1
        let related = try store.related(relationship.name, of: object.objectID.uriRepresentation(), columns: [])
        expect(sorted(related.map(\.uri.absoluteString)), sorted(wanted), "\(place), followed")
    }

    private mutating func expect<Found: Equatable>(_ found: Found, _ wanted: Found, _ what: String) {
        if found != wanted { differences.append("\(what): \(found), fetched \(wanted)") }
    }
}
#endif

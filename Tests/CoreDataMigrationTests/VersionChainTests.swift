import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Versions of real applications' models, migrated one after the other with data.
@Suite(.slow, .enabled(if: RealStores.areAvailable, RealStores.comment))
struct VersionChainTests {
    /// The versions of a model by number: the plain name is the first.
    private func versions(_ path: String) throws -> [NSManagedObjectModel] {
        let folder = RealStores.folder.deletingLastPathComponent().appendingPathComponent(path)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".xcdatamodel")
        }
        func number(_ name: String) -> Int {
            Int(name.dropLast(".xcdatamodel".count).split(separator: " ").last ?? "") ?? 1
        }
        return try names.sorted { number($0) < number($1) }.map {
            try #require(NSManagedObjectModel(contentsOf: folder.appendingPathComponent($0)), "\($0) cannot be read.")
        }
    }

    /// Gives every entity some objects, with a value in each attribute that takes one.
    private func fill(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) {
        var objects: [NSManagedObject] = []
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) where !entity.isAbstract {
            for number in 0..<3 {
                let object = NSManagedObject(entity: entity, insertInto: context)
                for (name, attribute) in entity.attributesByName where !attribute.isTransient {
                    switch attribute.attributeType {
                    case .stringAttributeType: object.setValue("\(name) \(number)", forKey: name)
                    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
                        .doubleAttributeType,
                        .floatAttributeType:
                        object.setValue(number, forKey: name)
                    case .booleanAttributeType: object.setValue(number == 1, forKey: name)
                    case .dateAttributeType: object.setValue(Date(timeIntervalSinceReferenceDate: 5), forKey: name)
                    default: break
                    }
                }
                objects.append(object)
            }
        }
        for object in objects {
            for (name, relationship) in object.entity.relationshipsByName {
                let fitting = objects.filter { other in
                    relationship.destinationEntity.map { other.entity.isKindOf(entity: $0) } ?? false
                }
                guard let place = objects.firstIndex(of: object), !fitting.isEmpty else { continue }
                // The objects of one number belong together, so that both sides of a relationship say the same.
                let member = fitting[place % 3 % fitting.count]
                if !relationship.isToMany {
                    object.setValue(member, forKey: name)
                } else if relationship.isOrdered {
                    object.setValue(NSOrderedSet(array: [member]), forKey: name)
                } else {
                    object.setValue(Set([member]), forKey: name)
                }
            }
        }
    }

    private func count(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for entity in model.entities {
            counts[entity.name ?? ""] = try context.fetchAll(entity.name ?? "").count
        }
        return counts
    }

    @Test(arguments: [
        "models/mage-ios-sdk.xcdatamodeld", "stores/bookmarks/BookmarksModel.xcdatamodeld",
        "stores/syncmetadata/SyncMetadata.xcdatamodeld",
    ])
    func chainsMigrateFromFirstToLast(_ path: String) throws {
        var models = try versions(path)
        #expect(models.count > 3)
        // The last steps alone, but in the long form.
        if !LongForm.isWanted { models = models.suffix(6) }
        func filled(_ model: NSManagedObjectModel) throws -> (MigrationStore, [String: Int]) {
            let store = try MigrationStore()
            let counts = try store.open(model) { context in
                fill(context, model)
                try context.save()
                return try count(context, model)
            }
            return (store, counts)
        }
        var (store, counts) = try filled(models[0])
        for (index, model) in models.enumerated().dropFirst() {
            let place = Comment(rawValue: "to version \(index + 1)")
            do {
                try store.migrate(to: model)
            } catch let error as NSError where error.userInfo["reasons"] != nil {
                #expect([NSMigrationMissingMappingModelError, NSMigrationError].contains(error.code), place)
                // A step that needs a mapping model leaves the store as it was; the chain begins anew behind it.
                #expect(try store.open(models[index - 1]) { try count($0, models[index - 1]) } == counts, place)
                (store, counts) = try filled(model)
                continue
            }
            let now = try store.open(model) { try count($0, model) }
            for (name, number) in now where counts[name] != nil { #expect(number == counts[name], "\(name) \(place)") }
            #expect(try MigrationStore.schema(store.url) == MigrationStore.schema(ofNewStore: model), place)
            #expect(try StoreAuditor(store.url, model.layouts).problems() == [], place)
            counts = now
        }
    }

    /// A store Apple's framework made, with the names its own migrations leave, becomes as a new one.
    @Test(arguments: ["Bookmarks_V1", "Bookmarks_V2", "Bookmarks_V3", "Bookmarks_V5"])
    func storesOfAppleMigrate(_ name: String) throws {
        let copy = try RealStores.copy(of: .init(store: "bookmarks/\(name).sqlite", model: nil))
        defer { copy.remove() }
        let old = try NSManagedObjectModel(cachedInStoreAt: copy.url)
        let new = try #require(try versions("stores/bookmarks/BookmarksModel.xcdatamodeld").last)
        func rows(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any]?) throws -> Set<String> {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: copy.url, options: options)
            defer { try? coordinator.remove(store) }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return try context.performAndWait {
                Set(
                    try context.fetchAll("BookmarkEntity").map { object in
                        let children = (object.value(forKey: "children") as? NSOrderedSet)?.array ?? []
                        let titles = children.compactMap { ($0 as? NSManagedObject)?.value(forKey: "uuid") as? String }
                        return "\(object.value(forKey: "uuid") ?? "") \(object.value(forKey: "title") ?? "") \(titles)"
                    })
            }
        }
        let before = try rows(old, nil)
        let after = try rows(new, MigrationStore.automatically)
        #expect(!before.isEmpty)
        #expect(after == before)
        #expect(try MigrationStore.schema(copy.url) == MigrationStore.schema(ofNewStore: new))
    }
}

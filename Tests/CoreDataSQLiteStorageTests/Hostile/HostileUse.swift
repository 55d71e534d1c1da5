import CoreData
import CoreDataTestSupport
import Foundation

/// What a program does with a store that it opens; every failure has to be an error of a known domain.
struct HostileUse {
    enum Mode: CaseIterable { case normal, readOnly, migrating, copying }

    let url: URL
    let mode: Mode
    /// What went wrong: errors of other domains, values of other types.
    private(set) var problems: [String] = []
    private(set) var errors = 0
    private(set) var isOpened = false
    private(set) var saves = 0

    private static let domains: Set<String> = [NSCocoaErrorDomain, NSPOSIXErrorDomain, "NSSQLiteErrorDomain"]
    private static let predicates: [(entity: String, format: String)] = [
        ("Base", "name CONTAINS[cd] 'NAME 1' OR extra == 'x'"), ("Base", "small > 3 AND large < 1000000000000"),
        ("Base", "price == 3.25 OR ratio BETWEEN {1, 2}"), ("Base", "ANY tags.name BEGINSWITH 'tag'"),
        ("Base", "owner.name LIKE '*e*' AND owner.count > 1"), ("Base", "parent.parent.isOn == YES"),
        ("Base", "children.@count > 0 OR blob == nil"), ("Base", "name MATCHES 'name [0-9]+'"),
        ("Owner", "SUBQUERY(things, $t, $t.small > 2 AND $t.owner == SELF).@count > 1"),
        ("Owner", "things.@sum.small > 4 OR plain == 'owner 0'"), ("Tag", "ALL things.share >= 0"),
        ("Scan", "data != nil AND owner.scan == SELF"), ("Leaf", "born < %@ AND mark != nil"),
    ]

    init(_ url: URL, mode: Mode) {
        self.url = url
        self.mode = mode
    }

    private mutating func attempt<T>(_ what: String, _ body: () throws -> T) -> T? {
        do {
            return try body()
        } catch {
            errors += 1
            let error = error as NSError
            if !Self.domains.contains(error.domain) { problems.append("\(what): \(error.domain) \(error)") }
            return nil
        }
    }

    mutating func run() {
        let (url, mode) = (self.url, self.mode)
        let model = HostileModel.make(version: mode == .migrating ? 1 : mode == .copying ? 2 : 0)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options: [AnyHashable: Any] = [
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreTimeoutOption: 0.05,
            NSSQLitePragmasOption: ["synchronous": "OFF"],
        ]
        switch mode {
        case .normal: break
        case .readOnly: options[NSReadOnlyPersistentStoreOption] = true
        case .migrating, .copying:
            options[NSMigratePersistentStoresAutomaticallyOption] = true
            options[NSInferMappingModelAutomaticallyOption] = true
        }
        _ = attempt("metadata") {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        }
        let store = attempt("open") {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        }
        guard let store else { return }
        isOpened = true
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.performAndWait {
            read(context)
            query(context)
            write(context)
            if mode == .normal { writeInBatches(context) }
            context.reset()
            _ = attempt("history") {
                let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
                for transaction in (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
                    ?? []
                {
                    for change in transaction.changes ?? [] { _ = (change.changedObjectID, change.updatedProperties) }
                    _ = (transaction.author, transaction.contextName, transaction.timestamp)
                }
            }
        }
        _ = attempt("remove") { try coordinator.remove(store) }
    }

    private mutating func read(_ context: NSManagedObjectContext) {
        for name in ["Base", "Leaf", "Owner", "Scan", "Tag"] {
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.returnsObjectsAsFaults = false
            guard let objects = attempt("fetch", { try context.fetch(request) }) else { continue }
            for object in objects {
                for (key, attribute) in object.entity.attributesByName {
                    check(object.value(forKey: key), attribute, of: object)
                }
                for (key, relationship) in object.entity.relationshipsByName {
                    follow(object.value(forKey: key), relationship, context)
                }
            }
        }
    }

    private mutating func check(_ value: Any?, _ attribute: NSAttributeDescription, of object: NSManagedObject) {
        guard let value else { return }
        let isRight =
            switch attribute.attributeType {
            case .integer16AttributeType: value is Int && Int16(exactly: value as? Int ?? .max) != nil
            case .integer32AttributeType: value is Int && Int32(exactly: value as? Int ?? .max) != nil
            case .integer64AttributeType: value is Int
            case .booleanAttributeType: value is Bool
            case .doubleAttributeType, .floatAttributeType: value is Double || value is Float
            case .decimalAttributeType: value is NSDecimalNumber
            case .stringAttributeType: (value as? String).map { $0.utf8.count >= 0 } ?? false
            case .dateAttributeType: value is Date
            case .binaryDataAttributeType: value is Data
            case .UUIDAttributeType: value is UUID
            case .URIAttributeType: value is URL
            case .transformableAttributeType: value is NSObject || value is [Any] || value is [AnyHashable: Any]
            default: false
            }
        if !isRight { problems.append("\(object.entity.name ?? "").\(attribute.name): \(type(of: value))") }
    }

    private mutating func follow(
        _ value: Any?, _ relationship: NSRelationshipDescription, _ context: NSManagedObjectContext
    ) {
        let objects: [Any] =
            switch value {
            case let one as NSManagedObject: [one]
            case let set as NSSet: set.allObjects
            case let set as NSOrderedSet: set.array
            default: []
            }
        for object in objects {
            guard let object = object as? NSManagedObject, let family = relationship.destinationEntity,
                object.entity.isKindOf(entity: family)
            else {
                problems.append("\(relationship.name): \(object)")
                continue
            }
            _ = attempt("existing") { try context.existingObject(with: object.objectID) }
        }
    }

    private mutating func query(_ context: NSManagedObjectContext) {
        for (entity, format) in Self.predicates {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: format, argumentArray: [Date()])
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            _ = attempt(format) { try context.fetch(request) }
            _ = attempt(format) { try context.count(for: request) }
        }
        let rows = NSFetchRequest<NSDictionary>(entityName: "Base")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["name", "price", "mark", "site", "born", "owner.name"]
        _ = attempt("dictionaries") { try context.fetch(rows) }
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Base")
        ids.resultType = .managedObjectIDResultType
        _ = attempt("ids") { try context.fetch(ids) }
    }

    private mutating func write(_ context: NSManagedObjectContext) {
        for name in ["Base", "Leaf", "Owner", "Scan", "Tag"] {
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.fetchLimit = 2
            request.returnsObjectsAsFaults = false
            let objects = attempt("fetch", { try context.fetch(request) }) ?? []
            if let first = objects.first {
                first.setValue("changed", forKey: "name")
                if name == "Owner" {
                    first.mutableOrderedSetValue(forKey: "things").addObjects(from: [context.insert("Base")])
                }
                if name == "Leaf" { first.mutableOrderedSetValue(forKey: "picks").removeAllObjects() }
            }
            context.insert(name, ["name": "new \(name)"])
            if attempt("save", { try context.save() }) != nil { saves += 1 } else { context.rollback() }
            if objects.count > 1 {
                context.delete(objects[1])
                if attempt("delete", { try context.save() }) != nil { saves += 1 }
            }
        }
    }

    private mutating func writeInBatches(_ context: NSManagedObjectContext) {
        let update = NSBatchUpdateRequest(entityName: "Base")
        update.propertiesToUpdate = ["medium": 4, "name": "batch"]
        update.predicate = NSPredicate(format: "small > 2")
        _ = attempt("batch update") { try context.execute(update) }
        let insertion = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "tag 1"], ["name": "tag 9"]])
        _ = attempt("batch insert") { try context.execute(insertion) }
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Owner")
        _ = attempt("batch delete") { try context.execute(NSBatchDeleteRequest(fetchRequest: request)) }
    }
}

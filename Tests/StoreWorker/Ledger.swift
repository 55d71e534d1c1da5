import CoreData
import Foundation

/// The model the worker's stores have: accounts with entries, entries with labels, a journal with ordered pages, and
/// traces that only batch requests write. Tests read it from the stores themselves.
enum Ledger {
    static let entriesPerRound = 20
    static let tracesPerRound = 50
    static let pages = 10
    /// Rounds whose entries are kept.
    static let kept = 4

    static func model() -> NSManagedObjectModel {
        let account = entity("Account"), entry = entity("Entry"), label = entity("Label")
        let journal = entity("Journal"), page = entity("Page"), trace = entity("Trace")
        let blob = attribute("blob", .binaryDataAttributeType)
        blob.allowsExternalBinaryDataStorage = true
        let count = NSDerivedAttributeDescription()
        count.name = "entryCount"
        count.attributeType = .integer64AttributeType
        count.derivationExpression = NSExpression(format: "entries.@count")
        account.properties = [
            attribute("name", .stringAttributeType), attribute("balance", .integer64AttributeType), count,
        ]
        account.uniquenessConstraints = [["name"]]
        entry.properties = [
            attribute("round", .integer64AttributeType), attribute("position", .integer32AttributeType),
            attribute("text", .stringAttributeType), blob,
        ]
        label.properties = [attribute("word", .stringAttributeType)]
        journal.properties = [attribute("lastRound", .integer64AttributeType)]
        page.properties = [attribute("round", .integer64AttributeType)]
        trace.properties = [attribute("round", .integer64AttributeType), attribute("number", .integer32AttributeType)]
        relate(account, "entries", entry, "account", toMany: false)
        relate(entry, "labels", label, "entries", toMany: true)
        relate(journal, "pages", page, "journal", toMany: false, isOrdered: true)
        let model = NSManagedObjectModel()
        model.entities = [account, entry, label, journal, page, trace]
        return model
    }

    static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    static func relate(
        _ a: NSEntityDescription, _ name: String, _ b: NSEntityDescription, _ inverse: String, toMany: Bool,
        isOrdered: Bool = false
    ) {
        let there = NSRelationshipDescription(), back = NSRelationshipDescription()
        (there.name, there.destinationEntity, there.maxCount, there.isOrdered) = (name, b, 0, isOrdered)
        (back.name, back.destinationEntity, back.maxCount) = (inverse, a, toMany ? 0 : 1)
        (there.deleteRule, back.deleteRule) = (.nullifyDeleteRule, .nullifyDeleteRule)
        (there.inverseRelationship, back.inverseRelationship) = (back, there)
        a.properties += [there]
        b.properties += [back]
    }

    // MARK: Stacks

    /// The type of the store at a file's path or the URL of a database.
    static func storeType(of url: URL) -> String { url.isFileURL ? NSSQLiteStoreType : CoreDataPostgreSQLStoreType }

    /// A context on the store, which is made with two accounts and a journal if it is new.
    static func context(_ url: URL, options: [AnyHashable: Any] = [:]) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        _ = try coordinator.addPersistentStore(
            ofType: storeType(of: url), configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func prepare(_ context: NSManagedObjectContext) throws {
        guard try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Journal")) == 0 else { return }
        for name in ["A", "B"] { insert("Account", ["name": name, "balance": 0], context) }
        for word in ["red", "green", "blue"] { insert("Label", ["word": word], context) }
        insert("Journal", ["lastRound": 0], context)
        try context.save()
    }

    @discardableResult
    static func insert(
        _ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    static func all(
        _ entity: String, _ context: NSManagedObjectContext, sortedBy key: String? = nil, where format: String? = nil
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
        if let format { request.predicate = NSPredicate(format: format) }
        return try context.fetch(request)
    }

    static func integer(_ object: NSManagedObject, _ key: String) -> Int { object.value(forKey: key) as? Int ?? 0 }
}

import CoreData
import Foundation
import Testing

/// A small model used by many tests: people write books, books carry tags.
///
/// `Author` 1 ⟷ n `Book` (deleting an author nullifies), `Book` n ⟷ n `Tag`, `Author` 1 ⟷ n `Award` (cascades),
/// `Shelf` ⟷ ordered `Book`.
package enum LibraryModel {
    /// A fresh model; tests that change it do not disturb each other.
    package static func make() -> NSManagedObjectModel {
        let author = entity("Author"), book = entity("Book"), tag = entity("Tag"), award = entity("Award")
        let shelf = entity("Shelf")
        author.properties = [
            attribute("name", .stringAttributeType, optional: false), attribute("born", .dateAttributeType),
            attribute("rating", .doubleAttributeType), attribute("mood", .stringAttributeType, transient: true),
        ]
        book.properties = [
            attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType, default: 100),
            attribute("isbn", .UUIDAttributeType), attribute("cover", .binaryDataAttributeType),
            attribute("price", .decimalAttributeType), attribute("inPrint", .booleanAttributeType, default: true),
            attribute("site", .URIAttributeType), attribute("published", .dateAttributeType),
        ]
        tag.properties = [attribute("word", .stringAttributeType)]
        award.properties = [attribute("year", .integer16AttributeType)]
        shelf.properties = [attribute("label", .stringAttributeType)]
        relate(author, "books", many: true, book, "author", many: false)
        relate(author, "awards", many: true, award, "winner", many: false, rule: .cascadeDeleteRule)
        relate(book, "tags", many: true, tag, "books", many: true)
        relate(shelf, "books", many: true, book, "shelf", many: false, ordered: true)
        let model = NSManagedObjectModel()
        model.entities = [author, book, tag, award, shelf]
        return model
    }

    package static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        return entity
    }

    package static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true, transient: Bool = false,
        default value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.isTransient = transient
        attribute.defaultValue = value
        return attribute
    }

    package static func relate(
        _ a: NSEntityDescription, _ nameA: String, many manyA: Bool, _ b: NSEntityDescription, _ nameB: String,
        many manyB: Bool, ordered: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule
    ) {
        let there = NSRelationshipDescription()
        there.name = nameA
        there.destinationEntity = b
        there.maxCount = manyA ? 0 : 1
        there.isOrdered = ordered
        there.deleteRule = rule
        let back = NSRelationshipDescription()
        back.name = nameB
        back.destinationEntity = a
        back.maxCount = manyB ? 0 : 1
        there.inverseRelationship = back
        back.inverseRelationship = there
        a.properties += [there]
        b.properties += [back]
    }
}

/// A coordinator with one store of the library model, and contexts on it.
package final class Library {
    package let coordinator: NSPersistentStoreCoordinator
    package let context: NSManagedObjectContext
    /// The place of the library's store, removed with it; nil for a place of the test's.
    private let place: StoreKind.Place?

    /// - Parameter store: The kind of store, at a place of its own.
    package convenience init(
        _ model: NSManagedObjectModel = LibraryModel.make(), store: StoreKind = .usual
    ) throws {
        let place = try store.makePlace()
        try self.init(model, type: store.type, at: place.url, options: nil, in: place)
    }

    package convenience init(
        _ model: NSManagedObjectModel = LibraryModel.make(), type: String, at url: URL? = nil,
        options: [AnyHashable: Any]? = nil, removing folder: URL? = nil
    ) throws {
        try self.init(model, type: type, at: url, options: options, in: folder.map(StoreKind.Place.folder))
    }

    private init(
        _ model: NSManagedObjectModel, type: String, at url: URL?, options: [AnyHashable: Any]?,
        in place: StoreKind.Place?
    ) throws {
        self.place = place
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    deinit { place?.remove() }

    package func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    package func makeChild(of parent: NSManagedObjectContext? = nil) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent ?? context
        return child
    }

    package func perform(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try context.performAndWait { try body(context) }
    }
}

extension NSManagedObjectContext {
    /// Inserts an object with values.
    @discardableResult
    package func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    package func fetchAll(_ entity: String) throws -> [NSManagedObject] {
        try fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
    }
}

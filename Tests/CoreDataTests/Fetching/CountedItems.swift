import CoreData
import CoreDataTestSupport
import Foundation
import PredicateFormat

private let numberProperty = ManagedProperty("number")
private let wordProperty = ManagedProperty("word")

/// An object that counts how often values of its kind are read, with accessors such as are generated for `@NSManaged`.
final class CountedItem: NSManagedObject, @unchecked Sendable {
    @TaskLocal static var reads = Reads()

    final class Reads: @unchecked Sendable {
        var count = 0
    }

    override func willAccessValue(forKey key: String?) {
        Self.reads.count += 1
        super.willAccessValue(forKey: key)
    }

    var number: Int64? {
        get { managedValue(numberProperty) }
        set { setManagedValue(newValue, for: numberProperty) }
    }
    var word: String? {
        get { managedValue(wordProperty) }
        set { setManagedValue(newValue, for: wordProperty) }
    }
}

/// `Item` with attributes of every kind that can be looked up and an `owner`, and below it `Special`.
enum ItemModel {
    static func make() -> NSManagedObjectModel {
        let item = LibraryModel.entity("Item"), special = LibraryModel.entity("Special")
        let owner = LibraryModel.entity("Owner")
        for entity in [item, special] { entity.managedObjectClassName = NSStringFromClass(CountedItem.self) }
        item.properties = [
            LibraryModel.attribute("number", .integer64AttributeType),
            LibraryModel.attribute("word", .stringAttributeType),
            LibraryModel.attribute("amount", .doubleAttributeType),
            LibraryModel.attribute("price", .decimalAttributeType),
            LibraryModel.attribute("when", .dateAttributeType), LibraryModel.attribute("code", .UUIDAttributeType),
            LibraryModel.attribute("flag", .booleanAttributeType),
            LibraryModel.attribute("note", .stringAttributeType, transient: true),
        ]
        special.properties = [LibraryModel.attribute("grade", .integer16AttributeType)]
        item.subentities = [special]
        owner.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        LibraryModel.relate(owner, "items", many: true, item, "owner", many: false)
        let model = NSManagedObjectModel()
        model.entities = [item, special, owner]
        return model
    }
}

/// Fetches of one condition in two forms: one that is looked up among unsaved objects, and one that is evaluated for each.
enum LookupCheck {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    static func fetch(
        _ predicate: NSPredicate, in context: NSManagedObjectContext, entity: String = "Item",
        configure: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        configure(request)
        return try context.fetch(request)
    }

    /// - Throws: ``Difference`` where objects, their order, their IDs or their number differ.
    @discardableResult
    static func compare(
        _ predicate: NSPredicate, in context: NSManagedObjectContext, entity: String = "Item",
        configure: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> [NSManagedObject] {
        let looked = try fetch(predicate, in: context, entity: entity, configure: configure)
        let plain = NSCompoundPredicate(orPredicateWithSubpredicates: [predicate, NSPredicate(value: false)])
        let evaluated = try fetch(plain, in: context, entity: entity, configure: configure)
        guard looked.map(ObjectIdentifier.init) == evaluated.map(ObjectIdentifier.init) else {
            throw Difference(
                description:
                    "\(predicate.node.predicateFormat): found \(looked.map(\.objectID)), not \(evaluated.map(\.objectID))"
            )
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        configure(request)
        let count = try context.count(for: request)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: entity)
        ids.predicate = predicate
        ids.fetchLimit = request.fetchLimit
        ids.includesSubentities = request.includesSubentities
        ids.sortDescriptors = request.sortDescriptors
        ids.resultType = .managedObjectIDResultType
        guard count == looked.count, try context.fetch(ids) == looked.map(\.objectID) else {
            throw Difference(
                description: "\(predicate.node.predicateFormat): \(count) counted, not \(looked.count), or other IDs")
        }
        return looked
    }
}

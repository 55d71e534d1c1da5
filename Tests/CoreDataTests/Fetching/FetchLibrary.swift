import CoreData
import CoreDataTestSupport
import Foundation

/// A SQLite store of books and of animals, for tests of fetching.
///
/// Abstract `Animal` has the subentities `Cat` and `Dog`, and `Puppy` below `Dog`; `Author` has a `pet`.
final class FetchLibrary {
    let folder: TemporaryFolder
    let log: StatementLog
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    /// - Parameter prepared: what is in the store, instead of books and animals.
    init(prepared: PreparedStore? = nil) throws {
        folder = try TemporaryFolder()
        try prepared?.write(to: folder.file("Library.sqlite"))
        log = StatementLog(folder.file("Library.sqlite"))
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("Library.sqlite"))
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        if prepared == nil { try fill() }
    }

    deinit { for store in coordinator.persistentStores { try? coordinator.remove(store) } }

    static func model() -> NSManagedObjectModel {
        let model = LibraryModel.make()
        let animal = LibraryModel.entity("Animal"), cat = LibraryModel.entity("Cat")
        let dog = LibraryModel.entity("Dog"), puppy = LibraryModel.entity("Puppy")
        animal.isAbstract = true
        animal.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        cat.properties = [LibraryModel.attribute("lives", .integer16AttributeType)]
        dog.properties = [LibraryModel.attribute("tricks", .integer16AttributeType)]
        puppy.properties = [LibraryModel.attribute("weeks", .integer16AttributeType)]
        animal.subentities = [cat, dog]
        dog.subentities = [puppy]
        if let author = model.entitiesByName["Author"] {
            LibraryModel.relate(author, "pet", many: false, animal, "owner", many: false)
        }
        model.entities += [animal, cat, dog, puppy]
        return model
    }

    /// 3 authors, 40 books (10 a price, every fourth without an author), 3 tags, 8 animals.
    private func fill() throws {
        let names = ["Ann", "Bob", "Cid"]
        let authors = names.map { context.insert("Author", ["name": $0, "rating": Double($0.count)]) }
        let tags = ["red", "green", "blue"].map { context.insert("Tag", ["word": $0]) }
        for number in 1...40 {
            let values: [String: Any] = [
                "title": String(format: "Book %02d", number), "pages": number,
                "inPrint": number.isMultiple(of: 2), "price": NSDecimalNumber(value: number / 10),
            ]
            let book = context.insert("Book", values)
            if number % 4 != 0 { book.setValue(authors[number % 4 - 1], forKey: "author") }
            let (one, other) = (number % 3, (number + 1) % 3)
            book.setValue(Set([tags[one], tags[other]]), forKey: "tags")
        }
        for (index, entity) in ["Cat", "Cat", "Cat", "Dog", "Dog", "Dog", "Puppy", "Puppy"].enumerated() {
            let animal = context.insert(entity, ["name": "\(entity) \(index)"])
            if index == 7 { authors[0].setValue(animal, forKey: "pet") }
        }
        try context.save()
        context.reset()
        _ = log.queries()
    }

    func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// A request for books by number of pages, which identify them.
    static func books(_ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        return request
    }

    static func pages(_ books: [NSManagedObject]) -> [Int] { books.map { $0.value(forKey: "pages") as? Int ?? -1 } }
}

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Entities below one parent may declare properties of one name, each for itself. Asked through the parent, the key is the
/// property of each object's own entity, as key-value coding reads it in memory.
@Suite("Properties of siblings under one name")
struct SiblingPropertyTests {
    private static func model() -> NSManagedObjectModel {
        let media = LibraryModel.entity("Media"), film = LibraryModel.entity("Film"), song = LibraryModel.entity("Song")
        let remix = LibraryModel.entity("Remix"), person = LibraryModel.entity("Person")
        media.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
        film.properties = [
            LibraryModel.attribute("title", .stringAttributeType),
            LibraryModel.attribute("length", .doubleAttributeType),
            LibraryModel.attribute("odd", .stringAttributeType),
        ]
        song.properties = [
            LibraryModel.attribute("title", .stringAttributeType),
            LibraryModel.attribute("length", .integer32AttributeType),
            LibraryModel.attribute("odd", .dateAttributeType),
        ]
        person.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        LibraryModel.relate(film, "maker", many: false, person, "films", many: true)
        LibraryModel.relate(song, "maker", many: false, person, "songs", many: true)
        LibraryModel.relate(film, "fans", many: true, person, "filmsLiked", many: true)
        LibraryModel.relate(song, "fans", many: true, person, "songsLiked", many: true)
        media.subentities = [film, song]
        song.subentities = [remix]
        let model = NSManagedObjectModel()
        model.entities = [media, film, song, remix, person]
        return model
    }

    private func library(_ kind: StoreKind) throws -> Library {
        let library = try Library(Self.model(), store: kind)
        let context = library.context
        try context.performAndWait {
            let ann = context.insert("Person", ["name": "Ann"]), bob = context.insert("Person", ["name": "Bob"])
            context.insert("Film", ["number": 1, "title": "Emma", "length": 2.5, "maker": ann])
            context.insert("Song", ["number": 2, "title": "Emma", "length": 3, "maker": bob])
            context.insert("Song", ["number": 3, "title": "Blue", "length": 2, "maker": ann])
            context.insert("Remix", ["number": 4, "title": "Emma", "length": 9, "maker": ann])
            context.insert("Media", ["number": 5])
            try context.save()
            context.reset()
        }
        return library
    }

    private func numbers(_ context: NSManagedObjectContext, _ format: String, by key: String = "number") throws -> [Int]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Media")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try context.fetch(request).map { $0.value(forKey: "number") as! Int }
    }

    @Test(arguments: StoreKind.allCases)
    func areAskedOfEachObjectsOwnEntity(_ kind: StoreKind) throws {
        let library = try library(kind)
        try library.context.performAndWait {
            let context = library.context
            for (format, found) in [
                ("title == 'Emma'", [1, 2, 4]), ("title != nil AND title != 'Emma'", [3]), ("title == nil", [5]),
                ("title BEGINSWITH 'B'", [3]), ("title IN {'Blue', 'Emma'}", [1, 2, 3, 4]),
                ("length > 2.2", [1, 2, 4]),
                ("maker.name == 'Ann'", [1, 3, 4]), ("maker == nil", [5]), ("title == 'Emma' AND length < 3", [1]),
            ] {
                let numbers = try numbers(context, format)
                #expect(numbers == found, "\(format)")
            }
            let sorted = try numbers(context, "title != nil", by: "length")
            #expect(sorted == [3, 1, 2, 4])
        }
    }

    @Test func ofDifferentTypesAreAnError() throws {
        let library = try library(.sqlite)
        library.context.performAndWait {
            for format in ["odd == 'x'", "ANY fans.name == 'Ann'"] {
                let error = #expect(throws: NSError.self) { _ = try numbers(library.context, format) }
                #expect(error?.localizedDescription.contains("several meanings in entity Media") == true, "\(format)")
            }
        }
    }
}

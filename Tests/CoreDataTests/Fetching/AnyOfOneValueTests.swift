import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// ANY of a plain attribute is the attribute: Apple's SQLite store takes it, and published programs use it.
@Suite("ANY of one value")
struct AnyOfOneValueTests {
    @Test(arguments: StoreKind.allCases)
    func isThatValue(_ kind: StoreKind) throws {
        let library = try Library(store: kind)
        let context = library.context
        try context.performAndWait {
            for (title, pages) in [("Emma", 1), ("Blue", 2), ("Red", 3)] {
                context.insert("Book", ["title": title, "pages": pages])
            }
            // Unsaved, then saved.
            for _ in 0..<2 {
                for (format, arguments, found) in [
                    ("ANY pages IN %@", [[1, 3]], ["Emma", "Red"]), ("ANY title == %@", ["Blue"], ["Blue"]),
                    ("ANY title BEGINSWITH[c] %@", ["r"], ["Red"]), ("NONE pages == %@", [2], ["Emma", "Red"]),
                    ("ANY pages IN %@ OR title == %@", [[1], "Blue"], ["Blue", "Emma"]),
                ] as [(String, [Any], [String])] {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    request.predicate = NSPredicate(format: format, argumentArray: arguments)
                    let titles = try context.fetch(request).map { $0.value(forKey: "title") as! String }.sorted()
                    #expect(titles == found, "\(format)")
                }
                try context.save()
            }
        }
    }
}

import CoreData
import CoreDataTestSupport

/// A SQLite store of 2,400 books whose number of pages is their place, for walks by batches of 400: three of them stay
/// loaded.
struct BatchLibrary {
    static let count = 2_400
    static let size = 400

    let library: FetchLibrary
    var context: NSManagedObjectContext { library.context }

    private static let prepared = Result {
        try PreparedStore(FetchLibrary.model()) { context in
            let author = context.insert("Author", ["name": "Ann"])
            let tag = context.insert("Tag", ["word": "red"])
            for number in 1...count {
                let book = context.insert(
                    "Book", ["title": "Book \(number)", "pages": number, "inPrint": number % 2 == 0])
                if number % 3 == 0 { book.setValue(author, forKey: "author") }
                if number % 5 == 0 { book.setValue(Set([tag]), forKey: "tags") }
            }
        }
    }

    init() throws {
        library = try FetchLibrary(prepared: Self.prepared.get())
        _ = library.log.queries()
    }

    /// Books in the order of their pages, in batches.
    static func books(_ format: String? = nil, by size: Int = size) -> NSFetchRequest<NSManagedObject> {
        let request = FetchLibrary.books(format)
        request.fetchBatchSize = size
        return request
    }

    /// How many queries there have been since this was last asked.
    func queries() -> Int { library.log.queries() }

    /// Touches every book, and says whether all are what they should be.
    static func walk(_ books: some Sequence<NSManagedObject>) -> Bool {
        books.allSatisfy { book in
            guard let pages = book.value(forKey: "pages") as? Int else { return false }
            return book.value(forKey: "title") as? String == "Book \(pages)"
        }
    }

    static func title(_ book: NSManagedObject) -> String? { book.value(forKey: "title") as? String }

    /// Has another context give a book another title in the file.
    func retitle(_ pages: Int, _ title: String) throws {
        let other = library.makeContext()
        try other.fetch(FetchLibrary.books("pages == \(pages)"))[0].setValue(title, forKey: "title")
        try other.save()
        _ = queries()
    }
}

import CoreData
import CoreDataTestSupport
import Testing

@Suite("Reflection")
struct ReflectionTests {
    @Test("Dumping an object does not walk through the whole graph")
    func objectsAreLeaves() throws {
        let library = try Library()
        library.context.performAndWait {
            let author = library.context.insert("Author", ["name": "Austen"])
            for index in 0..<100 { library.context.insert("Book", ["title": "\(index)", "author": author]) }
            var text = ""
            dump(author, to: &text)
            #expect(text.split(separator: "\n").count < 40)
            #expect(Mirror(reflecting: library.context).children.isEmpty)
        }
    }
}

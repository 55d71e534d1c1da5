import Foundation
import ModelCompiler
import ModelFormat
import Testing

@Suite("Updating a model from classes")
struct ModelUpdateTests {
    @Test("a second run changes no byte")
    func again() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        let first = try sources.contents()
        let result = sources.run()
        #expect(result.status == 0 && result.output.contains("says what the classes say"))
        #expect(try sources.contents() == first)
    }

    /// A file has the limits as text, so each type's must compare equal when they are read again.
    @Test(
        "limits in the file are those of the classes",
        arguments: [
            ("NSDecimalNumber", "0", "100"), ("NSDecimalNumber", "-0.5", "99.95"), ("NSDecimalNumber", "1.0", "1e20"),
            ("Double", "0", "1.5"), ("Float", "-1", "0.25"), ("Int64", "-9223372036854775808", "0"),
            ("Date", "\"1948-06-21T00:00:00Z\"", "\"2001-01-02\""),
        ])
    func limits(type: String, minimum: String, maximum: String) throws {
        let sources = try ClassSources(
            """
            class Product: NSManagedObject {
                @NSManaged var price: \(type)
                static func model(_ product: MagicalRecord.EntityDeclaration<Product>) {
                    product.attribute(\\.price, minimum: \(minimum), maximum: \(maximum))
                }
            }
            """)
        let first = sources.run()
        #expect(first.status == 0, "\(first.errors)")
        #expect(try sources.attribute("Product", "price").validation.count == 2)
        let check = sources.run("--check")
        #expect(check.status == 0, "\(check.output)")
    }

    @Test("adds what the classes say, and leaves the rest of the file as it is")
    func additions() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        let file = sources.path + "/Model.xcdatamodel/contents"
        // Edited by hand: a comment, a default, an attribute without a property, a delete rule.
        let edited = try sources.contents()
            .replacingOccurrences(
                of: "    <entity name=\"Book\"", with: "    <!-- Of paper -->\n    <entity name=\"Book\""
            )
            .replacingOccurrences(
                of: "<attribute name=\"title\" attributeType=\"String\"/>",
                with: "<attribute name=\"shelf\" optional=\"YES\" attributeType=\"String\" mystery=\"1\"/>\n"
                    + "        <attribute name=\"title\" attributeType=\"String\" defaultValueString=\"?\"/>")
        try edited.write(toFile: file, atomically: true, encoding: .utf8)
        try sources.write(
            shelfClasses.replacingOccurrences(
                of: "    @NSManaged var pages: Int32\n",
                with: "    @NSManaged var pages: Int32\n    @NSManaged var isbn: String?\n")
                + "\nclass Label: NSManagedObject { @NSManaged var text: String? }")
        let result = sources.run()
        #expect(result.status == 0)
        #expect(result.output.contains("  + Book.isbn: attribute, String\n"))
        #expect(result.output.contains("  + Label: entity\n"))
        #expect(result.errors.contains("note: the model has Book.shelf, and the class has no such property"))
        let text = try sources.contents()
        var rest = text.components(separatedBy: "\n")[...]
        for line in edited.components(separatedBy: "\n") {
            let place = try #require(rest.firstIndex(of: line), "\(line)")
            rest = rest[(place + 1)...]
        }
        #expect(try sources.attribute("Book", "isbn").type == .string)
    }

    @Test("--new-version writes the change into a new current version, and tells what it means for stores")
    func newVersion() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        let old = try sources.contents()
        try sources.write(shelfClasses.replacingOccurrences(of: "pages: Int32", with: "pages: Int64"))
        #expect(sources.run().status == 3)
        let result = sources.run("--new-version")
        #expect(result.status == 0)
        #expect(result.output.contains("added version Model 2"))
        #expect(result.output.contains("lightweight      pages: type Integer 32 to Integer 64. Values are kept."))
        #expect(try sources.contents() == old)
        let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: sources.path))
        #expect(bundle.currentVersionName == "Model 2" && bundle.versions.count == 2)
        #expect(try sources.attribute("Book", "pages").type == .integer64)
        // Nothing to change: no third version.
        #expect(sources.run("--new-version").status == 0)
        #expect(try ModelBundle(contentsOf: URL(fileURLWithPath: sources.path)).versions.count == 2)
    }

    @Test("--replace changes the current version, and --remove takes out what no class has")
    func replacing() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        try sources.write(
            shelfClasses.replacingOccurrences(of: "pages: Int32", with: "pages: Int64")
                .replacingOccurrences(of: "    @NSManaged var books: Set<Book>\n", with: ""))
        let result = sources.run("--replace", "--remove")
        #expect(result.status == 0)
        #expect(result.output.contains("  ~ Book.pages: type Integer 32 -> Integer 64 (Int64)\n"))
        #expect(result.output.contains("  - Author.books\n"))
        #expect(try sources.relationship("Book", "author").inverseName == nil)
        #expect(try sources.model.entity(named: "Author")?.relationships.isEmpty == true)
        #expect(sources.run("--check").status == 0)
    }

    @Test("--check writes nothing, and fails if classes and model differ")
    func check() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run("--check").status == 1)
        #expect(!FileManager.default.fileExists(atPath: sources.path))
        #expect(sources.run().status == 0)
        #expect(sources.run("--check").status == 0)
        try sources.write(shelfClasses.replacingOccurrences(of: "minimum: 1", with: "minimum: 0"))
        let old = try sources.contents()
        let result = sources.run("--check")
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                "App.swift:13: note: Book.pages: the minimum is 0 in the sources, but 1 in the model"),
            "\(result.output)")
        #expect(try sources.contents() == old)
    }

    @Test("renamed classes and properties keep their identity in a new version")
    func renaming() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        let text = try sources.contents().replacingOccurrences(
            of: "        <attribute name=\"title\"",
            with: "        <!-- As on the cover -->\n        <attribute name=\"title\"")
        try text.write(
            toFile: sources.path + "/Model.xcdatamodel/contents", atomically: true, encoding: .utf8)
        try sources.write(
            """
            class Author: NSManagedObject {
                @NSManaged var name: String?
                @NSManaged var volumes: Set<Volume>
                static func model(_ author: MagicalRecord.EntityDeclaration<Author>) {
                    author.relationship(\\.volumes, renamedFrom: "books")
                }
            }
            class Volume: NSManagedObject {
                @NSManaged var heading: String
                @NSManaged var pages: Int32
                @NSManaged var author: Author?
                static func model(_ volume: MagicalRecord.EntityDeclaration<Volume>) {
                    volume.entity(renamedFrom: "Book")
                    volume.unique(\\.heading)
                    volume.attribute(\\.heading, renamedFrom: "title")
                }
            }
            """)
        let result = sources.run("--new-version")
        #expect(result.status == 0, "\(result.errors)")
        let volume = try #require(try sources.model.entity(named: "Volume"))
        #expect(volume.renamingIdentifier == "Book" && volume.className == ".Volume")
        #expect(volume.attributes.map(\.name).sorted() == ["heading", "pages"])
        #expect(volume.uniquenessConstraints == [["heading"]])
        #expect(
            try sources.contents("Model 2").contains(
                "        <!-- As on the cover -->\n        <attribute name=\"heading\""))
        #expect(try sources.relationship("Author", "volumes").inverseName == "author")
        #expect(try sources.relationship("Author", "volumes").destinationName == "Volume")
        #expect(try sources.relationship("Volume", "author").inverseName == "volumes")
        #expect(!result.output.contains("loses data"), "\(result.output)")
    }

    @Test("another inverse leaves the former one without an inverse")
    func inverses() throws {
        let text = """
            class Author: NSManagedObject {
                @NSManaged var books: Set<Book>
                @NSManaged var works: Set<Book>
            }
            class Book: NSManagedObject {
                @NSManaged var author: Author?
                static func model(_ book: MagicalRecord.EntityDeclaration<Book>) {
                    book.relationship(\\.author, inverse: \\Author.books)
                }
            }
            """
        let sources = try ClassSources(text)
        #expect(sources.run().status == 0)
        try sources.write(text.replacingOccurrences(of: "Author.books", with: "Author.works"))
        #expect(sources.run("--replace").status == 0)
        #expect(try sources.relationship("Book", "author").inverseName == "works")
        #expect(try sources.relationship("Author", "works").inverseName == "author")
        #expect(try sources.relationship("Author", "books").inverseName == nil)
        try sources.write(text.replacingOccurrences(of: "inverse: \\Author.books", with: "isOneWay: true"))
        #expect(sources.run("--replace").status == 0)
        #expect(try sources.relationship("Author", "works").inverseName == nil)
    }

    @Test("a new type takes the default value and the limits of the former one with it")
    func typeChange() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        try sources.write(
            shelfClasses.replacingOccurrences(of: "pages: Int32", with: "pages: String")
                .replacingOccurrences(of: "            book.attribute(\\.pages, default: 1, minimum: 1)\n", with: "")
                .replacingOccurrences(of: "book.attribute(\\.pages, default: 1, minimum: 1)", with: ""))
        let result = sources.run("--new-version")
        #expect(result.status == 0, "\(result.errors)")
        let pages = try sources.attribute("Book", "pages")
        #expect(pages.type == .string && pages.defaultValue == nil && pages.validation.isEmpty)
    }

    @Test("an entity with a new name keeps its objects")
    func entityName() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        try sources.write(
            shelfClasses.replacingOccurrences(
                of: "book.unique(", with: "book.entity(name: \"Volume\")\n        book.unique("))
        let result = sources.run("--new-version")
        #expect(result.status == 0, "\(result.errors)")
        #expect(!result.output.contains("loses data"), "\(result.output)")
        #expect(try sources.model.entity(named: "Volume")?.renamingIdentifier == "Book")
    }

    @Test("an index of the same name is a contradiction, not an addition")
    func indexes() throws {
        let text = """
            class Thing: NSManagedObject {
                @NSManaged var name: String?
                static func model(_ thing: MagicalRecord.EntityDeclaration<Thing>) { thing.index(\\.name, name: "byName") }
            }
            """
        let sources = try ClassSources(text)
        #expect(sources.run().status == 0)
        try sources.write(text.replacingOccurrences(of: "name: \"", with: "descending: [\\.name], name: \""))
        let result = sources.run()
        #expect(result.status == 3)
        #expect(
            result.errors.contains("Thing: the index is byName in the sources, but with other elements in the model"))
    }

    @Test("--remove leaves properties of inactive branches and of subclasses")
    func kept() throws {
        let text = """
            class Media: NSManagedObject {
                @NSManaged var title: String?
                @NSManaged var cover: Data?
            }
            class Film: Media { @NSManaged var length: Double }
            """
        let sources = try ClassSources(text)
        #expect(sources.run().status == 0)
        try sources.write(
            """
            class Media: NSManagedObject {
                #if os(iOS)
                @NSManaged var cover: Data?
                #endif
            }
            class Film: Media { @NSManaged var length: Double; @NSManaged var title: String? }
            """)
        let result = sources.run("--replace", "--remove")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(try sources.model.entity(named: "Media")?.attributes.map(\.name) == ["cover", "title"])
    }

    @Test("a text that names a renamed property is a warning")
    func texts() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        let file = sources.path + "/Model.xcdatamodel/contents"
        try sources.contents().replacingOccurrences(
            of: "</model>",
            with:
                "    <fetchRequest name=\"A\" entity=\"Book\" predicateString=\"title BEGINSWITH &quot;A&quot;\"/>\n</model>"
        ).write(toFile: file, atomically: true, encoding: .utf8)
        try sources.write(
            shelfClasses.replacingOccurrences(of: "title: String", with: "heading: String")
                .replacingOccurrences(
                    of: "book.unique(\\.title)",
                    with: "book.unique(\\.heading)\n        book.attribute(\\.heading, renamedFrom: \"title\")"))
        let result = sources.run("--new-version")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("warning: the text of fetch request A names title"), "\(result.errors)")
    }
}

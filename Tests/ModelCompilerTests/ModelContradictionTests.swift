import Foundation
import ModelCompiler
import ModelFormat
import Testing

/// A change of the classes that contradicts the model made of them before.
struct Contradiction: Sendable, CustomTestStringConvertible {
    var old: String
    var new: String
    /// The line of the error, and its text.
    var line: Int
    var message: String

    var testDescription: String { message }

    init(_ old: String, _ new: String, _ line: Int, _ message: String) {
        self.old = old
        self.new = new
        self.line = line
        self.message = message
    }
}

@Suite("Contradictions between classes and models")
struct ModelContradictionTests {
    /// Line 1 of the classes is line 3 of the file.
    static let classes = """
        class Media: NSManagedObject {
            @NSManaged var title: String?
        }
        class Author: NSManagedObject {
            @NSManaged var name: String
            @NSManaged var books: Set<Book>
            @NSManaged var drafts: NSOrderedSet?
            static func model(_ author: MagicalRecord.EntityDeclaration<Author>) {
                author.relationship(\\.drafts, to: Draft.self)
                author.entity(isAbstract: false)
            }
        }
        class Book: NSManagedObject {
            @NSManaged var pages: Int32
            @NSManaged var lower: String?
            @NSManaged var author: Author?
            static func model(_ book: MagicalRecord.EntityDeclaration<Book>) {
                book.attribute(\\.pages, default: 1, maximum: 9)
                book.attribute(\\.lower, derivation: "lowercase:(pages)")
                book.relationship(\\.author, deleteRule: .nullifyDeleteRule)
            }
        }
        class Draft: NSManagedObject {
            @NSManaged var author: Author?
            @NSManaged var editor: Author?
            static func model(_ draft: MagicalRecord.EntityDeclaration<Draft>) {
                draft.relationship(\\.author, inverse: \\Author.drafts)
                draft.relationship(\\.editor, isOneWay: true)
            }
        }
        """

    static let all = [
        Contradiction(
            "pages: Int32", "pages: Int64", 16,
            "Book.pages: the type is Integer 64 (Int64) in the sources, but Integer 32 in the model"),
        Contradiction(
            "books: Set<Book>", "books: Book?", 8,
            "Author.books: the kind is a to-one (Book?) in the sources, but a to-many in the model"),
        Contradiction(
            "drafts: NSOrderedSet?", "drafts: NSSet?", 9,
            "Author.drafts: the kind is a to-many (NSSet?) in the sources, but an ordered to-many in the model"
        ),
        Contradiction(
            "editor: Author?", "editor: Book?", 27,
            "Draft.editor: the destination is Book in the sources, but Author in the model"),
        Contradiction(
            "class Book: NSManagedObject", "class Book: Media", 15,
            "Book: the parent entity is Media in the sources, but none in the model"),
        Contradiction(
            "default: 1", "default: 2", 20,
            "Book.pages: the default value is 2 in the sources, but 1 in the model"),
        Contradiction(
            "maximum: 9", "maximum: 8", 20, "Book.pages: the maximum is 8 in the sources, but 9 in the model"),
        Contradiction(
            "lowercase:(pages)", "uppercase:(pages)", 21,
            "Book.lower: the derivation is \"uppercase:(pages)\" in the sources, but \"lowercase:(pages)\" in the model"
        ),
        Contradiction(
            ".nullifyDeleteRule", ".denyDeleteRule", 22,
            "Book.author: the delete rule is Deny in the sources, but Nullify in the model"),
        Contradiction(
            "isAbstract: false", "isAbstract: true", 12,
            "Author: isAbstract is true in the sources, but false in the model"),
    ]

    @Test("are errors with the line and the remedy, and nothing is written", arguments: all)
    func contradiction(_ change: Contradiction) throws {
        let sources = try ClassSources(Self.classes)
        let made = sources.run()
        try #require(made.status == 0, "\(made.errors)")
        let old = try sources.contents()
        #expect(Self.classes.contains(change.old))
        try sources.write(Self.classes.replacingOccurrences(of: change.old, with: change.new))
        let result = sources.run()
        #expect(result.status == 3)
        let errors = result.errors.components(separatedBy: "\n").filter { $0.contains("error: ") }
        #expect(errors.count == 1, "\(result.errors)")
        let error = try #require(errors.first)
        #expect(error.hasPrefix("\(sources.file):\(change.line):"), "\(error)")
        #expect(error.contains("error: " + change.message), "\(error)")
        #expect(error.contains("--new-version") && error.contains("--replace"))
        #expect(result.errors.hasSuffix("nothing was written\n"))
        #expect(try sources.contents() == old)
    }

    @Test("an attribute that has become a relationship is an error whatever the flags")
    func attributeOrRelationship() throws {
        let sources = try ClassSources(Self.classes)
        #expect(sources.run().status == 0)
        try sources.write(Self.classes.replacingOccurrences(of: "title: String?", with: "title: Book?"))
        let result = sources.run("--replace")
        #expect(result.status == 3)
        #expect(
            result.errors.contains(
                "App.swift:4: error: title is a relationship by its type Book?, but an attribute in the model"))
    }

    @Test("a class that the model has generated is an error")
    func generatedClass() throws {
        let sources = try ClassSources("class Thing: NSManagedObject { @NSManaged var name: String? }")
        #expect(sources.run().status == 0)
        let file = sources.path + "/Model.xcdatamodel/contents"
        try sources.contents().replacingOccurrences(
            of: "syncable=\"YES\"", with: "syncable=\"YES\" codeGenerationType=\"class\""
        )
        .write(toFile: file, atomically: true, encoding: .utf8)
        let result = sources.run()
        #expect(result.status == 3)
        #expect(result.errors.contains("the model has the class of the entity Thing generated (Class Definition)"))
    }

    @Test("what a class does not say is no contradiction")
    func silence() throws {
        let sources = try ClassSources("class Thing: NSManagedObject {}")
        let contents = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Item" representedClassName="Thing" isAbstract="YES">
                    <attribute name="count" optional="YES" attributeType="Integer 16" defaultValueString="7"/>
                    <attribute name="name" attributeType="String"/>
                    <attribute name="rate" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                    <relationship name="next" maxCount="1" deletionRule="Cascade" destinationEntity="Item"/>
                    <fetchedProperty name="others" optional="YES">
                        <fetchRequest name="fetchedPropertyFetchRequest" entity="Item"/>
                    </fetchedProperty>
                </entity>
            </model>
            """
        let folder = sources.path + "/Model.xcdatamodel"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try contents.write(toFile: folder + "/contents", atomically: true, encoding: .utf8)
        try sources.write(
            """
            class Thing: NSManagedObject {
                @NSManaged var count: Int16
                @NSManaged var name: String?
                @NSManaged var rate: NSNumber?
                @NSManaged var next: Thing?
                @NSManaged var others: [Thing]
                @NSManaged var primitiveName: String?
            }
            """)
        let result = sources.run()
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(try sources.contents() == contents)
    }
}

@Suite("Classes that cannot be a model")
struct ImpossibleClassTests {
    /// Line 1 of a case is line 3 of the file.
    @Test(
        "are errors at their lines, and nothing is written",
        arguments: [
            (
                "struct P {}\nclass A: NSManagedObject { @NSManaged var p: P }",
                "4:43: error: p cannot be a property of an entity: no attribute stores a value of the type P"
            ),
            (
                "class A: NSManagedObject { @NSManaged var n: NSNumber? }",
                "3:43: error: the type NSNumber? of n does not say which attribute stores it"
            ),
            (
                "class A: NSManagedObject { @NSManaged var s: NSSet? }",
                "3:43: error: the type NSSet? of s does not say to which class the relationship leads"
            ),
            (
                "class A: NSManagedObject { @NSManaged var s: [A] }",
                "3:43: error: s cannot be a property of an entity: the property is an array of managed objects"
            ),
            (
                "class A: NSManagedObject { @NSManaged var b1: B?\n@NSManaged var b2: B? }\n"
                    + "class B: NSManagedObject { @NSManaged var a: A? }",
                "3:43: error: A.b1: A.b1 and A.b2 may be the inverse of B.a"
            ),
            (
                "class A: B { @NSManaged var x: Int }\nclass B: A {}",
                "3: error: the class A inherits from itself"
            ),
            (
                "class A: NSManagedObject { @NSManaged var x: Int }\nclass B: NSManagedObject {\n"
                    + "static func model(_ b: MagicalRecord.EntityDeclaration<B>) { b.entity(name: \"A\") } }",
                "4: error: the classes A ("
            ),
            (
                "class A<T>: NSManagedObject { @NSManaged var x: Int }",
                "3: error: the generic class A cannot be the class of an entity"
            ),
            (
                "private class A: NSManagedObject { @NSManaged var x: Int }",
                "3: error: the class A is private to its file, and no model can name it"
            ),
            (
                "enum N { class A: NSManagedObject { @NSManaged var x: Int } }",
                "3: error: the nested class N.A cannot be the class of an entity"
            ),
        ])
    func impossible(_ source: String, _ message: String) throws {
        let sources = try ClassSources(source)
        let result = sources.run()
        #expect(result.status == 3)
        #expect(result.errors.contains("App.swift:" + message), "\(result.errors)")
        #expect(result.errors.hasSuffix("nothing was written\n"))
        #expect(!FileManager.default.fileExists(atPath: sources.path))
    }

    @Test(
        "so are statements that cannot be read",
        arguments: [
            ("thing.unique(\\.nothing)", "nothing is no property of the entity Thing"),
            ("let x = 3", "this is no statement about the entity"),
            ("thing.attribute(\\.name, pattern: \"[A-Z]\"\n + \"[0-9]\")", "the argument pattern cannot be read"),
            ("thing.attribute(\\.count, type: .undefined)", ".undefined is no type of an attribute"),
            ("thing.attribute(\\.name, minimum: \"a\")", "the attribute name has the type String, without a minimum"),
            ("thing.attribute(\\.rate, default: 1e999)", "the default is not a constant of the type Double"),
            ("thing.relationship(\\.parts, isOneWay: true, maximumCount: 1)", "makes parts a to-one relationship"),
            ("thing.attribute(\\.nothing, default: 3)", "nothing is no @NSManaged or @Stored property of Thing"),
            ("thing.attribute(\\.count, default: standard)", "the default is not a constant of the type Integer 16"),
            ("thing.attribute(\\.count, default: 40_000)", "the default is not a constant of the type Integer 16"),
            ("thing.attribute(\\.count, default: \"x\")", "the default is not a constant of the type Integer 16"),
            ("thing.attribute(\\.count, pattern: \"x\")", "the attribute count is no text"),
            ("thing.attribute(\\.name, pattern: \"\\(x)\")", "the argument pattern cannot be read"),
            ("thing.relationship(\\.count)", "count is an attribute: Int16"),
            ("thing.attribute(\\.next)", "next is a relationship"),
            ("thing.relationship(\\.next, deleteRule: .cascade)", ".cascade is no delete rule"),
            ("thing.relationship(\\.next, inverse: \\Thing.count)", "its inverse Thing.count is no relationship"),
            ("thing.relationship(\\.next, inverse: \\.next)", "the argument inverse cannot be read"),
            ("thing.relationship(\\.next, maximumCount: 3)", "next is a to-one relationship"),
            (
                "thing.attribute(\\.name)\n    thing.attribute(\\.name, default: \"\")",
                "there are two statements about name"
            ),
        ])
    func unreadable(_ statement: String, _ message: String) throws {
        let sources = try ClassSources(
            """
            class Thing: NSManagedObject {
                @NSManaged var count: Int16
                @NSManaged var name: String?
                @NSManaged var next: Thing?
                @NSManaged var rate: Double
                @NSManaged var parts: Set<Thing>
                static func model(_ thing: MagicalRecord.EntityDeclaration<Thing>) {
                    \(statement)
                }
            }
            """)
        let result = sources.run()
        #expect(result.status == 3)
        #expect(result.errors.contains("error: ") && result.errors.contains(message), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: sources.path))
    }

    @Test(
        "so are statements in functions that are not read",
        arguments: [
            "func model(_ thing: MagicalRecord.EntityDeclaration<Thing>) { thing.unique(\\.name) }",
            "extension Thing { static func model(_ thing: MagicalRecord.EntityDeclaration<Thing>, _ flag: Bool) {} }",
            "extension Thing { func model(_ thing: MagicalRecord.EntityDeclaration<Thing>) {} }",
        ])
    func misplaced(_ function: String) throws {
        let sources = try ClassSources("class Thing: NSManagedObject { @NSManaged var name: String? }\n" + function)
        let result = sources.run()
        #expect(result.status == 3)
        #expect(result.errors.contains("App.swift:4: error: these statements are not read"), "\(result.errors)")
    }

    @Test(
        "code that is being typed is read to its end",
        arguments: ["(", "(\\.name", "(\\.name, [", "(type: .", "(a: \"x"])
    func unfinished(_ rest: String) throws {
        let sources = try ClassSources(
            """
            class Thing: NSManagedObject {
                @NSManaged var name: String?
                static func model(_ thing: MagicalRecord.EntityDeclaration<Thing>) {
                    thing.unique\(rest)
                }
            }
            """)
        #expect([0, 3].contains(sources.run().status))
    }
}

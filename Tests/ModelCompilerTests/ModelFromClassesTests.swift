import Foundation
import ModelCompiler
import ModelFormat
import Testing

@Suite("Models from classes")
struct ModelFromClassesTests {
    @Test("a type says the attribute's type and whether it is optional")
    func types() throws {
        let sources = try ClassSources(
            """
            enum State: String { case open, done }
            enum Level: Int16 { case low, high }
            typealias Amount = Decimal
            class Thing: NSManagedObject {
                @NSManaged var small: Int16
                @NSManaged var medium: Int32
                @NSManaged var large: Int64
                @NSManaged var whole: Int
                @NSManaged var flag: Bool
                @NSManaged var double: Double
                @NSManaged var float: Float
                @NSManaged var amount: Amount
                @NSManaged var price: NSDecimalNumber?
                @NSManaged var text: String
                @NSManaged var note: String?
                @NSManaged var date: Date?
                @NSManaged var data: Data?
                @NSManaged var id: UUID
                @NSManaged var link: URL?
                @NSManaged var tags: [String]?
                @NSManaged var state: State
                @Stored("level") var level: Level = .high
                @Stored("place") var place: Place?
            }
            struct Place: Codable { var city: String }
            """)
        let result = sources.run()
        #expect(result.errors.isEmpty, "\(result.errors)")
        let entity = try #require(try sources.model.entity(named: "Thing"))
        #expect(entity.className == ".Thing")
        let found = Dictionary(uniqueKeysWithValues: entity.attributes.map { ($0.name, $0) })
        let expected: [(String, AttributeType, Bool)] = [
            ("small", .integer16, false), ("medium", .integer32, false), ("large", .integer64, false),
            ("whole", .integer64, false), ("flag", .boolean, false), ("double", .double, false),
            ("float", .float, false), ("amount", .decimal, false), ("price", .decimal, true),
            ("text", .string, false), ("note", .string, true), ("date", .date, true), ("data", .binary, true),
            ("id", .uuid, false), ("link", .uri, true), ("tags", .transformable, true), ("state", .string, false),
            ("level", .integer16, false), ("place", .binary, true),
        ]
        #expect(found.count == expected.count)
        for (name, type, isOptional) in expected {
            #expect(found[name]?.type == type, "\(name)")
            #expect(found[name]?.isOptional == isOptional, "\(name)")
        }
        // Numbers that are not optional read as 0, which is also what Xcode gives to new ones.
        #expect(found["small"]?.defaultValue == .integer(0))
        #expect(found["flag"]?.defaultValue == .bool(false))
        #expect(found["text"]?.defaultValue == nil)
        // The second case of an enumeration that begins with 0.
        #expect(found["level"]?.defaultValue == .integer(1))
        #expect(found["tags"]?.valueTransformerName == "NSSecureUnarchiveFromData")
        #expect(found["tags"]?.valueClassName == "[String]")
    }

    @Test("relationships, parents and inverses follow from classes")
    func relationships() throws {
        let sources = try ClassSources(
            """
            class Base: NSManagedObject { func help() {} }
            class Media: Base { @NSManaged var title: String? }
            class Film: Media {
                @NSManaged var cast: NSSet?
                @NSManaged var scenes: NSOrderedSet
                @NSManaged var sequel: Film?
                @NSManaged var prequel: Film?
                static func model(_ film: MagicalRecord.EntityDeclaration<Film>) {
                    film.relationship(\\.scenes, to: Scene.self, deleteRule: .cascadeDeleteRule)
                    film.relationship(\\.sequel, inverse: \\Film.prequel)
                }
            }
            extension Film {
                @objc(addCastObject:) @NSManaged func addToCast(_ value: Person)
            }
            class Scene: NSManagedObject { @NSManaged var film: Film? }
            class Person: NSManagedObject { @NSManaged var films: Set<Film> }
            """)
        let result = sources.run()
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(try sources.model.entities.map(\.name) == ["Film", "Media", "Person", "Scene"])
        #expect(try sources.model.entity(named: "Film")?.parentName == "Media")
        #expect(try sources.model.entity(named: "Media")?.parentName == nil)
        let cast = try sources.relationship("Film", "cast")
        #expect(cast.destinationName == "Person" && cast.inverseName == "films" && cast.isToMany && !cast.isOrdered)
        let scenes = try sources.relationship("Film", "scenes")
        #expect(scenes.isOrdered && scenes.inverseName == "film" && scenes.deleteRule == .cascade)
        #expect(try sources.relationship("Film", "prequel").inverseName == "sequel")
        let film = try sources.relationship("Scene", "film")
        #expect(film.maxCount == 1 && film.isOptional && film.inverseName == "scenes")
    }

    @Test("a superclass that states it is no entity lends its properties to the entities of its subclasses")
    func lentProperties() throws {
        let sources = try ClassSources(
            """
            class Record: NSManagedObject {
                @NSManaged var id: UUID
                static func model(_ record: MagicalRecord.EntityDeclaration<Record>) { record.entity(isEntity: false) }
            }
            class Note: Record { @NSManaged var text: String? }
            """)
        #expect(sources.run().errors.isEmpty)
        #expect(try sources.model.entities.map(\.name) == ["Note"])
        #expect(try sources.model.entities[0].attributes.map(\.name) == ["id", "text"])
    }

    @Test("statements say what types do not")
    func statements() throws {
        let sources = try ClassSources(
            """
            class Thing: NSManagedObject {
                @NSManaged var code: String
                @NSManaged var count: NSNumber?
                @NSManaged var since: Date?
                @NSManaged var image: Data?
                @NSManaged var folded: String?
                @NSManaged var color: NSObject?
                @NSManaged var parts: Set<Thing>
            }
            extension Thing {
                static func model(_ thing: MagicalRecord.EntityDeclaration<Thing>) {
                    thing.entity(
                        name: "Item", isAbstract: true, renamedFrom: "Piece", versionHashModifier: "2",
                        userInfo: ["a": "1", "b": "say \\"x\\""])
                    thing.unique(\\.code, \\.since)
                    thing.index(\\.code, \\.count, descending: [\\.count], name: "codes")
                    thing.attribute(
                        \\.code, default: "x-1", minimumLength: 3, maximumLength: 9, pattern: #"[a-z]-\\d+"#,
                        renamedFrom: "key", userInfo: ["mappedKeyName": "thing_code"])
                    thing.attribute(\\.count, type: .integer16, default: -3, minimum: -5, maximum: 1_000)
                    thing.attribute(\\.since, default: "2001-01-01T00:01:00Z", maximum: "2001-01-02")
                    thing.attribute(\\.image, isStoredExternally: true, isPreservedAfterDeletion: true)
                    thing.attribute(\\.folded, derivation: "canonical:(code)")
                    thing.attribute(\\.color, type: .transformable, transformer: "ColorTransformer")
                    thing.relationship(
                        \\.parts, isOneWay: true, deleteRule: .denyDeleteRule, isOptional: false, minimumCount: 1,
                        maximumCount: 4)
                }
            }
            """)
        let result = sources.run()
        #expect(result.errors.isEmpty, "\(result.errors)")
        let entity = try #require(try sources.model.entity(named: "Item"))
        #expect(entity.isAbstract && entity.className == ".Thing" && entity.renamingIdentifier == "Piece")
        #expect(entity.versionHashModifier == "2")
        #expect(entity.userInfo == ["a": "1", "b": "say \"x\""])
        #expect(entity.uniquenessConstraints == [["code", "since"]])
        #expect(
            entity.fetchIndexes == [
                FetchIndex(
                    name: "codes",
                    elements: [
                        FetchIndexElement(property: "code"), FetchIndexElement(property: "count", isAscending: false),
                    ])
            ])
        let code = try sources.attribute("Item", "code")
        #expect(code.validation == [.minimumLength(3), .maximumLength(9), .pattern("[a-z]-\\d+")])
        #expect(code.defaultValue == "x-1" && code.renamingIdentifier == "key")
        #expect(code.userInfo == ["mappedKeyName": "thing_code"])
        let count = try sources.attribute("Item", "count")
        #expect(count.type == .integer16 && count.isOptional && count.defaultValue == .integer(-3))
        #expect(count.validation.map(\.predicateFormat) == ["SELF >= -5", "SELF <= 1000"])
        let since = try sources.attribute("Item", "since")
        #expect(since.defaultValue == .date(60) && since.validation == [.maximum(.date(86_400))])
        let image = try sources.attribute("Item", "image")
        #expect(image.allowsExternalBinaryDataStorage && image.preservesValueInHistoryOnDeletion)
        #expect(try sources.attribute("Item", "folded").derivation == "canonical:(code)")
        #expect(try sources.attribute("Item", "color").valueTransformerName == "ColorTransformer")
        let parts = try sources.relationship("Item", "parts")
        #expect(parts.inverseName == nil && parts.deleteRule == .deny && !parts.isOptional)
        #expect(parts.minCount == 1 && parts.maxCount == 4)
    }

    @Test("the document has the elements and attributes that Xcode writes, in its order")
    func document() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        let text = try sources.contents()
        #expect(
            text.components(separatedBy: "\n").dropFirst(2).joined(separator: "\n") == """
                    <entity name="Author" representedClassName=".Author" syncable="YES">
                        <attribute name="name" optional="YES" attributeType="String"/>
                        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                    </entity>
                    <entity name="Book" representedClassName=".Book" syncable="YES">
                        <attribute name="pages" attributeType="Integer 32" minValueString="1" defaultValueString="1" usesScalarValueType="YES"/>
                        <attribute name="title" attributeType="String"/>
                        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                        <uniquenessConstraints>
                            <uniquenessConstraint>
                                <constraint value="title"/>
                            </uniquenessConstraint>
                        </uniquenessConstraints>
                    </entity>
                </model>
                """)
        #expect(text.contains("sourceLanguage=\"Swift\""))
    }

    @Test("classes in another branch of #if, and functions of other types, are not read")
    func conditions() throws {
        let sources = try ClassSources(
            """
            class Thing: NSManagedObject {
                @NSManaged var name: String?
                #if canImport(UIKit)
                @NSManaged var image: UIImage?
                #endif
                static func model(_ name: String) { print(name) }
                func entity() { let x = [1: 2]; if x.isEmpty { return } }
            }
            """)
        #expect(sources.run().errors.isEmpty)
        #expect(try sources.model.entities.map { $0.attributes.map(\.name) } == [["name"]])
    }
}

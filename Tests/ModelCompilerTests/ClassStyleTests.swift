import Foundation
import ModelCompiler
import ModelFormat
import Testing

/// Forms of classes that are common in published programs.
@Suite("Styles of managed object classes")
struct ClassStyleTests {
    @Test("a primitive value stands for its attribute, unless the attribute has a property of its own")
    func primitives() throws {
        let sources = try ClassSources(
            """
            class Base: NSManagedObject { @NSManaged var updatedAt: Date? }
            class Event: Base {
                @NSManaged var primitiveType: String?
                @NSManaged var name: String?
                @NSManaged private var primitiveName: String?
                @NSManaged private var primitiveUpdatedAt: Date?
                var type: String? { get { primitiveType } set { primitiveType = newValue } }
                static func model(_ event: MagicalRecord.EntityDeclaration<Event>) {
                    event.attribute(\\.type, maximumLength: 3)
                }
            }
            """)
        let result = sources.run()
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(try sources.model.entity(named: "Event")?.attributes.map(\.name) == ["name", "type"])
        #expect(try sources.attribute("Event", "type").validation == [.maximumLength(3)])
    }

    @Test("a class without properties between entities is an entity; a common base class of all is none")
    func emptyClasses() throws {
        let sources = try ClassSources(
            """
            typealias Root = NSManagedObject
            class Base: Root {}
            class Car: Base { @NSManaged var name: String? }
            class SportCar: Car {}
            class FastCar: SportCar { @NSManaged var speed: Double }
            """)
        #expect(sources.run().errors.isEmpty)
        #expect(try sources.model.entities.map(\.name) == ["Car", "FastCar", "SportCar"])
        #expect(try sources.model.entity(named: "FastCar")?.parentName == "SportCar")
        #expect(try sources.model.entity(named: "Car")?.parentName == nil)
        #expect(sources.run("--check").status == 0)
    }

    @Test("a class with an unknown superclass is left out with a warning")
    func unknownSuperclass() throws {
        let sources = try ClassSources(
            "class A: NSManagedObject { @NSManaged var x: Int }\nclass B: LibraryObject { @NSManaged var y: Int }")
        let result = sources.run()
        #expect(result.status == 0)
        #expect(
            result.errors.contains(
                "App.swift:4: warning: the class B has @NSManaged properties, but LibraryObject is not known"))
        #expect(try sources.model.entities.map(\.name) == ["A"])
    }

    @Test("what a type leaves open is taken from the model")
    func openTypes() throws {
        let contents = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Thing" representedClassName="Thing">
                    <attribute name="color" optional="YES" attributeType="Transformable"/>
                    <attribute name="flag" optional="YES" attributeType="Boolean"/>
                    <attribute name="id" optional="YES" attributeType="Transformable" customClassName="NSUUID"/>
                    <attribute name="title" optional="YES" attributeType="String"/>
                    <relationship name="parts" optional="YES" toMany="YES" destinationEntity="Thing"/>
                </entity>
            </model>
            """
        let sources = try ClassSources(
            """
            @objc (Thing) class Thing: NSManagedObject {
                @NSManaged var color: UIColor?
                @NSManaged var flag: NSNumber?
                @NSManaged var id: UUID?
                @NSManaged var title: String
                @NSManaged var parts: NSSet?
                @NSManaged override var objectID: NSManagedObjectID
            }
            """)
        let folder = sources.path + "/Model.xcdatamodel"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try contents.write(toFile: folder + "/contents", atomically: true, encoding: .utf8)
        let result = sources.run()
        #expect(result.status == 0, "\(result.errors)")
        #expect(try sources.contents() == contents)
        // A difference that only the program's data can decide is a note.
        #expect(
            result.errors.contains("App.swift:7:20: note: Thing.title is optional in the model"), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }

    @Test("a transformable value has the class of its property")
    func transformables() throws {
        let sources = try ClassSources(
            """
            class Thing: NSManagedObject {
                @NSManaged var color: UIColor?
                @NSManaged var any: NSObject?
                @NSManaged var width: CGFloat
                static func model(_ thing: MagicalRecord.EntityDeclaration<Thing>) {
                    thing.attribute(\\.color, transformer: "ColorTransformer")
                    thing.attribute(\\.width, type: .double)
                }
            }
            """)
        let result = sources.run()
        #expect(result.errors.isEmpty, "\(result.errors)")
        let color = try sources.attribute("Thing", "color")
        #expect(color.type == .transformable && color.isOptional)
        #expect(color.valueClassName == "UIColor" && color.valueTransformerName == "ColorTransformer")
        #expect(try sources.attribute("Thing", "any").type == .transformable)
        #expect(try sources.attribute("Thing", "width").type == .double)
    }

    @Test("a structure is a composite attribute if it is stated")
    func composites() throws {
        let text = """
            struct Place: Codable { var city: String; var position: Position?; static let home = 1; var label: String { city } }
            struct Position: Codable { var latitude: Double; var longitude: Double }
            class Venue: NSManagedObject {
                @Stored("place") var place: Place?
                static func model(_ venue: MagicalRecord.EntityDeclaration<Venue>) {
                    venue.attribute(\\.place, type: .composite)
                }
            }
            """
        let sources = try ClassSources(text)
        let result = sources.run()
        #expect(result.errors.isEmpty, "\(result.errors)")
        let place = try sources.attribute("Venue", "place")
        #expect(place.type == .composite && place.compositeName == "Place" && place.isOptional)
        #expect(place.elements.map(\.name) == ["city", "position"])
        #expect(place.elements.last?.elements.map(\.type) == [.double, .double])
        #expect(try sources.model.composites.map(\.name) == ["Place", "Position"])
        #expect(sources.run("--check").status == 0)
        try sources.write(
            text.replacingOccurrences(of: "var city: String", with: "var city: String; var street: String?"))
        let update = sources.run()
        #expect(update.output.contains("  + Venue: member street of the composite type Place"), "\(update.errors)")
        #expect(try sources.attribute("Venue", "place").elements.map(\.name) == ["city", "position", "street"])
    }

    @Test("two structures of one name cannot both be composite attributes")
    func compositeNames() throws {
        let sources = try ClassSources(
            """
            class Author: NSManagedObject {
                struct Place: Codable { var city: String }
                @Stored("place") var place: Place?
                static func model(_ author: MagicalRecord.EntityDeclaration<Author>) {
                    author.attribute(\\.place, type: .composite)
                }
            }
            class Shop: NSManagedObject {
                struct Place: Codable { var floor: Int }
                @Stored("place") var place: Place?
                static func model(_ shop: MagicalRecord.EntityDeclaration<Shop>) {
                    shop.attribute(\\.place, type: .composite)
                }
            }
            """)
        let result = sources.run()
        #expect(result.status == 3)
        #expect(
            result.errors.contains("App.swift:10: error: two structures named Place with different members"),
            "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: sources.path))
    }

    @Test("methods say the class of a to-many relationship by their selectors, too")
    func selectors() throws {
        let sources = try ClassSources(
            """
            class Day: NSManagedObject {
                @NSManaged var events: NSSet?
                @objc(addEventsObject:) @NSManaged func add(event: Event)
            }
            class Event: NSManagedObject { @NSManaged var day: Day? }
            """)
        #expect(sources.run().errors.isEmpty)
        #expect(try sources.relationship("Day", "events").destinationName == "Event")
    }

    @Test("a number without a default value states nil")
    func noDefault() throws {
        let sources = try ClassSources(
            """
            class Thing: NSManagedObject {
                @NSManaged var count: Int16
                static func model(_ thing: MagicalRecord.EntityDeclaration<Thing>) {
                    thing.attribute(\\.count, isOptional: true, default: nil)
                }
            }
            """)
        #expect(sources.run().errors.isEmpty)
        let count = try sources.attribute("Thing", "count")
        #expect(count.defaultValue == nil && count.isOptional)
    }

    @Test("relationships without an inverse are noted")
    func noInverse() throws {
        let sources = try ClassSources("class Thing: NSManagedObject { @NSManaged var next: Thing? }")
        let result = sources.run()
        #expect(result.status == 0)
        #expect(result.errors.contains("App.swift:3:47: note: Thing.next has no inverse"))
    }

    @Test("of several models in a folder, each has its own classes")
    func severalModels() throws {
        let sources = try ClassSources("class A: NSManagedObject { @NSManaged var x: Int }")
        #expect(sources.run().status == 0)
        try sources.write(
            "class A: NSManagedObject { @NSManaged var x: Int }\nclass B: NSManagedObject { @NSManaged var y: Int }")
        let folder = sources.models.folder.path
        let unnamed = ModelTool.run(["model", "--from", folder, folder + "/Other.xcdatamodeld"])
        #expect(unnamed.status == 0, "\(unnamed.errors)")
        #expect(
            try Model(contentsOf: URL(fileURLWithPath: folder + "/Other.xcdatamodeld")).entities.map(\.name) == ["B"])
        let ambiguous = ModelTool.run(["model", "--from", folder])
        #expect(ambiguous.status == 3 && ambiguous.errors.contains("there are several models beside the sources"))
    }

    @Test("raw values of enumerations are read in every notation")
    func rawValues() throws {
        let sources = try ClassSources(
            """
            enum Limit: Int { case unlimited = 9223372036854775807, low = 1 }
            enum Color: Int { case red = 0xFF_00_00, green }
            enum Half: Double { case half = 0.5 }
            class Thing: NSManagedObject {
                @Stored("limit") var limit: Limit = .low
                @Stored("color") var color: Color = .green
                @Stored("half") var half: Half = .half
            }
            """)
        let result = sources.run()
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(try sources.attribute("Thing", "limit").defaultValue == .integer(1))
        #expect(try sources.attribute("Thing", "color").defaultValue == .integer(0xFF0001))
        #expect(try sources.attribute("Thing", "half").defaultValue == .double(0.5))
        #expect(sources.run("--check").status == 0)
    }
}

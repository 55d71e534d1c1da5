import CoreDataModelBuilding
import Foundation
import ModelCompiler
import ModelFormat
import MagicalRecordTestSupport
import Testing

@Suite("Generated classes")
struct GeneratedCodeTests {
    /// One attribute of every type, optional and required, as object and as scalar, and every kind of relationship.
    private static let sample: Model = {
        var thing = Entity(name: "Thing", className: ".Thing")
        thing.codeGeneration = .classDefinition
        for type in AttributeType.allCases where type != .objectID {
            for isOptional in [false, true] {
                for scalar in type.hasScalarForm ? [false, true] : [false] {
                    let name = "\(type)\(isOptional ? "Optional" : "")\(scalar ? "Scalar" : "")"
                    var attribute = Attribute(name: name, type: type, isOptional: isOptional)
                    attribute.usesScalarValueType = scalar
                    attribute.isTransient = type == .undefined
                    thing.attributes.append(attribute)
                }
            }
        }
        var names = Attribute(name: "names", type: .transformable, isOptional: true)
        names.valueClassName = "[String: [Int]]"
        var upper = Attribute(name: "upper", type: .string, isOptional: true)
        upper.derivation = "canonical:(string)"
        thing.attributes += [
            names, upper, Attribute(name: "default", type: .string), Attribute(name: "in", type: .date),
        ]
        var parts = Relationship(name: "parts", destinationName: "Part", inverseName: "whole", isToMany: true)
        parts.isOptional = true
        var order = Relationship(name: "order", destinationName: "Part", inverseName: "place", isToMany: true)
        order.isOrdered = true
        thing.relationships = [parts, order]
        thing.fetchedProperties = [
            FetchedProperty(name: "others", fetchRequest: FetchTemplate(name: "f", entityName: "Thing"))
        ]
        var part = Entity(name: "Part", className: "Sample.Part", parentName: "Thing")
        part.codeGeneration = .categoryExtension
        part.relationships = [
            Relationship(name: "whole", destinationName: "Thing", inverseName: "parts"),
            Relationship(name: "place", destinationName: "Thing", inverseName: "order"),
            Relationship(name: "plain", destinationName: "Plain"),
        ]
        var leaf = Entity(name: "Leaf", className: "Leaf", parentName: "Part")
        leaf.codeGeneration = .classDefinition
        leaf.isAbstract = true
        return Model(entities: [thing, part, leaf, Entity(name: "Plain")])
    }()

    @Test(
        "compile without a warning", .enabled(if: SwiftCompiler.hasModules, SwiftCompiler.need),
        arguments: [false, true])
    func compile(_ combined: Bool) throws {
        let models = try TemporaryModels()
        let generator = ClassGenerator(model: Self.sample, module: "Sample", name: "Sample")
        var files = [(name: "Part.swift", source: "import CoreData\n\npublic class Part: Thing {}\n")]
        if combined {
            files.append((name: "All.swift", source: generator.combinedSource()))
        } else {
            files += generator.files().map { (name: $0.name, source: $0.source) }
            #expect(
                generator.files().map(\.name) == [
                    "Leaf+CoreDataClass.swift", "Leaf+CoreDataProperties.swift", "Part+CoreDataProperties.swift",
                    "Thing+CoreDataClass.swift", "Thing+CoreDataProperties.swift", "Sample+CoreDataModel.swift",
                ])
        }
        for file in files {
            try file.source.write(toFile: models.path(file.name), atomically: true, encoding: .utf8)
        }
        try SwiftCompiler.check(files.map { models.path($0.name) }, module: "Sample")
    }

    /// The types were counted in files Xcode generated.
    @Test(
        "give attributes the types Xcode gives them",
        arguments: [
            ("integer16", "Foundation.NSNumber?"), ("integer16Scalar", "Swift.Int16"),
            ("integer32OptionalScalar", "Swift.Int32"),
            ("integer64Scalar", "Swift.Int64"), ("doubleScalar", "Swift.Double"), ("floatScalar", "Swift.Float"),
            ("booleanScalar", "Swift.Bool"), ("boolean", "Foundation.NSNumber?"),
            ("decimal", "Foundation.NSDecimalNumber?"),
            ("string", "Swift.String?"), ("date", "Foundation.Date?"), ("dateScalar", "Foundation.TimeInterval"),
            ("binary", "Foundation.Data?"),
            ("uuid", "Foundation.UUID?"), ("uri", "Foundation.URL?"), ("transformable", "Foundation.NSObject?"),
            ("names", "[String: [Int]]?"),
            ("composite", "[Swift.String: Any]?"), ("undefined", "Foundation.NSObject?"),
            ("parts", "Foundation.NSSet?"),
            ("order", "Foundation.NSOrderedSet?"), ("others", "Foundation.NSArray?"), ("`in`", "Foundation.Date?"),
        ])
    func types(_ name: String, _ type: String) {
        let source = ClassGenerator(model: Self.sample, module: "Sample").combinedSource()
        #expect(source.contains("    @NSManaged public var \(name): \(type)\n"))
    }

    @Test("give ordered relationships the ten methods Xcode gives them, others four")
    func methods() {
        let source = ClassGenerator(model: Self.sample, module: "Sample").combinedSource()
        for method in [
            "insertIntoOrder(_ value: Part, at idx: Swift.Int)", "removeFromOrder(at idx: Swift.Int)",
            "insertIntoOrder(_ values: [Part], at indexes: Foundation.NSIndexSet)",
            "removeFromOrder(at indexes: Foundation.NSIndexSet)",
            "replaceOrder(at idx: Swift.Int, with value: Part)",
            "replaceOrder(at indexes: Foundation.NSIndexSet, with values: [Part])", "addToOrder(_ value: Part)",
            "removeFromOrder(_ value: Part)", "addToOrder(_ values: Foundation.NSOrderedSet)",
            "removeFromOrder(_ values: Foundation.NSOrderedSet)", "addToParts(_ value: Part)",
            "addToParts(_ values: Foundation.NSSet)",
        ] {
            #expect(source.contains("@NSManaged public func \(method)\n"), "\(method)")
        }
        #expect(!source.contains("insertIntoParts"))
    }
}

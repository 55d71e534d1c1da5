import Foundation
import ModelCompiler
import ModelFormat
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

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    /// The modules lie beside the test program.
    private static let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    private static let hasModules = FileManager.default.fileExists(
        atPath: products.appendingPathComponent("Modules/CoreData.swiftmodule").path)

    @Test(
        "compile without a warning", .enabled(if: hasModules, "needs the module CoreData beside the test program"),
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
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Sample", "-I",
                Self.products.appendingPathComponent("Modules").path,
            ]
            + ["CSQLite", "CSwiftRuntime/include"].flatMap { folder in
                ["-Xcc", "-fmodule-map-file=\(Self.root.path)/Sources/\(folder)/module.modulemap"]
            }
            + files.map { models.path($0.name) }
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }

    /// The types were counted in files Xcode generated.
    @Test(
        "give attributes the types Xcode gives them",
        arguments: [
            ("integer16", "NSNumber?"), ("integer16Scalar", "Int16"), ("integer32OptionalScalar", "Int32"),
            ("integer64Scalar", "Int64"), ("doubleScalar", "Double"), ("floatScalar", "Float"),
            ("booleanScalar", "Bool"), ("boolean", "NSNumber?"), ("decimal", "NSDecimalNumber?"),
            ("string", "String?"), ("date", "Date?"), ("dateScalar", "TimeInterval"), ("binary", "Data?"),
            ("uuid", "UUID?"), ("uri", "URL?"), ("transformable", "NSObject?"), ("names", "[String: [Int]]?"),
            ("composite", "[String: Any]?"), ("undefined", "NSObject?"), ("parts", "NSSet?"),
            ("order", "NSOrderedSet?"), ("others", "NSArray?"), ("`in`", "Date?"),
        ])
    func types(_ name: String, _ type: String) {
        let source = ClassGenerator(model: Self.sample, module: "Sample").combinedSource()
        #expect(source.contains("    @NSManaged public var \(name): \(type)\n"))
    }

    @Test("give ordered relationships the ten methods Xcode gives them, others four")
    func methods() {
        let source = ClassGenerator(model: Self.sample, module: "Sample").combinedSource()
        for method in [
            "insertIntoOrder(_ value: Part, at idx: Int)", "removeFromOrder(at idx: Int)",
            "insertIntoOrder(_ values: [Part], at indexes: NSIndexSet)", "removeFromOrder(at indexes: NSIndexSet)",
            "replaceOrder(at idx: Int, with value: Part)",
            "replaceOrder(at indexes: NSIndexSet, with values: [Part])", "addToOrder(_ value: Part)",
            "removeFromOrder(_ value: Part)", "addToOrder(_ values: NSOrderedSet)",
            "removeFromOrder(_ values: NSOrderedSet)", "addToParts(_ value: Part)", "addToParts(_ values: NSSet)",
        ] {
            #expect(source.contains("@NSManaged public func \(method)\n"), "\(method)")
        }
        #expect(!source.contains("insertIntoParts"))
    }
}

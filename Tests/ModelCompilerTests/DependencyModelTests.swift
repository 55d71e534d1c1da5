import Foundation
import ModelCompiler
import Testing

@Suite("Models in dependencies")
struct DependencyModelTests {
    @Test("declare the types of managed properties")
    func types() throws {
        let models = try TemporaryModels()
        try models.model(
            "Base/Things", "<entity name='Thing' representedClassName='.Thing' codeGenerationType='class'/>")
        let source = models.path("Owner.swift")
        try """
        import Base
        import CoreData
        class Owner: NSManagedObject {
            @NSManaged var thing: Thing?
        }
        """.write(toFile: source, atomically: true, encoding: .utf8)
        let output = models.path("Accessors.swift")
        let result = models.run(
            "generate", "accessors", "-o", output, "--module", "App", "--dependency", "Base=\(models.path("Base"))",
            source)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try String(contentsOfFile: output, encoding: .utf8).contains("\"$s3App5OwnerC5thing4Base5ThingCSgvg\""))
        // Without the dependency the type is unknown: an error at its line.
        let alone = models.run("generate", "accessors", "-o", output, "--module", "App", source)
        #expect(alone.status == 3)
        #expect(alone.errors.hasPrefix("\(source):4: error: "))
    }

    @Test("of several source folders are all found")
    func severalModels() throws {
        let models = try TemporaryModels()
        for name in ["First", "Second"] {
            try models.model(
                name, "<entity name='\(name)' representedClassName='.\(name)' codeGenerationType='class'/>")
        }
        let output = models.path("Accessors.swift")
        let source = models.path("Main.swift")
        try "import CoreData\nextension First { @NSManaged var other: Second? }\n".write(
            toFile: source, atomically: true, encoding: .utf8)
        let result = models.run(
            "generate", "accessors", "-o", output, "--module", "App", "--model", models.path("First.xcdatamodel"),
            "--model", models.path("Second.xcdatamodel"), source)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try String(contentsOfFile: output, encoding: .utf8).contains("$s3App5FirstC5otherAA6SecondCSgvg"))
    }
}

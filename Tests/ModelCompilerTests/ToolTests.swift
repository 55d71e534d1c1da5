import Foundation
import ModelCompiler
import ModelFormat
import ModelPredicates
import Testing

@Suite("Predicates of models")
struct FormatTextParserTests {
    @Test(
        "survive archiving",
        arguments: [
            "name == \"x\"", "SELF >= 1", "title BEGINSWITH[c] $PREFIX AND author.age > 3",
            "a == $FETCH_SOURCE.b OR NOT flag == 0", "ANY items.price < 1.5", "name IN {\"a\", \"b\"}",
            "count:(items) > 2", "date < nil",
        ])
    func predicates(_ text: String) throws {
        var model = Model(entities: [Entity(name: "E")])
        model.fetchTemplates = [FetchTemplate(name: "t", entityName: "E", predicate: text)]
        let read = try Model(archive: try model.archive(parser: FormatTextParser()))
        #expect(read.fetchTemplates[0].predicate == text)
    }

    @Test("that are none stop the compiler")
    func nonsense() {
        var model = Model(entities: [Entity(name: "E")])
        model.fetchTemplates = [FetchTemplate(name: "t", entityName: "E", predicate: "a ==")]
        #expect(throws: ModelFormatError.self) { try model.archive(parser: FormatTextParser()) }
    }
}

@Suite("modelc")
struct ToolTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func model(_ body: String, in folder: URL) throws -> String {
        let version = folder.appendingPathComponent("Model.xcdatamodeld/Model.xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try "<model>\n\(body)\n</model>".write(
            to: version.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        return version.deletingLastPathComponent().path
    }

    private static let things = """
        <entity name="Thing" representedClassName=".Thing" codeGenerationType="class">
        <attribute name="count" attributeType="Integer 32" usesScalarValueType="YES"/>
        <relationship name="parts" toMany="YES" optional="YES" destinationEntity="Thing" inverseName="whole"/>
        <relationship name="whole" optional="YES" maxCount="1" destinationEntity="Thing" inverseName="parts"/>
        </entity>
        """

    @Test("compiles, names the module, and prints hashes alike from source and result")
    func compile() throws {
        try withFolder { folder in
            let source = try model(Self.things, in: folder)
            let output = folder.appendingPathComponent("Out.momd").path
            #expect(ModelTool.run(["compile", source, "-o", output, "--module", "App"]).status == 0)
            #expect(try Model(contentsOf: URL(fileURLWithPath: output)).entities[0].className == "App.Thing")
            let hashes = ModelTool.run(["hashes", source])
            #expect(hashes.output.hasPrefix("Thing\t"))
            #expect(ModelTool.run(["hashes", output]) == hashes)
        }
    }

    @Test("reports problems at their lines")
    func problems() throws {
        try withFolder { folder in
            let source = try model("<entity name=\"A\" parentEntity=\"B\"/>", in: folder)
            let result = ModelTool.run(["compile", source, "-o", folder.path + "/Out.momd"])
            #expect(result.status == 3)
            #expect(result.errors.contains("/contents:2: error: the parent entity B does not exist (entity A)"))
        }
    }

    @Test("finds versions by their number, and says what else is at a path")
    func inputs() throws {
        try withFolder { folder in
            let source = try model(Self.things, in: folder)
            let second = source + "/Model 2.xcdatamodel"
            try FileManager.default.copyItem(atPath: source + "/Model.xcdatamodel", toPath: second)
            #expect(ModelTool.run(["hashes", source, "--version", "2"]).status == 0)
            #expect(ModelTool.run(["generate", "classes", source, "--version", "2", "-o", folder.path]).status == 0)
            #expect(
                ModelTool.run(["hashes", source, "--version", "3"]).errors.contains("The versions are Model, Model 2"))
            #expect(ModelTool.run(["show", folder.path]).errors.contains("Name one of them: Model.xcdatamodeld"))
            #expect(ModelTool.run(["diff", source]).errors.contains("--from VERSION"))
            let mapping = ModelTool.run(["hashes", folder.path + "/Move.xcmappingmodel"])
            #expect(mapping.status == 3 && mapping.errors.contains("a mapping model"))
        }
    }

    @Test("tells in JSON what was written and what is wrong")
    func json() throws {
        func json(_ words: String...) throws -> (status: Int32, written: [String], problems: [[String: Any]]) {
            let result = ModelTool.run(words + ["--json"])
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            return (
                result.status, try #require(object?["written"] as? [String]),
                try #require(object?["problems"] as? [[String: Any]])
            )
        }
        try withFolder { folder in
            let source = try model(Self.things, in: folder)
            let compiled = folder.path + "/Out.momd"
            #expect(try json("compile", source, "-o", compiled).written == [compiled])
            let back = try json("decompile", compiled, "-o", folder.path + "/Back.xcdatamodeld")
            #expect(back.written == [folder.path + "/Back.xcdatamodeld"] && back.problems.isEmpty)
            let classes = try json("generate", "classes", source, "-o", folder.path)
            #expect(
                classes.written.map { $0.split(separator: "/").last } == [
                    "Thing+CoreDataClass.swift", "Thing+CoreDataProperties.swift", "Model+CoreDataModel.swift",
                ])
            #expect(classes.written.allSatisfy { FileManager.default.fileExists(atPath: $0) })
            let file = folder.appendingPathComponent("A.swift")
            try "class A: NSManagedObject {\n    @NSManaged var unknown: Mystery?\n}"
                .write(to: file, atomically: true, encoding: .utf8)
            let accessors = try json(
                "generate", "accessors", "--module", "M", "-o", folder.path + "/Out.swift", file.path)
            #expect(accessors.status == 3 && accessors.written.isEmpty)
            #expect(accessors.problems.first?["line"] as? Int == 2)
            #expect(accessors.problems.first?["severity"] as? String == "error")

            let broken = try json(
                "compile", try model("<entity name=\"A\" parentEntity=\"B\"/>", in: folder), "-o", compiled)
            #expect(broken.status == 3 && broken.written.isEmpty)
            #expect(broken.problems.first?["entity"] as? String == "A")
            #expect(broken.problems.first?["line"] as? Int == 2)
            let missing = try json("decompile", folder.path + "/none.momd")
            #expect(missing.status == 3 && missing.problems.count == 1)
        }
    }

    @Test("writes classes with documentation and relationship methods")
    func classes() throws {
        try withFolder { folder in
            let source = try model(Self.things, in: folder)
            #expect(ModelTool.run(["generate", "classes", source, "-o", folder.path]).status == 0)
            let properties = try String(
                contentsOfFile: folder.path + "/Thing+CoreDataProperties.swift", encoding: .utf8)
            #expect(properties.contains("    @NSManaged public var count: Swift.Int32\n"))
            #expect(properties.contains("    /// Relationship: to many Thing, optional, inverse `whole`.\n"))
            #expect(properties.contains("    @NSManaged public func addToParts(_ values: Foundation.NSSet)\n"))
            let file = try String(contentsOfFile: folder.path + "/Thing+CoreDataClass.swift", encoding: .utf8)
            #expect(file.contains("public class Thing: CoreData.NSManagedObject {"))
        }
    }

    @Test("refuses managed members it cannot serve, at their lines, and writes nothing")
    func refusedMembers() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("A.swift")
            try """
            class A: NSManagedObject {
                @NSManaged var unknown: Mystery?
                @NSManaged var callback: () -> Void
                @NSManaged func shuffle(_ a: A)
                #if canImport(UIKit)
                @NSManaged var color: UIColor?
                #endif
            }
            """.write(to: file, atomically: true, encoding: .utf8)
            let output = folder.path + "/Out.swift"
            let result = ModelTool.run(["generate", "accessors", "--module", "M", "-o", output, file.path])
            #expect(result.status == 3)
            for line in 2...4 { #expect(result.errors.contains("A.swift:\(line): error: ")) }
            #expect(!result.errors.contains("A.swift:6"))
            #expect(!FileManager.default.fileExists(atPath: output))
        }
    }

    @Test("explains itself and wrong command lines")
    func usage() {
        #expect(ModelTool.run([]).output.contains("compile"))
        #expect(ModelTool.run(["compile", "--help"]).output.contains("usage: modelc compile"))
        #expect(ModelTool.run(["compile"]).status == 2)
        #expect(ModelTool.run(["hashes", "x", "--wrong"]).status == 2)
        #expect(ModelTool.run(["hashes", "/nowhere"]).status == 3)
        #expect(ModelTool.run(["dance"]).status == 2)
    }

    @Test("The folder of sources may be a symbolic link")
    func linkedSources() throws {
        try withFolder { folder in
            let (real, link) = (folder.path + "/Real", folder.path + "/Link")
            try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: true)
            try "import CoreData\nclass A: NSManagedObject {\n    @NSManaged var name: String?\n}"
                .write(toFile: real + "/A.swift", atomically: true, encoding: .utf8)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
            let texts = try [real, link].map { sources in
                let output = folder.path + "/Out.swift"
                let result = ModelTool.run(["generate", "accessors", "--module", "M", "-o", output, sources])
                #expect(result.status == 0, "\(result.errors)")
                return try String(contentsOfFile: output, encoding: .utf8)
            }
            #expect(texts[0] == texts[1] && texts[0].contains("name"))
        }
    }
}

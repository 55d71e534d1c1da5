import Foundation
import ModelCompiler
import ModelFormat
import ModelPredicates
import Testing

@Suite("modelc new")
struct NewModelTests {
    private let models: TemporaryModels
    private let path: String

    init() throws {
        models = try TemporaryModels()
        path = models.path("Model.xcdatamodeld")
    }

    private var contents: URL { URL(fileURLWithPath: path + "/Model.xcdatamodel/contents") }

    @Test("writes a model that compiles, without a finding of lint")
    func template() throws {
        #expect(models.run("new", path).status == 0)
        let compiled = models.run("compile", path, "-o", models.path("Model.momd"))
        #expect(compiled.status == 0 && compiled.errors.isEmpty, "\(compiled.errors)")
        let lint = models.run("lint", path, "--strict")
        #expect(lint.status == 0 && lint.output.isEmpty, "\(lint.output)")
        let read = try Model(contentsOf: URL(fileURLWithPath: models.path("Model.momd")))
        #expect(try read.versionHashes() == Model(contentsOf: URL(fileURLWithPath: path)).versionHashes())
    }

    @Test("has every kind of entity and property")
    func everything() throws {
        #expect(models.run("new", path).status == 0)
        let model = try Model(contentsOf: URL(fileURLWithPath: path))
        let attributes = model.entities.flatMap(\.attributes)
        let relationships = model.entities.flatMap(\.relationships)
        // The types that a stored attribute of an XML model can have.
        let stored = Set(AttributeType.allCases).subtracting([.undefined, .objectID])
        #expect(Set(attributes.map(\.type)) == stored)
        #expect(model.entities.contains { $0.isAbstract } && model.entities.contains { $0.parentName != nil })
        #expect(model.entities.contains { $0.renamingIdentifier != nil })
        #expect(attributes.contains { $0.isDerived } && attributes.contains { $0.isTransient })
        #expect(attributes.contains { $0.allowsExternalBinaryDataStorage })
        #expect(attributes.contains { $0.renamingIdentifier != nil } && attributes.contains { !$0.userInfo.isEmpty })
        #expect(relationships.contains { $0.isOrdered } && relationships.contains { !$0.isToMany })
        #expect(Set(relationships.map(\.deleteRule)) == [.cascade, .nullify, .deny])
        #expect(relationships.allSatisfy { $0.inverseName != nil })
        #expect(model.entities.contains { !$0.fetchedProperties.isEmpty })
        #expect(model.entities.contains { !$0.fetchIndexes.isEmpty && !$0.uniquenessConstraints.isEmpty })
        #expect(!model.fetchTemplates.isEmpty && !model.configurations.isEmpty && !model.composites.isEmpty)
    }

    /// The writer's format is compared with Xcode's on real models in ModelFormatTests.
    @Test("is formatted as by Xcode, but for comments", arguments: [[], ["--empty"]])
    func format(options: [String]) throws {
        #expect(ModelTool.run(["new", path] + options).status == 0)
        let text = try String(contentsOf: contents, encoding: .utf8)
        let plain = text.replacing(/\s*<!--(?:.|\n)*?-->/, with: "").replacing(/\n\n+/, with: "\n")
        #expect(plain == String(decoding: try Model(contentsOf: contents).xml(), as: UTF8.self))
        #expect(text.contains("<!--") == options.isEmpty)
    }

    @Test("names the version, and makes it the current one")
    func version() throws {
        #expect(models.run("new", path, "--empty", "--version", "Model 1").status == 0)
        let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: path))
        #expect(bundle.currentVersionName == "Model 1" && bundle.versions.map(\.name) == ["Model 1"])
        #expect(bundle.currentVersion?.model.entities.isEmpty == true)
    }

    @Test("overwrites nothing", arguments: ["folder", "file", "dangling link"])
    func existing(kind: String) throws {
        switch kind {
        case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        case "file": try "text".write(toFile: path, atomically: true, encoding: .utf8)
        default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere")
        }
        let result = models.run("new", path)
        #expect(result.status == 3 && result.errors.contains("there is something at this path already"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: models.folder.path) == ["Model.xcdatamodeld"])
        #expect(!FileManager.default.fileExists(atPath: contents.path))
    }

    @Test("refuses names that are no models or versions")
    func names() {
        #expect(models.run("new", models.path("Model.momd")).status == 2)
        #expect(models.run("new").status == 2)
        for name in ["", ".hidden", "a/b"] { #expect(models.run("new", path, "--version", name).status == 3) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

/// The XML of the article "Models without Xcode" is what `modelc new` writes.
@Suite("The article on models without Xcode")
struct ModelArticleTests {
    private static let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/MagicalRecord/MagicalRecord.docc/ModelsWithoutXcode.md")

    private static func blocks(_ language: String) throws -> [String] {
        let text = try String(contentsOf: article, encoding: .utf8)
        return text.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
    }

    @Test("shows a document that compiles, and that modelc new writes")
    func document() throws {
        let xml = try #require(try Self.blocks("xml").first { $0.hasPrefix("<?xml") })
        let model = try ModelDocument(xml: Data(xml.utf8)).model
        #expect(model.problems().isEmpty && model.warnings().isEmpty)
        #expect(try !model.archive(parser: FormatTextParser()).isEmpty)
        let models = try TemporaryModels()
        #expect(models.run("new", models.path("Model.xcdatamodeld")).status == 0)
        let written = models.path("Model.xcdatamodeld/Model.xcdatamodel/contents")
        #expect(try xml == String(contentsOfFile: written, encoding: .utf8))
    }

    @Test("shows commands that work in their order")
    func commands() throws {
        let models = try TemporaryModels()
        var count = 0
        for block in try Self.blocks("sh") {
            let lines = block.replacingOccurrences(of: "\\\n", with: " ").components(separatedBy: "\n")
            for line in lines where line.hasPrefix("modelc ") {
                var words = Array(Self.words(line.components(separatedBy: "  #")[0]).dropFirst())
                for index in words.indices
                where words[index].hasSuffix(".xcdatamodeld") || index > 0 && words[index - 1] == "-o" {
                    words[index] = models.path(words[index])
                }
                let result = ModelTool.run(words)
                #expect(result.status == 0, "\(line): \(result.errors)")
                count += 1
            }
        }
        #expect(count > 8)
    }

    /// Splits a line as a shell does, with double quotes only.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.components(separatedBy: "\"").enumerated() {
            if index % 2 == 1 { words.append(part) } else { words += part.split(separator: " ").map(String.init) }
        }
        return words
    }
}

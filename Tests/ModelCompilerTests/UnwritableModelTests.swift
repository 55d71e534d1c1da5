import Foundation
import ModelCompiler
import ModelFormat
import Testing

@Suite("Models that cannot be written")
struct UnwritableModelTests {
    private let sources: ClassSources

    init() throws { sources = try ClassSources(shelfClasses) }

    private func entries(_ path: String) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
    }

    /// Linux and Apple's systems allow 255 bytes in a file's name; the temporary copy adds 38 to these.
    @Test("are errors with the path and the reason, and leave nothing behind")
    func places() throws {
        #expect(sources.run().status == 0)
        let name = String(repeating: "x", count: 240)
        let added = sources.models.run("version", "add", sources.path, name)
        #expect(added.status == 3)
        #expect(
            added.errors.hasPrefix(
                "\(sources.path)/\(name).xcdatamodel: error: this cannot be written: File name too long. "),
            "\(added.errors)")
        #expect(entries(sources.path) == [".xccurrentversion", "Model.xcdatamodel"])
        let created = sources.models.run("new", sources.file + "/New.xcdatamodeld")
        #expect(
            created.errors.hasPrefix(
                "\(sources.file)/New.xcdatamodeld: error: this cannot be written: Not a directory. "),
            "\(created.errors)")
    }

    @Test("for lack of permission, too", .enabled(if: geteuid() != 0, "root may write everywhere"))
    func permissions() throws {
        #expect(sources.run().status == 0)
        let folders = [sources.path, sources.path + "/Model.xcdatamodel"]
        func permit(_ mode: Int) throws {
            for path in folders {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
        }
        try permit(0o555)
        defer { try? permit(0o755) }
        let text = try sources.contents()
        for (words, file) in [
            (["version", "add", sources.path, "B"], "B.xcdatamodel"),
            (["version", "current", sources.path, "Model"], ".xccurrentversion"),
            (["add", "entity", sources.path, "Label"], "Model.xcdatamodel/contents"),
        ] {
            let result = ModelTool.run(words)
            #expect(result.status == 3)
            #expect(
                result.errors.hasPrefix("\(sources.path)/\(file): error: this cannot be written: Permission denied. "),
                "\(result.errors)")
        }
        #expect(try sources.contents() == text)
    }

    /// Core Data refuses models with a property `release`.
    @Test("since lint finds a new error: at its line in the sources")
    func lint() throws {
        let wrong = shelfClasses.replacingOccurrences(
            of: "    @NSManaged var pages: Int32\n",
            with: "    @NSManaged var pages: Int32\n    @NSManaged var release: String?\n")
        let error =
            "\(sources.file):10: error: every managed object already has \"release\" [reserved-name] "
            + "(entity Book, property release)"
        try sources.write(wrong)
        let created = sources.run()
        #expect(created.status == 3 && created.errors.contains(error), "\(created.errors)")
        #expect(created.errors.hasSuffix("nothing was written\n"))
        #expect(!FileManager.default.fileExists(atPath: sources.path))
        try sources.write(shelfClasses)
        #expect(sources.run().status == 0)
        let text = try sources.contents()
        try sources.write(wrong)
        for flags in [[], ["--new-version"]] {
            let result = ModelTool.run(["model", "--from", sources.file, sources.path, "--module", "App"] + flags)
            #expect(result.status == 3 && result.errors.contains(error), "\(result.errors)")
            #expect(try sources.contents() == text)
            #expect(entries(sources.path) == [".xccurrentversion", "Model.xcdatamodel"])
        }
        // An error that the model has already prevents no other change.
        let file = sources.path + "/Model.xcdatamodel/contents"
        try text.replacingOccurrences(
            of: "<attribute name=\"title\"",
            with: "<attribute name=\"release\" optional=\"YES\" attributeType=\"String\"/>\n"
                + "        <attribute name=\"title\""
        ).write(toFile: file, atomically: true, encoding: .utf8)
        try sources.write(wrong + "\nclass Label: NSManagedObject { @NSManaged var text: String? }")
        let unrelated = sources.run()
        #expect(unrelated.status == 0, "\(unrelated.errors)")
    }

    @Test("Classes of another model beside a source file are left out, as beside a folder of sources")
    func otherModels() throws {
        try sources.write(
            """
            class Author: NSManagedObject { @NSManaged var name: String? }
            class Book: NSManagedObject { @NSManaged var title: String? }
            """)
        let other = sources.models.path("Library.xcdatamodeld")
        #expect(sources.models.run("new", other, "--empty").status == 0)
        #expect(sources.models.run("add", "entity", other, "Author").status == 0)
        let result = sources.run()
        #expect(result.status == 0, "\(result.errors)")
        #expect(try sources.model.entities.map(\.name) == ["Book"])
    }
}

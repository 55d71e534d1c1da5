import Foundation
import ModelCompiler
import ModelFormat
import Testing

/// Several models may share a version, or keep it elsewhere, by symbolic links.
@Suite("A new version of a model behind symbolic links")
struct LinkedVersionTests {
    private let sources: ClassSources

    init() throws { sources = try ClassSources(shelfClasses) }

    /// Moves the version, or its file `contents`, out of the model, with a relative link in its place.
    private func link(_ part: String) throws -> (file: String, text: String) {
        #expect(sources.run().status == 0)
        let manager = FileManager.default
        let inside = sources.path + "/" + part
        try manager.createDirectory(atPath: sources.models.path("Shared"), withIntermediateDirectories: true)
        let outside = sources.models.path("Shared/" + (part as NSString).lastPathComponent)
        try manager.moveItem(atPath: inside, toPath: outside)
        let up = String(repeating: "../", count: part.components(separatedBy: "/").count)
        try manager.createSymbolicLink(
            atPath: inside, withDestinationPath: up + "Shared/" + (part as NSString).lastPathComponent)
        let file = part.hasSuffix("contents") ? outside : outside + "/contents"
        return (file, try String(contentsOfFile: file, encoding: .utf8))
    }

    private func isLink(_ part: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: sources.path + "/" + part)) != nil
    }

    @Test("leaves the old one as it is", arguments: ["Model.xcdatamodel", "Model.xcdatamodel/contents"])
    func newVersion(part: String) throws {
        let old = try link(part)
        try sources.write(shelfClasses.replacingOccurrences(of: "pages: Int32", with: "pages: Int64"))
        let result = sources.run("--new-version")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try String(contentsOfFile: old.file, encoding: .utf8) == old.text)
        #expect(try sources.attribute("Book", "pages").type == .integer64)
        #expect(isLink(part))
        #expect(!isLink("Model 2.xcdatamodel") && !isLink("Model 2.xcdatamodel/contents"))
    }

    @Test(
        "by modelc version add takes changes alone",
        arguments: ["Model.xcdatamodel", "Model.xcdatamodel/contents"])
    func added(part: String) throws {
        let old = try link(part)
        #expect(sources.models.run("version", "add", sources.path, "Model 2").status == 0)
        #expect(try sources.contents("Model 2") == old.text)
        #expect(sources.models.run("add", "entity", sources.path, "Label").status == 0)
        #expect(try String(contentsOfFile: old.file, encoding: .utf8) == old.text)
        #expect(try sources.model.entity(named: "Label") != nil)
    }
}

import Foundation
import ModelCompiler
import ModelFormat
import Testing

@Suite("modelc version")
struct VersionCommandTests {
    private let models: TemporaryModels
    private let path: String

    init() throws {
        models = try TemporaryModels()
        path = models.path("Model.xcdatamodeld")
        #expect(models.run("new", path).status == 0)
    }

    private func current() throws -> String {
        try ModelBundle(contentsOf: URL(fileURLWithPath: path)).currentVersionName
    }

    @Test("add copies the current version with its comments, and makes the copy current")
    func add() throws {
        let result = models.run("version", "add", path, "Model 2")
        #expect(result.output.hasPrefix("Model 2 is a copy of Model, and the current version"))
        #expect(try current() == "Model 2")
        let texts = try ["Model", "Model 2"].map {
            try String(contentsOfFile: "\(path)/\($0).xcdatamodel/contents", encoding: .utf8)
        }
        #expect(texts[0] == texts[1] && texts[0].contains("<!--"))
        #expect(models.run("add", "entity", path, "New").status == 0)
        #expect(models.run("version", "add", path, "Model 3", "--from", "Model").status == 0)
        let bundle = try ModelBundle(contentsOf: URL(fileURLWithPath: path))
        #expect(bundle.versions.map { $0.model.entity(named: "New") != nil } == [false, true, false])
    }

    /// The text is that of Xcode 15.
    @Test("writes .xccurrentversion as Xcode does")
    func note() throws {
        #expect(models.run("version", "add", path, "Model 2").status == 0)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>_XCCurrentVersionName</key>
            \t<string>Model 2.xcdatamodel</string>
            </dict>
            </plist>

            """
        #expect(try String(contentsOfFile: path + "/.xccurrentversion", encoding: .utf8) == text)
    }

    @Test("current chooses a version, list marks it")
    func choose() throws {
        for name in ["Model 10", "Model 2"] { #expect(models.run("version", "add", path, name).status == 0) }
        #expect(models.run("version", "list", path).output == "  Model\n* Model 2\n  Model 10\n")
        #expect(models.run("version", "current", path, "10").output == "Model 10 is the current version\n")
        #expect(try current() == "Model 10")
        let json =
            try JSONSerialization.jsonObject(
                with: Data(models.run("version", "list", path, "--json").output.utf8)) as? [String: Any]
        #expect(json?["versions"] as? [String] == ["Model", "Model 2", "Model 10"])
        #expect(json?["current"] as? String == "Model 10")
    }

    @Test("refuses names that are taken, unknown or invalid, and changes nothing")
    func refused() throws {
        #expect(models.run("version", "add", path, "Model").errors.contains("there is a version Model already"))
        #expect(models.run("version", "add", path, "../x").errors.contains("is no name for a version"))
        #expect(models.run("version", "add", path, "B", "--from", "A").errors.contains("The versions are Model"))
        #expect(models.run("version", "current", path, "B").errors.contains("there is no version B"))
        #expect(
            models.run("version", "list", models.path("None.xcdatamodeld")).errors.contains("modelc new creates one"))
        let lone = models.run("version", "add", path + "/Model.xcdatamodel", "B")
        #expect(lone.status == 3 && lone.errors.contains("this is no .xcdatamodeld"))
        #expect(models.run("version").status == 2)
        #expect(models.run("version", "list", path, "--from", "A").status == 2)
        #expect(try current() == "Model")
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(Set(names) == [".xccurrentversion", "Model.xcdatamodel"])
    }
}

import Foundation
import ModelCompiler
import Testing

/// Accessors of enumerations name the case that unknown stored values read as.
@Suite("Accessors of enumerations name the first case")
struct FirstCaseTests {
    private func bodies(_ enumeration: String, type: String = "Mood") throws -> String {
        let models = try TemporaryModels()
        let file = models.path("Person.swift")
        try "import CoreData\n\(enumeration)\nclass Person: NSManagedObject { @NSManaged var mood: \(type) }".write(
            toFile: file, atomically: true, encoding: .utf8)
        let output = models.path("Out.swift")
        let result = models.run("generate", "accessors", "--module", "M", "-o", output, file)
        #expect(result.status == 0, "\(result.errors)")
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    @Test(
        "as it is declared",
        arguments: [
            ("enum Mood: Int16 { case good, bad }", ".good)"),
            ("enum Mood: String {\n    static let x = 1\n    case good = \"g\"\n    case bad\n}", ".good)"),
            ("enum Mood: Int {\n    case `default`\n    case other\n}", ".`default`)"),
            ("enum Mood: Int {\n    @available(*, deprecated) case good\n    case bad }", ".good)"),
            ("enum Mood: Int { enum Inner { case x }\n case good }", ".good)"),
        ])
    func names(_ enumeration: String, _ name: String) throws {
        #expect(try bodies(enumeration).contains(", or: \(name)"))
    }

    /// Generated code must compile whichever conditions are true.
    @Test("outside of #if, and none where the property may be nil")
    func conditions() throws {
        #expect(try bodies("enum Mood: Int {\n#if FLAG\n    case good\n#endif\n    case bad\n}").contains("or: .bad)"))
        #expect(!(try bodies("enum Mood: Int { case good }", type: "Mood?").contains(", or: ")))
        #expect(!(try bodies("enum Mood: Int { case good }", type: "Mood!").contains(", or: ")))
    }
}

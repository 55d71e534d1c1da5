import Foundation
import ModelCompiler
import Testing

@Suite("Commands that would write nothing")
struct NothingWrittenTests {
    private func generate(_ body: String, _ words: String...) throws -> (ModelTool.Result, files: [String]) {
        let models = try TemporaryModels()
        let path = try models.model("M", body)
        let output = models.path("Classes")
        let result = ModelTool.run(["generate", "classes", path, "-o", output] + words)
        return (result, (try? FileManager.default.contentsOfDirectory(atPath: output)) ?? [])
    }

    private func entity(_ className: String, _ choice: String = "class") -> String {
        "<entity name='Thing' representedClassName='\(className)' codeGenerationType='\(choice)'/>"
    }

    @Test("fail, with the reason and what to do")
    func reasons() throws {
        let elsewhere = try generate(entity("Other.Thing"), "--module", "App")
        #expect(elsewhere.0.status == 3 && elsewhere.files == [])
        #expect(
            elsewhere.0.errors.contains(
                "error: no class was written: the model places its classes in the module Other, not in App. "
                    + "Pass --module with that name"))
        let manual = try generate(entity("Thing", "manual"), "--module", "App")
        #expect(manual.0.status == 3)
        #expect(manual.0.errors.contains("the code generation of every entity is Manual/None. Choose"))
        let plain = try generate("<entity name='Thing'/>", "--all")
        #expect(plain.0.status == 3 && plain.0.errors.contains("no entity names a class. Give"))
        let empty = try generate("")
        #expect(empty.0.status == 3 && empty.0.errors.contains("the model has no entities. Add"))
    }

    @Test("do not fail where something is written, or nothing is allowed")
    func successes() throws {
        #expect(try generate(entity("Other.Thing"), "--module", "Other").0.status == 0)
        #expect(try generate(entity("Other.Thing")).0.status == 0)
        #expect(try generate(entity(".Thing"), "--module", "App").0.status == 0)
        #expect(try generate(entity("Thing", "manual"), "--all").files.count == 3)
        let allowed = try generate(entity("Thing", "manual"), "--allow-empty")
        #expect(allowed.0.status == 0 && allowed.0.errors == "" && allowed.files == [])
    }

    @Test("tell which classes belong to another module, at their lines")
    func otherModule() throws {
        let result = try generate(
            entity(".One") + "\n" + entity("Other.Two").replacing("Thing'", with: "Two'"), "--module", "App")
        #expect(result.0.status == 0)
        #expect(
            result.0.errors.contains(
                "/contents:3: warning: the class Other.Two belongs to another module than App and is not generated"))
        #expect(result.files.contains("One+CoreDataClass.swift") && !result.files.contains("Two+CoreDataClass.swift"))
    }

    @Test("write no single file either, unless that is allowed")
    func combined() throws {
        let models = try TemporaryModels()
        let path = try models.model("M", entity("Thing", "none"))
        let file = models.path("All.swift")
        #expect(models.run("generate", "classes", path, "--combined", file).status == 3)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(models.run("generate", "classes", path, "--combined", file, "--allow-empty").status == 0)
        #expect(FileManager.default.fileExists(atPath: file))
    }

    @Test("include accessors of sources without managed members, and hashes of nothing")
    func siblings() throws {
        let models = try TemporaryModels()
        let source = models.path("A.swift")
        try "struct A {}".write(toFile: source, atomically: true, encoding: .utf8)
        let file = models.path("Out.swift")
        let result = models.run("generate", "accessors", "--module", "M", "-o", file, source)
        #expect(result.status == 3 && result.errors.contains("no @NSManaged member in the 1 files read"))
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(models.run("generate", "accessors", "--module", "M", "-o", file, "--allow-empty", source).status == 0)
        let empty = models.run("hashes", try models.model("Empty", ""))
        #expect(empty.status == 3 && empty.errors.contains("the model holds no entities"))
        let configured = try models.model("C", "<entity name='A'/><configuration name='None'/>")
        #expect(models.run("hashes", configured, "--configuration", "None").status == 3)
    }
}

import MagicalRecord
import Testing

/// The model of a set-up that names none: that of the main bundle, or of a resource bundle as SwiftPM lays it out beside an
/// executable.
struct ProgramModelTests {
    /// A folder that stands for that of a program called App.
    private struct Program {
        let folder: TemporaryDirectory

        init(_ models: [String]) throws {
            folder = try TemporaryDirectory()
            for path in models {
                let file = folder.file(path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                #if canImport(Darwin)
                try Data().write(to: file)
                #else
                // An entity with the name of the file.
                let name = file.deletingPathExtension().lastPathComponent
                _ = try Build.model(Build.entity(name, class: NSManagedObject.self)).write(to: file)
                #endif
            }
        }

        func models() throws -> ProgramModels {
            ProgramModels(main: try #require(Bundle(path: folder.url.path)), program: "App")
        }
    }

    @Test func severalBundlesWithModelsAreAnError() throws {
        let program = try Program(["App_Books.resources/Books.mom", "Other_Users.resources/Users.mom"])
        // The folder lives as long as the program.
        let error = try withExtendedLifetime(program) {
            let models = try program.models()
            return #expect(throws: MagicalRecordError.self) { try models.model() }
        }
        #expect(error?.code == .modelNotFound)
        let message = error?.message ?? "", advice = error?.advice ?? ""
        #expect(message.contains("App_Books.resources/Books.mom, Other_Users.resources/Users.mom"), "\(message)")
        #expect(advice.contains(#"setUp(model: .named("Books", in: .module))"#), "\(advice)")
    }

    @Test func withoutAModelTheErrorNamesThePlaces() throws {
        let program = try Program([])
        try FileManager.default.createDirectory(
            at: program.folder.file("App_App.resources"), withIntermediateDirectories: true)
        let models = try program.models()
        #expect(try models.model() == nil)
        let error = models.notFound
        #expect(error.code == .modelNotFound)
        #expect(error.message.contains(program.folder.url.lastPathComponent), "\(error)")
        #expect(error.message.contains("App_App.resources"), "\(error)")
        #expect(error.advice?.contains("CoreDataModelPlugin") == true, "\(error)")
        #expect(error.advice?.contains(#"setUp(model: .named("Model", in: .module))"#) == true, "\(error)")
    }

    // Writing a model to a file is an addition of this package's Core Data.
    #if !canImport(Darwin)
    @Test(arguments: [
        // The main bundle's models are merged, as Apple's Core Data merges them, and no others are looked for.
        (["Books.mom", "Users.mom", "App_App.resources/Notes.mom"], ["Books", "Users"]),
        // SwiftPM's folder of the executable's target precedes those of others.
        (["App_App.resources/Notes.mom", "Other_Users.resources/Users.mom"], ["Notes"]),
        (["App_App.resources/Notes.mom", "App_App.resources/Users.mom"], ["Notes", "Users"]),
        (["Library_Model.resources/Users.mom"], ["Users"]),
        (["Library_Model.bundle/Users.mom"], ["Users"]),
    ])
    func theModelIsFound(_ files: [String], _ entities: [String]) throws {
        let program = try Program(files)
        let model = try withExtendedLifetime(program) { try program.models().model() }
        #expect(model?.entitiesByName.keys.sorted() == entities)
    }
    #endif
}

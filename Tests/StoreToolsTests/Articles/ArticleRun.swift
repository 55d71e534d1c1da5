#if PostgreSQL
import CoreData
import CoreDataTestSupport
import Foundation
import ModelCompiler
import Testing

/// Runs the commands of an article, from its first line to its last, with an own database and an own folder. The folder has the
/// store and the model of `Examples/AddressBook`.
///
/// `sh` blocks run line by line: `storetool` and `modelc` in this process, other programs by the shell. `sql` blocks run by `psql`
/// as the article's role; those that create databases as the owner of the server. If the database has no store before a block of
/// SQL, one is added: of `Contacts.xcdatamodeld` if the article has written that, otherwise of the address book.
struct ArticleRun {
    private let database: ArticleDatabase
    private let folder: TemporaryFolder
    private var hasStore = false

    /// - Parameter setUp: The block that creates the database; nil if the article has it.
    init(setUp: ArticleBlock?) throws {
        (database, folder) = (try ArticleDatabase(), try TemporaryFolder())
        _ = try TourStore(at: folder.file("AddressBook.sqlite"))
        try FileManager.default.createSymbolicLink(
            at: folder.file("AddressBook.xcdatamodeld"), withDestinationURL: TourStore.model.deletingLastPathComponent()
        )
        guard let setUp else { return }
        let result = try database.run(database.code(setUp.code), asOwner: true)
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Runs a block and returns its output, and an error's text if a command failed.
    mutating func run(_ block: ArticleBlock) throws -> (output: String, failure: String?) {
        if block.language == "sql" { return try runSQL(block) }
        var output = ""
        for line in block.code where !line.isEmpty && !line.hasPrefix("#") {
            let result = try runLine(line)
            output += result.output
            guard result.status == 0 else { return (shown(output), "\(line): \(shown(result.errors))") }
        }
        return (shown(output), nil)
    }

    private mutating func runSQL(_ block: ArticleBlock) throws -> (output: String, failure: String?) {
        let createsDatabase = block.code.contains { $0.hasPrefix("CREATE DATABASE") }
        if !createsDatabase { try addStore() }
        let result = try database.run(database.code(block.code), asOwner: createsDatabase)
        return (shown(result.output), result.status == 0 ? nil : shown(result.errors))
    }

    private mutating func runLine(_ line: String) throws -> ProgramResult {
        // What follows two blanks and the sign is a comment.
        let command = database.code([line.components(separatedBy: "  # ")[0]])
        var words = CommandRunner.shellWords(command)
        if words.starts(with: ["swift", "run"]) {
            words = Array(words.drop { !["storetool", "modelc"].contains($0) })
        }
        guard let program = words.first, ["storetool", "modelc"].contains(program) else {
            return try ProgramResult.of(["sh", "-c", command], in: folder.url)
        }
        let arguments = words.dropFirst().map { word in
            [".sqlite", ".xcdatamodeld", ".xcdatamodel"].contains(where: word.hasSuffix) ? folder.file(word).path : word
        }
        if program == "modelc" {
            let result = ModelTool.run(arguments)
            return ProgramResult(status: result.status, output: result.output, errors: result.errors)
        }
        if arguments.last == database.url.absoluteString { hasStore = true }
        let result = CommandRunner.run(words: arguments)
        return ProgramResult(status: result.status, output: result.output, errors: result.errors)
    }

    private func shown(_ output: String) -> String {
        database.shown(
            output.replacingOccurrences(of: folder.url.path + "/", with: "").replacingOccurrences(
                of: "postgresql://[^ ]*/\(database.name)", with: "postgresql://addressbook@db.example.com/addressbook",
                options: .regularExpression))
    }

    private mutating func addStore() throws {
        guard !hasStore else { return }
        hasStore = true
        let own = folder.file("Contacts.xcdatamodeld")
        let isOwn = FileManager.default.fileExists(atPath: own.path)
        let file = isOwn ? own.appendingPathComponent("Contacts.xcdatamodel") : TourStore.model
        let model = try #require(NSManagedObjectModel(contentsOf: file))
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: CoreDataPostgreSQLStoreType, configurationName: nil, at: database.url,
            options: [NSPersistentHistoryTrackingKey: true])
        try coordinator.remove(store)
    }
}
#endif

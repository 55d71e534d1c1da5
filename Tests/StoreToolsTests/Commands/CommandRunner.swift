import CoreData
import CoreDataTestSupport
import Foundation
import StoreToolCommands
import Synchronization

/// Runs commands of `storetool` and captures their output.
enum CommandRunner {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    static func run(
        _ words: String..., isTerminal: Bool = false, width: Int? = nil, usesColor: Bool = false,
        closesAfter limit: Int = .max, isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) -> Result {
        run(
            words: words, isTerminal: isTerminal, width: width, usesColor: usesColor, closesAfter: limit,
            isInterrupted: isInterrupted)
    }

    static func run(
        words: [String], isTerminal: Bool = false, width: Int? = nil, usesColor: Bool = false,
        closesAfter limit: Int = .max, isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) -> Result {
        let (output, errors) = (TextSink(closesAfter: limit), TextSink())
        let console = Console(
            output: output, errors: errors, isTerminal: isTerminal, width: width, usesColor: usesColor,
            isInterrupted: isInterrupted)
        let status = StoreTool.run(words, console)
        return Result(status: status, output: output.text, errors: errors.text)
    }

    /// Splits a line as a shell does, without variables: words, quotes, and `>` with what follows removed.
    static func shellWords(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let mark = quote {
                if character == mark { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                word.map { words.append($0) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        word.map { words.append($0) }
        return words.firstIndex(of: ">").map { Array(words[..<$0]) } ?? words
    }
}

/// A store of ``LibraryModel`` with known objects.
final class CommandStore {
    let folder: TemporaryFolder
    var url: URL { folder.file("Library.sqlite") }
    var path: String { url.path }

    /// Creates a store with authors named A0, A1 …, each with two books.
    init(authors: Int = 3) throws {
        folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for number in 0..<authors {
                let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
                author.setValue("A\(number)", forKey: "name")
                author.setValue(Double(number) + 0.5, forKey: "rating")
                author.setValue(Date(timeIntervalSinceReferenceDate: Double(number) * 86_400), forKey: "born")
                for position in 0..<2 {
                    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                    book.setValue("B\(number)-\(position), \"x\"", forKey: "title")
                    book.setValue(100 + number, forKey: "pages")
                    book.setValue(NSDecimalNumber(string: "9.50"), forKey: "price")
                    book.setValue(author, forKey: "author")
                }
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// The contents of the files in the folder, by name.
    func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        return try names.reduce(into: [:]) { $0[$1] = try Data(contentsOf: folder.file($1)) }
    }
}

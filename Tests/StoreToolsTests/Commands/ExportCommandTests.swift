import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import StoreToolCommands
import Testing

final class ExportedAuthor: NSManagedObject {}

@Suite struct ExportCommandTests {
    @Test func anImportReadsBackWhatIsExported() throws {
        let store = try CommandStore(authors: 5)
        let exported = CommandRunner.run("export", store.path, "Author")
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.output.split(separator: "\n").count == 5)
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(ExportedAuthor.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let copy = store.folder.file("Imported.sqlite")
        let opened = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: copy, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let report = try ExportedAuthor.importAll(from: Data(exported.output.utf8), in: context)
        #expect(report.failures.isEmpty)
        try context.performAndWait { try context.save() }
        try coordinator.remove(opened)
        for words in [
            "Author sort name show name, born, rating, books.@count",
            "Book sort title show title, pages, price, author.name, inPrint",
        ] {
            let (old, new) = (
                CommandRunner.run("query", store.path, words), CommandRunner.run("query", copy.path, words)
            )
            #expect(old.status == 0 && new.status == 0)
            #expect(old.output == new.output)
        }
        let diff = CommandRunner.run("diff", store.path, copy.path, "--key", "Author=name", "--key", "Book=title")
        #expect(diff.output == "No differences.\n", "\(diff)")
    }

    @Test func severalEntitiesBecomeFiles() throws {
        let store = try CommandStore(authors: 2)
        let folder = store.folder.file("Out")
        #expect(CommandRunner.run("export", store.path).status == 2)
        let result = CommandRunner.run("export", store.path, "Author", "Book", "--csv", "--to", folder.path)
        #expect(result.status == 0, "\(result.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["Author.csv", "Book.csv"])
        let text = try String(contentsOf: folder.appendingPathComponent("Book.csv"), encoding: .utf8)
        #expect(text.components(separatedBy: "\r\n").count == 6)
        let again = CommandRunner.run("export", store.path, "Author", "--csv", "--to", folder.path)
        #expect(again.status == 2 && again.errors.contains("already"))
    }

    @Test func anInterruptedExportLeavesNoFiles() throws {
        let store = try CommandStore(authors: 2)
        let folder = store.folder.file("Out")
        let result = CommandRunner.run("export", store.path, "--to", folder.path, isInterrupted: { true })
        #expect(result.status == 130)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}

@Suite struct DiffCommandTests {
    @Test func aStoreDoesNotDifferFromItself() throws {
        let store = try CommandStore()
        let result = CommandRunner.run("diff", store.path, store.path)
        #expect(result.status == 0)
        #expect(result.output == "No differences.\n")
    }

    @Test func differencesAreNamedByKey() throws {
        let (first, second) = (try CommandStore(authors: 3), try CommandStore(authors: 2))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let opened = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: second.url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.predicate = NSPredicate(format: "name == 'A1'")
            try context.fetch(request).first?.setValue(9.5, forKey: "rating")
            NSEntityDescription.insertNewObject(forEntityName: "Author", into: context).setValue("N", forKey: "name")
            try context.save()
        }
        try coordinator.remove(opened)
        let result = CommandRunner.run("diff", first.path, second.path, "Author", "--key", "Author=name")
        #expect(result.status == 1)
        #expect(
            result.output == """
                Author, by name
                  ~ A1 (Author/p2)  rating: 1.5 → 9.5
                  + N (Author/p3)
                  - A2 (Author/p3)
                  1 only in A, 1 only in B, 1 changed

                """)
        let json = CommandRunner.run("diff", first.path, second.path, "Author", "--key", "Author=name", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["equal"] as? Bool == false)
    }

    @Test func keysThatDoNotExistAreErrors() throws {
        let store = try CommandStore(authors: 1)
        let result = CommandRunner.run("diff", store.path, store.path, "Author", "--key", "Author=nmae")
        #expect(result.status == 2)
        #expect(result.errors.contains("Did you mean name?"))
        #expect(CommandRunner.run("diff", store.path, store.path, "--key", "x").status == 2)
    }
}

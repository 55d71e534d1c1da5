@testable import CoreData
import CoreDataRuntimeSupport
import CoreDataTestSupport
import Foundation
import Testing

/// A class that only a model names.
final class Unmentioned: NSManagedObject {}

/// MagicalRecordTests has a class of this name as well.
final class Lookalike: NSManagedObject {}

/// Not in the list of the classes that a module shows.
private final class Hidden: NSManagedObject {}

@Suite("Finding the classes that models name")
struct ClassLookupTests {
    private static func context(className: String, entity: String = "A") throws -> NSManagedObjectContext {
        let model = makeModel([(entity, "name: string?")])
        model.entities[0].managedObjectClassName = className
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// `NSClassFromString` knows every class of the program, at Apple wherever the program lies.
    @Test("A program copied to an empty folder under another name finds its classes")
    func copiedProgram() throws {
        let folder = try TemporaryFolder()
        let program = folder.file("copied-program")
        // By a process of its own: a program that another test's process inherits, open for writing, cannot be run.
        let copying = try Process.run(
            URL(fileURLWithPath: "/bin/cp"), arguments: [Worker.program().path, program.path])
        copying.waitUntilExit()
        let worker = try Worker("classes", folder.file("Store.sqlite"), program: program)
        #expect(worker.finish())
        let lines: [String] = [
            "made Parchment", "fetched Parchment", "made Parchment", "fetched Parchment", "fetched Parchment",
        ]
        #expect(worker.lines == lines)
    }

    @Test(
        "A class that the program has not named is found by its name alone",
        arguments: ["Unmentioned", ".Unmentioned", "CoreDataTests.Unmentioned"])
    func unmentioned(_ name: String) async throws {
        for _ in 1...2 {
            let context = try Self.context(className: name)
            context.performAndWait {
                let object = NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
                #expect(type(of: object) == Unmentioned.self)
            }
        }
    }

    @Test("Transformers and migration policies are found by their names alone as well")
    func otherClasses() {
        #expect(ProgramClasses.anyClass(named: "UnmentionedTransformer") == UnmentionedTransformer.self)
        #expect(ProgramClasses.anyClass(named: "NoSuchTransformer") == nil)
    }

    @Test("A private class is found once an object was made of it")
    func hidden() throws {
        let context = try Self.context(className: "Hidden")
        let other = try Self.context(className: "Hidden")
        context.performAndWait {
            let entity = NSEntityDescription.entity(forEntityName: "A", in: context)!
            _ = Hidden(entity: entity, insertInto: context)
        }
        other.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "A", into: other)
            #expect(type(of: object) == Hidden.self)
        }
    }

    @Test("Where two modules have the class, errors and the log name both, and using one decides")
    func ambiguous() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let context = try Self.context(className: "Lookalike", entity: "Twin")
            #expect(ManagedObjectClassRegistry.managedObjectClass(named: "Lookalike") == nil)
            try context.performAndWait { () throws in
                let object = NSEntityDescription.insertNewObject(forEntityName: "Twin", into: context)
                #expect(type(of: object) == NSManagedObject.self)
                let request = NSFetchRequest<Unmentioned>(entityName: "Twin")
                var caught: NSError?
                do { _ = try context.fetch(request) } catch { caught = error as NSError }
                let error = try #require(caught)
                let text = "\(error.localizedFailureReason ?? "") \(error.localizedRecoverySuggestion ?? "")"
                for part in ["CoreDataTests.Lookalike", "MagicalRecordTests.Lookalike", "Module.Class"] {
                    #expect(text.contains(part), "\(text)")
                }
            }
            let request = NSFetchRequest<Lookalike>(entityName: "Twin")
            let next = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            next.persistentStoreCoordinator = context.persistentStoreCoordinator
            try next.performAndWait { () throws in
                _ = NSEntityDescription.insertNewObject(forEntityName: "Twin", into: next)
                let count = try next.fetch(request).count
                #expect(count == 1)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let warnings = text.split(separator: "\n").filter { $0.contains("Unable to load class named 'Lookalike'") }
        #expect(warnings.count == 1, "\(text)")
        #expect(warnings.first?.contains("CoreDataTests.Lookalike or MagicalRecordTests.Lookalike") == true, "\(text)")
    }

    /// Apple's framework logs the same and goes on.
    @Test("A class that the program does not have is warned of, once")
    func missing() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for _ in 1...2 {
                let context = try Self.context(className: "NowhereAtAll")
                context.performAndWait {
                    _ = NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
                }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let warnings = text.split(separator: "\n").filter {
            $0.contains("Unable to load class named 'NowhereAtAll' for entity 'A'.")
        }
        #expect(warnings.count == 1, "\(text)")
    }
}

final class UnmentionedTransformer: ValueTransformer, @unchecked Sendable {}

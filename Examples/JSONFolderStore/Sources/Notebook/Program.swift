import Foundation
import JSONFolderStore
import MagicalRecord

/// Writes a few notes into a folder, reads them back with a new coordinator, and prints one of the files.
@main
struct Program {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            let folder =
                arguments.first.map { URL(fileURLWithPath: $0, isDirectory: true) }
                ?? FileManager.default.temporaryDirectory.appendingPathComponent("Notebook-\(UUID().uuidString)")
            JSONFolderStore.register()
            try write(to: folder)
            try read(from: folder)
            if arguments.isEmpty { try FileManager.default.removeItem(at: folder) }
        } catch {
            FileHandle.standardError.write(Data("Notebook: \((error as NSError).localizedDescription)\n".utf8))
            exit(1)
        }
    }

    private static func open(_ folder: URL) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notebook.model())
        _ = try coordinator.addPersistentStore(type: JSONFolderStore.storeType, at: folder)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private static func write(to folder: URL) throws {
        let context = try open(folder)
        try context.performAndWait {
            let tags = ["garden", "kitchen"].map { name in
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                tag.setValue(name, forKey: "name")
                return tag
            }
            for (title, importance, tag) in [("Sow beans", 2, 0), ("Sharpen knives", 1, 1), ("Prune roses", 3, 0)] {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(title, forKey: "title")
                note.setValue(importance, forKey: "importance")
                note.setValue(Set([tags[tag]]), forKey: "tags")
            }
            try context.save()
            print("Wrote \(context.registeredObjects.count) objects to \(folder.lastPathComponent).")
        }
    }

    private static func read(from folder: URL) throws {
        let context = try open(folder)
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.predicate = NSPredicate(format: "importance > 1 AND ANY tags.name == %@", "garden")
            request.sortDescriptors = [NSSortDescriptor(key: "importance", ascending: false)]
            let notes = try context.fetch(request)
            for note in notes { print("  \(note.value(forKey: "title") ?? "")") }
            guard let note = notes.first else {
                throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: folder.path])
            }
            note.setValue("Prune the roses", forKey: "title")
            try context.save()
            let name = note.objectID.uriRepresentation().lastPathComponent.dropFirst()
            let file = folder.appendingPathComponent("Note/\(name).json")
            print("The file of the first one, after a change:\n\(try String(contentsOf: file, encoding: .utf8))")
        }
    }
}

/// The model of notes with tags.
enum Notebook {
    static func model() -> NSManagedObjectModel {
        let note = NSEntityDescription(), tag = NSEntityDescription()
        note.name = "Note"
        tag.name = "Tag"
        let notes = NSRelationshipDescription(), tags = NSRelationshipDescription()
        tags.name = "tags"
        tags.destinationEntity = tag
        tags.inverseRelationship = notes
        tags.isOptional = true
        notes.name = "notes"
        notes.destinationEntity = note
        notes.inverseRelationship = tags
        notes.isOptional = true
        for relationship in [notes, tags] { relationship.maxCount = 0 }
        note.properties = [
            attribute("title", .stringAttributeType), attribute("importance", .integer16AttributeType), tags,
        ]
        tag.properties = [attribute("name", .stringAttributeType), notes]
        let model = NSManagedObjectModel()
        model.entities = [note, tag]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }
}

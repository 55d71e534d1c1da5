import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelFormat
import StoreTools
import Testing

/// Stores that nothing is wrong with have no findings.
@Suite struct StoreCheckHealthyTests {
    @Test(.enabled(if: RealStores.areAvailable, RealStores.comment), arguments: RealStores.all)
    func storesOfApplesFrameworkHaveNoFindings(sample: RealStores.Sample) throws {
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        var check = StoreCheck(copy.url)
        let report = try check.run()
        #expect(report.findings.map(\.description) == [])
        #expect(report.condition == .readable)
        guard let path = sample.model else { return }
        check.model = try Model(contentsOf: RealStores.folder.appendingPathComponent(path))
        #expect(try check.run().findings.map(\.description) == [])
    }

    @Test func aStoreWithEveryKindOfPropertyHasNoFindings() throws {
        let store = try CheckedStore()
        let report = try store.check()
        #expect(report.findings.map(\.description) == [])
        #expect(report.isHealthy)
    }

    @Test func aStoreWithHistoryAndBatchRequestsHasNoFindings() throws {
        let store = try CheckedStore()
        try store.write(options: CheckedStore.history) { context in
            context.transactionAuthor = "check"
            for note in try context.fetchAll("Note").prefix(1) { context.delete(note) }
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Task")
            update.propertiesToUpdate = ["rank": 5]
            _ = try context.execute(update)
            let insertion = NSBatchInsertRequest(
                entityName: "Tag", objects: [["word": "Batch"], ["word": "Ünïcode"]])
            _ = try context.execute(insertion)
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: request))
        }
        let findings = try store.findings().map(\.description)
        #expect(findings == [])
    }

    @Test func theLibraryModelHasNoFindingsWhileItIsOpen() throws {
        let library = try SQLiteLibrary()
        try library.context.performAndWait {
            let author = library.context.insert("Author", ["name": "A"])
            let books = (0..<50).map { library.context.insert("Book", ["title": "B\($0)", "author": author]) }
            let shelf = library.context.insert("Shelf", ["label": "S"])
            shelf.setValue(NSOrderedSet(array: books), forKey: "books")
            let tag = library.context.insert("Tag", ["word": "t"])
            tag.setValue(Set(books), forKey: "books")
            try library.context.save()
            shelf.setValue(NSOrderedSet(array: books.reversed()), forKey: "books")
            try library.context.save()
            library.context.delete(books[3])
            try library.context.save()
        }
        let report = try StoreCheck(library.url).run()
        #expect(report.findings.map(\.description) == [])
        #expect(report.isHealthy)
    }

    @Test func aMigratedStoreHasNoFindings() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Old.sqlite")
        func open(_ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> Void) throws {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true as NSNumber,
                    NSInferMappingModelAutomaticallyOption: true as NSNumber,
                ])
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                try body(context)
                if context.hasChanges { try context.save() }
            }
            try coordinator.remove(store)
        }
        try open(Versions.first()) { Versions.fill($0) }
        let second = Versions.changed { entities, model in
            entities["Person"]?.properties.append(
                LibraryModel.attribute("level", .integer16AttributeType, optional: false, default: 3))
            entities["Company"]?.properties.append(Versions.derived("staffCount", "staff.@count"))
            entities["Club"]?.relationshipsByName["members"]?.isOrdered = true
            model.entities.append(LibraryModel.entity("Annex"))
        }
        try open(second) { _ in }
        #expect(try StoreCheck(url).run().findings.map(\.description) == [])
    }

    @Test func aRandomGraphHasNoFindings() throws {
        let store = try CheckedStore()
        var random = SeededGenerator(seed: 67)
        let steps = LongForm.choose(300, long: 4000)
        try store.write(options: CheckedStore.history) { context in
            for step in 1...steps {
                try Self.change(context, step, &random)
                if step % 20 == 0 { try context.save() }
            }
        }
        let report = try store.check()
        #expect(report.findings.map(\.description) == [])
    }

    private static func change(
        _ context: NSManagedObjectContext, _ step: Int, _ random: inout SeededGenerator
    ) throws {
        func any(_ entity: String) throws -> NSManagedObject? {
            try context.fetchAll(entity).sorted {
                $0.objectID.uriRepresentation().path < $1.objectID.uriRepresentation().path
            }
            .randomElement(using: &random)
        }
        func some(_ entity: String) throws -> [NSManagedObject] {
            try context.fetchAll(entity).shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random)).map {
                $0
            }
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: context.insert("Note", ["name": "n\(step)", "made": Date(), "owner": try any("Person") as Any])
        case 1: context.insert("Task", ["name": "t\(step)", "made": Date(), "folder": try any("Folder") as Any])
        case 2: context.insert("Person", ["code": "c\(step)", "name": "P\(step)"])
        case 3: context.insert("Folder", ["title": "f\(step)", "lead": try any("Item") as Any])
        case 4: context.insert("Tag", ["word": "w\(step)"])
        case 5:
            try context.save()
            try any("Note").map(context.delete)
            try context.save()
        case 6: try any("Folder")?.setValue(NSOrderedSet(array: try some("Item")), forKey: "items")
        case 7: try any("Tag")?.setValue(NSOrderedSet(array: try some("Item")), forKey: "items")
        case 8:
            if let person = try any("Person"), step % 3 == 0, person.value(forKey: "passport") == nil {
                context.delete(person)
            }
            if let folder = try any("Folder"), step % 3 == 0 { context.delete(folder) }
            try any("Task")?.setValue(try any("Task"), forKey: "next")
        case 9: try any("Person")?.setValue(Set(try some("Person")), forKey: "friends")
        case 10: try any("Person")?.setValue(NSOrderedSet(array: try some("Task")), forKey: "favorites")
        default:
            try any("Item")?.setValue(try any("Folder"), forKey: "folder")
            try any("Person")?.setValue("N\(step)", forKey: "name")
        }
    }
}

import CoreData
import Foundation
import Testing

/// Attributes without a place in the store, after the object was fetched, refreshed, merged or rolled back.
@Suite("Transient attributes")
struct TransientAttributeTests {
    private static let types = [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType]

    /// `Note` has transients of several kinds: required with a default, optional without, and one of no type.
    private static func model() -> NSManagedObjectModel {
        let note = LibraryModel.entity("Note")
        note.properties = [
            LibraryModel.attribute("title", .stringAttributeType),
            LibraryModel.attribute("state", .integer16AttributeType, optional: false, transient: true, default: 7),
            LibraryModel.attribute("label", .stringAttributeType, optional: false, transient: true, default: "new"),
            LibraryModel.attribute("cache", .undefinedAttributeType, transient: true, default: ["a"]),
            LibraryModel.attribute("mood", .stringAttributeType, transient: true),
        ]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    private static func isAtDefault(_ note: NSManagedObject) -> Bool {
        note.value(forKey: "state") as? Int == 7 && note.value(forKey: "label") as? String == "new"
            && note.value(forKey: "cache") as? [String] == ["a"] && note.value(forKey: "mood") == nil
    }

    private static func set(_ note: NSManagedObject) {
        note.setValuesForKeys(["state": 1, "label": "old", "cache": ["b"], "mood": "good"])
    }

    private func withLibrary(_ type: String, _ body: (Library) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Transients-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = type == NSInMemoryStoreType ? nil : folder.appendingPathComponent("Store")
        let library = try Library(Self.model(), type: type, at: file, removing: folder)
        try library.context.performAndWait { try body(library) }
    }

    @Test(arguments: types) func fetchedObjectsHaveTheDefaults(_ type: String) throws {
        try withLibrary(type) { library in
            let note = library.context.insert("Note", ["title": "one"])
            Self.set(note)
            try library.context.save()
            #expect(note.value(forKey: "mood") as? String == "good")
            for faults in [true, false] {
                let other = library.makeContext()
                try other.performAndWait {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                    request.returnsObjectsAsFaults = faults
                    let fetched = try #require(try other.fetch(request).first)
                    #expect(Self.isAtDefault(fetched))
                    #expect(!other.hasChanges && fetched.changedValues().isEmpty)
                    // A required transient with a default does not stop the save.
                    fetched.setValue("two \(faults)", forKey: "title")
                    try other.save()
                }
            }
        }
    }

    @Test(arguments: types) func refreshedMergedAndRolledBackObjectsToo(_ type: String) throws {
        try withLibrary(type) { library in
            let context = library.context
            let note = context.insert("Note", ["title": "one"])
            Self.set(note)
            try context.save()
            context.refresh(note, mergeChanges: false)
            #expect(Self.isAtDefault(note))
            Self.set(note)
            context.rollback()
            #expect(Self.isAtDefault(note))
            note.setValue("two", forKey: "title")
            try context.save()
            context.refreshAllObjects()
            #expect(Self.isAtDefault(note))

            let other = library.makeContext()
            other.automaticallyMergesChangesFromParent = true
            let copy = try #require(try other.fetchAll("Note").first)
            #expect(Self.isAtDefault(copy))
            note.setValue("three", forKey: "title")
            try context.save()
            other.performAndWait {}
            other.performAndWait {
                #expect(copy.value(forKey: "title") as? String == "three")
                #expect(Self.isAtDefault(copy))
            }
        }
    }

    @Test func unsavedChangesOfTransientsStayInARefreshThatMerges() throws {
        try withLibrary(NSSQLiteStoreType) { library in
            let note = library.context.insert("Note")
            try library.context.save()
            library.context.refresh(note, mergeChanges: false)
            note.setValue(3, forKey: "state")
            library.context.refresh(note, mergeChanges: true)
            #expect(note.value(forKey: "state") as? Int == 3 && note.value(forKey: "label") as? String == "new")
        }
    }

    @Test func withoutADefaultARequiredTransientMustBeSet() throws {
        let model = Self.model()
        model.entitiesByName["Note"]?.attributesByName["mood"]?.isOptional = false
        let library = try Library(model, store: .sqlite)
        try library.context.performAndWait {
            let note = library.context.insert("Note", ["mood": "good"])
            try library.context.save()
            library.context.refresh(note, mergeChanges: false)
            note.setValue("x", forKey: "title")
            let error = try #require(throws: NSError.self) { try library.context.save() }
            #expect(error.code == NSValidationMissingMandatoryPropertyError)
        }
    }

    @Test func aPropertyOfNoKindIsLikeATransientAttribute() throws {
        let model = Self.model()
        let plain = NSPropertyDescription()
        plain.name = "anything"
        model.entitiesByName["Note"]?.properties.append(plain)
        let library = try Library(model, store: .sqlite)
        try library.context.performAndWait {
            let note = library.context.insert("Note", ["anything": ["x": 1]])
            #expect((note.value(forKey: "anything") as? [String: Int]) == ["x": 1])
            try library.context.save()
            note.setValue(Date.distantPast, forKey: "anything")
            #expect(note.value(forKey: "anything") as? Date == .distantPast && note.hasChanges)
            try library.context.save()
            library.context.refresh(note, mergeChanges: false)
            #expect(note.value(forKey: "anything") == nil)
            #expect(try library.makeContext().fetchAll("Note").count == 1)
        }
    }

    /// What refuses transient attributes refuses it too; nothing stops the program.
    @Test(arguments: types) func aPropertyOfNoKindInPredicates(_ type: String) throws {
        let model = Self.model()
        let plain = NSPropertyDescription()
        plain.name = "anything"
        model.entitiesByName["Note"]?.properties.append(plain)
        let folder = try TemporaryFolder()
        let library = try Library(model, type: type, at: type == NSInMemoryStoreType ? nil : folder.file("Store"))
        let context = library.context
        try context.performAndWait {
            let note = context.insert("Note", ["title": "a", "anything": "x", "mood": "x"])
            context.insert("Note", ["title": "b", "anything": 3])
            #expect(NSPredicate(format: "anything BEGINSWITH 'x' AND title == 'a'").evaluate(with: note))
            #expect(!NSPredicate(format: "anything == nil").evaluate(with: note))
            #expect(note.value(forKeyPath: "anything.length") as? Int == 1)
            #expect(note.changedValues()["anything"] as? String == "x")
            try context.save()

            func outcomes(_ key: String) -> [Bool] {
                func works(_ body: () throws -> Void) -> Bool { (try? body()) != nil }
                var outcomes: [Bool] = []
                for format in ["%K == 'x'", "%K != nil", "title == 'a' OR %K IN {'x'}"] {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                    request.predicate = NSPredicate(format: format, key)
                    outcomes.append(works { _ = try context.fetch(request) })
                    outcomes.append(works { _ = try context.count(for: request) })
                }
                let sorted = NSFetchRequest<NSManagedObject>(entityName: "Note")
                sorted.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
                outcomes.append(works { _ = try context.fetch(sorted) })
                let properties: [[Any]] = [
                    [key], ["title", key], [model.entitiesByName["Note"]!.propertiesByName[key]!],
                ]
                for properties in properties {
                    let request = NSFetchRequest<NSDictionary>(entityName: "Note")
                    request.resultType = .dictionaryResultType
                    request.propertiesToFetch = properties
                    outcomes.append(works { _ = try context.fetch(request) })
                    request.propertiesToGroupBy = properties
                    outcomes.append(works { _ = try context.fetch(request) })
                }
                let update = NSBatchUpdateRequest(entityName: "Note")
                update.propertiesToUpdate = [key: "y"]
                outcomes.append(works { _ = try context.execute(update) })
                return outcomes
            }
            #expect(outcomes("anything") == outcomes("mood"))
            #expect(!outcomes("anything")[0])
        }
    }
}

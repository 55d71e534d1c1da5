import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// How transformable attributes find their transformers, and what becomes of values whose transformer is missing.
@Suite("Finding value transformers")
struct TransformerLookupTests {
    private static func model(_ name: String?) -> NSManagedObjectModel {
        let page = LibraryModel.entity("Page")
        let colors = LibraryModel.attribute("colors", .transformableAttributeType)
        colors.valueTransformerName = name
        page.properties = [colors, LibraryModel.attribute("number", .integer16AttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [page]
        return model
    }

    private static let folder = FileManager.default.temporaryDirectory

    /// A store with one page, whose colors the transformer of that name wrote.
    private static func makeStore(_ name: String?) throws -> URL {
        let url = folder.appendingPathComponent("Colors-\(UUID().uuidString).sqlite")
        let library = try Library(model(name), type: NSSQLiteStoreType, at: url)
        try library.context.performAndWait {
            library.context.insert("Page", ["colors": ["red", "blue"]])
            try library.context.save()
        }
        return url
    }

    @Test(arguments: [
        "ColorListTransformer", ".ColorListTransformer", "CoreDataTests.ColorListTransformer",
        "NSSecureUnarchiveFromDataTransformerName", "NSSecureUnarchiveFromData", nil,
    ]) func byClassAndByConstant(_ name: String?) throws {
        // A model that has been used makes the module of its classes known.
        _ = Consignment.entity()
        let url = try Self.makeStore(name)
        defer { try? FileManager.default.removeItem(at: url) }
        let library = try Library(Self.model(name), type: NSSQLiteStoreType, at: url)
        try library.context.performAndWait {
            let page = try #require(try library.context.fetchAll("Page").first)
            #expect(page.value(forKey: "colors") as? [String] == ["red", "blue"])
        }
    }

    @Test func valuesWithoutTheirTransformerStopTheProgram() async throws {
        for writes in [true, false] {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [writes = writes as Bool] in
                let url = try TransformerLookupTests.makeStore(nil)
                let library = try Library(
                    TransformerLookupTests.model("NoSuchTransformer"), type: NSSQLiteStoreType, at: url)
                let page = try library.context.fetchAll("Page")[0]
                if writes {
                    page.setValue(["green"], forKey: "colors")
                } else {
                    _ = page.value(forKey: "colors")
                }
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("\"NoSuchTransformer\"") && text.contains("Page.colors"))
        }
    }

    @Test("Validating an object asks nothing about a value without its transformer, and reports what else is wrong")
    func validationPassesOver() throws {
        let url = try Self.makeStore(nil)
        defer { try? FileManager.default.removeItem(at: url) }
        let model = Self.model("NoSuchTransformer")
        let entity = try #require(model.entitiesByName["Page"])
        entity.managedObjectClassName = "CoreDataTests.CheckedPage"
        let number = try #require(entity.attributesByName["number"])
        // What older versions of a program wrote need not keep the rules of this one.
        number.setValidationPredicates([NSPredicate(format: "SELF < 5")], withValidationWarnings: ["large"])
        let library = try Library(model, type: NSSQLiteStoreType, at: url)
        try library.context.performAndWait {
            let page = try #require(try library.context.fetchAll("Page").first as? CheckedPage)
            page.setValue(7, forKey: "number")
            let error = try #require(throws: NSError.self) { try library.context.save() }
            #expect(error.code == 1550)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "number")
            #expect(page.description.contains("colors = \"<no transformer 'NoSuchTransformer'>\""))
            let values = page.committedValues(forKeys: nil)
            #expect(Set(values.keys) == ["colors", "number"] && values["colors"] is Data)
            page.setValue(3, forKey: "number")
            try library.context.save()
            #expect(page.checked.contains("number") && !page.checked.contains("colors"))
        }
    }

    @Test("A conflict of objects with a value that lacks its transformer is reported, with the value's bytes")
    func conflicts() throws {
        let url = try Self.makeStore(nil)
        defer { try? FileManager.default.removeItem(at: url) }
        let library = try Library(Self.model("NoSuchTransformer"), type: NSSQLiteStoreType, at: url)
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = library.context.persistentStoreCoordinator
        let change = { (context: NSManagedObjectContext, number: Int) in
            try #require(try context.fetchAll("Page").first).setValue(number, forKey: "number")
        }
        try library.context.performAndWait { try change(library.context, 1) }
        try other.performAndWait {
            try change(other, 2)
            try other.save()
        }
        try library.context.performAndWait {
            let error = try #require(throws: NSError.self) { try library.context.save() }
            let conflict = try #require((error.userInfo["conflictList"] as? [NSMergeConflict])?.first)
            #expect(conflict.persistedSnapshot?["number"] as? Int == 2)
            #expect(conflict.objectSnapshot?["colors"] is Data)
        }
    }

    @Test func theBytesStayAndRequestsThrow() throws {
        let url = try Self.makeStore(nil)
        defer { try? FileManager.default.removeItem(at: url) }
        let library = try Library(Self.model("NoSuchTransformer"), type: NSSQLiteStoreType, at: url)
        try library.context.performAndWait {
            let page = try #require(try library.context.fetchAll("Page").first)
            page.setValue(3, forKey: "number")
            try library.context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Page")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["colors"]
            let error = try #require(throws: NSError.self) { try library.context.fetch(request) }
            #expect(error.localizedDescription.contains("NoSuchTransformer"))
            let insert = NSBatchInsertRequest(entityName: "Page", objects: [["colors": ["green"]]])
            #expect(throws: NSError.self) { try library.context.execute(insert) }
        }
        let other = try Library(Self.model(nil), type: NSSQLiteStoreType, at: url)
        try other.context.performAndWait {
            let page = try #require(try other.context.fetchAll("Page").first)
            #expect(page.value(forKey: "colors") as? [String] == ["red", "blue"])
            #expect(page.value(forKey: "number") as? Int == 3)
        }
    }

    @Test func classesAreFoundHoweverTheModelWritesThem() {
        _ = Consignment.entity()
        for name in ["Consignment", ".Consignment", "CoreDataTests.Consignment"] {
            #expect(ManagedObjectClassRegistry.managedObjectClass(named: name) == Consignment.self)
        }
        #expect(ManagedObjectClassRegistry.managedObjectClass(named: "NoSuchClass") == nil)
    }

    @Test func argumentListsReachPredicates() {
        let predicate = NSPredicate(
            format: "name == %@ AND age > %d AND height < %f AND day == %@",
            arguments: getVaList(["Ann", 7, 1.5, Date(timeIntervalSinceReferenceDate: 0)]))
        #expect(
            predicate.evaluate(
                with: ["name": "Ann", "age": 8, "height": 1.2, "day": Date(timeIntervalSinceReferenceDate: 0)]
                    as NSDictionary))
        #expect(!predicate.evaluate(with: ["name": "Bob", "age": 8, "height": 1.2] as NSDictionary))
    }

    @Test func aResultsControllerTakesNoOrder() throws {
        let library = try Library(store: .sqlite)
        try library.context.performAndWait {
            library.context.insert("Author", ["name": "Ann"])
            try library.context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.sortDescriptors = []
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
            let delegate = Delegate()
            controller.delegate = delegate
            try controller.performFetch()
            #expect(controller.fetchedObjects?.count == 1)
            library.context.insert("Author", ["name": "Bob"])
            try library.context.save()
            #expect(controller.fetchedObjects?.count == 2 && delegate.changes == 1)
        }
    }

    private final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
        var changes = 0
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) { changes += 1 }
    }

    @Test func newDescriptionsHaveAnEmptyUserInfo() {
        let attribute = NSAttributeDescription(), entity = NSEntityDescription()
        #expect(attribute.userInfo?.isEmpty == true && entity.userInfo?.isEmpty == true)
        attribute.userInfo?["key"] = "value"
        #expect(attribute.userInfo?["key"] as? String == "value")
    }
}

/// Keeps words as text. Not registered: found by its name.
final class ColorListTransformer: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? [String]).map { Data($0.joined(separator: ",").utf8) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { String(decoding: $0, as: UTF8.self).split(separator: ",").map(String.init) }
    }
}

final class CheckedPage: NSManagedObject {
    var checked: Set<String> = []

    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        checked.insert(key)
        try super.validateValue(&value, forKey: key)
    }
}

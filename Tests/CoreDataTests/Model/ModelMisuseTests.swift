import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Misuse of models ends the program")
struct ModelMisuseTests {
    @Test("A model in use cannot be edited")
    func frozen() async {
        await #expect(processExitsWith: .failure) {
            let model = makeModel([("A", "x: i16")])
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
            model.entities[0].propertiesByName["x"]?.isOptional = false
        }
    }

    @Test("Two entities of one name trap")
    func duplicates() async {
        await #expect(processExitsWith: .failure) {
            let (one, two) = (NSEntityDescription(), NSEntityDescription())
            (one.name, two.name) = ("A", "A")
            NSManagedObjectModel().entities = [one, two]
        }
    }

    @Test("Models with two different entities of one name cannot be merged")
    func conflict() async {
        await #expect(processExitsWith: .failure) {
            _ = NSManagedObjectModel(byMerging: [makeModel([("A", "x: i16")]), makeModel([("A", "x: i32")])])
        }
    }

    @Test("An entity cannot inherit from itself")
    func cycle() async {
        await #expect(processExitsWith: .failure) {
            let (one, two) = (NSEntityDescription(), NSEntityDescription())
            one.subentities = [two]
            two.subentities = [one]
        }
    }

    @Test("A default value must fit the type")
    func defaultValue() async {
        await #expect(processExitsWith: .failure) {
            let attribute = NSAttributeDescription()
            attribute.type = .integer16
            attribute.defaultValue = "text"
        }
    }
    @Test("Neither an entity, nor an index, nor a template of a model in use can be edited")
    func frozenParts() async {
        await #expect(processExitsWith: .failure) {
            let model = usedModel()
            model.entities[0].renamingIdentifier = "Old"
        }
        await #expect(processExitsWith: .failure) {
            let model = usedModel()
            model.entities[0].indexes = []
        }
        await #expect(processExitsWith: .failure) {
            let model = usedModel()
            model.entities[0].indexes[0].elements = []
        }
        await #expect(processExitsWith: .failure) {
            let model = usedModel()
            model.fetchRequestTemplate(forName: "All")?.fetchLimit = 1
        }
        await #expect(processExitsWith: .failure) {
            let model = usedModel()
            model.setFetchRequestTemplate(nil, forName: "All")
        }
        await #expect(processExitsWith: .failure) {
            let model = usedModel()
            model.setEntities([], forConfigurationName: "Some")
        }
    }

    @Test("An entity that is in another model is not taken, neither whole nor into a configuration")
    func foreignEntities() async {
        await #expect(processExitsWith: .failure) {
            let model = makeModel([("A", "x: i16")])
            withExtendedLifetime(model) { NSManagedObjectModel().entities = model.entities }
        }
        await #expect(processExitsWith: .failure) {
            let stranger = NSEntityDescription()
            stranger.name = "Stranger"
            makeModel([("A", "x: i16")]).setEntities([stranger], forConfigurationName: "Some")
        }
    }

    @Test("A description that belongs to nothing has no owner to ask for")
    func ownerless() async {
        await #expect(processExitsWith: .failure) { _ = NSAttributeDescription().entity }
        await #expect(processExitsWith: .failure) { _ = NSEntityDescription().managedObjectModel }
    }

    @Test("Two properties of one name trap")
    func duplicateProperties() async {
        await #expect(processExitsWith: .failure) {
            let (one, two) = (NSAttributeDescription(), NSAttributeDescription())
            (one.name, two.name) = ("a", "a")
            NSEntityDescription().properties = [one, two]
        }
    }

    @Test("A validation predicate without a warning traps")
    func unpairedWarning() async {
        await #expect(processExitsWith: .failure) {
            NSAttributeDescription().setValidationPredicates([NSPredicate(value: true)], withValidationWarnings: [])
        }
    }

    @Test("An index of one collation type takes no element of another")
    func mixedIndex() async {
        await #expect(processExitsWith: .failure) {
            let attribute = NSAttributeDescription()
            _ = NSFetchIndexDescription(
                name: "mixed",
                elements: [
                    NSFetchIndexElementDescription(property: attribute, collationType: .binary),
                    NSFetchIndexElementDescription(property: attribute, collationType: .rTree),
                ])
        }
    }

    @Test("An unknown entity cannot be inserted, and a context without a coordinator knows none")
    func unknownEntities() async {
        await #expect(processExitsWith: .failure) {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: usedModel())
            context.performAndWait {
                _ = NSEntityDescription.insertNewObject(forEntityName: "Nothing", into: context)
            }
        }
        await #expect(processExitsWith: .failure) {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.performAndWait { _ = NSEntityDescription.entity(forEntityName: "A", in: context) }
        }
    }
}

/// A model that a coordinator has taken, with an index and a template.
private func usedModel() -> NSManagedObjectModel {
    let model = makeModel([("A", "x: i16")])
    if let attribute = model.entities[0].attributesByName["x"] {
        let element = NSFetchIndexElementDescription(property: attribute, collationType: .binary)
        model.entities[0].indexes = [NSFetchIndexDescription(name: "byX", elements: [element])]
    }
    model.setFetchRequestTemplate(NSFetchRequest<NSManagedObject>(entityName: "A"), forName: "All")
    _ = NSPersistentStoreCoordinator(managedObjectModel: model)
    return model
}

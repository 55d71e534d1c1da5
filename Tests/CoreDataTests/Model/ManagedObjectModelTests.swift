import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Managed object models")
struct ManagedObjectModelTests {
    @Test("Setting entities adopts them and lets the others go")
    func entities() {
        let model = makeModel([("A", "x: i16"), ("B", "y: i16")])
        #expect(model.entities.map(\.name) == ["A", "B"])
        #expect(model.entitiesByName["A"]?.managedObjectModel === model)
        let a = model.entities[0]
        model.entities = [model.entities[1]]
        #expect(model.entitiesByName["A"] == nil)
        let other = NSManagedObjectModel()
        other.entities = [a]
        #expect(a.managedObjectModel === other)
    }

    @Test("Configurations hold entities of the model")
    func configurations() {
        let model = makeModel([("A", ""), ("B", ""), ("C", "")])
        #expect(model.entities(forConfigurationName: nil)?.count == 3)
        #expect(model.entities(forConfigurationName: "Local") == nil)
        model.setEntities([model.entities[0], model.entities[2]], forConfigurationName: "Local")
        model.setEntities([model.entities[0]], forConfigurationName: "Cloud")
        #expect(model.configurations == ["Cloud", "Local"])
        #expect(model.entities(forConfigurationName: "Local")?.map(\.name) == ["A", "C"])
    }

    @Test("Templates are kept, given back and removed")
    func templates() throws {
        let model = makeModel([("A", "x: i16")])
        let request = NSFetchRequest<NSManagedObject>(entityName: "A")
        request.fetchLimit = 3
        model.setFetchRequestTemplate(request, forName: "Three")
        #expect(model.fetchRequestTemplate(forName: "Three")?.fetchLimit == 3)
        #expect(model.fetchRequestTemplatesByName.keys.sorted() == ["Three"])
        #expect(model.fetchRequestTemplate(forName: "Four") == nil)
        model.setFetchRequestTemplate(nil, forName: "Three")
        #expect(model.fetchRequestTemplate(forName: "Three") == nil)
    }

    @Test("A copy is deep and editable, and its references stay inside")
    func copying() throws {
        let model = makeModel([
            ("Base abstract", "owner -> Owner.things 0..1?"), ("Leaf : Base", "x: i16"),
            ("Owner", "things -> Base.owner 0..0?"),
        ])
        model.setEntities([model.entities[1]], forConfigurationName: "Some")
        model.versionIdentifiers = ["v1"]
        let request = NSFetchRequest<NSManagedObject>()
        request.entity = model.entitiesByName["Leaf"]
        model.setFetchRequestTemplate(request, forName: "Leaves")
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)

        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(copy.versionIdentifiers == ["v1"])
        let owner = try #require(copy.entitiesByName["Base"]?.relationshipsByName["owner"])
        #expect(owner.destinationEntity === copy.entitiesByName["Owner"])
        #expect(owner.inverseRelationship === copy.entitiesByName["Owner"]?.relationshipsByName["things"])
        #expect(owner.inverseRelationship?.inverseRelationship === owner)
        #expect(copy.entitiesByName["Leaf"]?.superentity === copy.entitiesByName["Base"])
        #expect(copy.entities(forConfigurationName: "Some")?.first === copy.entitiesByName["Leaf"])
        #expect(copy.fetchRequestTemplate(forName: "Leaves")?.entity === copy.entitiesByName["Leaf"])
        copy.entities[0].name = "Renamed"
        #expect(model.entitiesByName["Renamed"] == nil)
    }

    @Test("Merging unites entities, configurations and identifiers")
    func merging() throws {
        let one = makeModel([("A", "x: i16"), ("Shared", "s: string")])
        one.versionIdentifiers = ["1"]
        one.setEntities([one.entities[0]], forConfigurationName: "C")
        let two = makeModel([("B", "y: i16"), ("Shared", "s: string")])
        two.versionIdentifiers = ["2"]
        two.setEntities([two.entities[0]], forConfigurationName: "C")
        let merged = try #require(NSManagedObjectModel(byMerging: [one, two]))
        #expect(Set(merged.entities.compactMap(\.name)) == ["A", "B", "Shared"])
        #expect(merged.versionIdentifiers == ["1", "2"])
        #expect(merged.entities(forConfigurationName: "C")?.map(\.name) == ["A", "B"])
        #expect(one.entitiesByName["A"]?.managedObjectModel === one)
        #expect(NSManagedObjectModel(byMerging: nil) == nil)
    }

    @Test("Merging for a store's metadata picks the entities with its hashes")
    func mergingForMetadata() throws {
        let old = makeModel([("A", "x: i16"), ("B", "y: i16")])
        let new = makeModel([("A", "x: i32"), ("B", "y: i16"), ("C", "z: i16")])
        let wanted = [
            "A": try #require(new.entityVersionHashesByName["A"]),
            "B": try #require(old.entityVersionHashesByName["B"]),
        ]
        let metadata: [String: Any] = [NSStoreModelVersionHashesKey: wanted]
        let merged = try #require(NSManagedObjectModel(byMerging: [old, new], forStoreMetadata: metadata))
        #expect(merged.entityVersionHashesByName == wanted)
        #expect(merged.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        let unknown = wanted.merging(["D": Data(count: 32)]) { $1 }
        #expect(
            NSManagedObjectModel(byMerging: [old, new], forStoreMetadata: [NSStoreModelVersionHashesKey: unknown])
                == nil)
    }

    @Test("Files that are no models give nil")
    func unreadable() throws {
        #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/Model.momd")) == nil)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).mom")
        try Data("no model".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(NSManagedObjectModel(contentsOf: file) == nil)
    }

    @Test("Entities of a used model can be read from many threads")
    func threads() async throws {
        let entities = (0..<20).map { (number: Int) -> (String, String) in
            let (next, last) = ((number + 1) % 20, (number + 19) % 20)
            return ("E\(number)", "a: i16; b: string; r -> E\(next).s 0..0?; s -> E\(last).r 0..1?")
        }
        let model = makeModel(entities)
        let expected = model.entityVersionHashesByName
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    model.entities.allSatisfy {
                        $0.propertiesByName.count == 4 && $0.versionHash == expected[$0.name ?? ""]
                    } && model.entityVersionHashesByName == expected
                }
            }
            for await isSame in group { #expect(isSame) }
        }
    }
}

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Entity descriptions")
struct EntityDescriptionTests {
    @Test("A new entity has the documented defaults")
    func defaults() {
        let entity = NSEntityDescription()
        #expect(entity.name == nil)
        #expect(entity.managedObjectClassName == "NSManagedObject")
        #expect(!entity.isAbstract)
        #expect(entity.superentity == nil)
        #expect(entity.subentities.isEmpty)
        #expect(entity.properties.isEmpty)
        #expect(entity.uniquenessConstraints.isEmpty)
        #expect(entity.indexes.isEmpty)
        #expect(entity.versionHashModifier == nil)
    }

    @Test("The class name falls back to NSManagedObject")
    func className() {
        let entity = NSEntityDescription()
        entity.managedObjectClassName = "Module.Thing"
        #expect(entity.managedObjectClassName == "Module.Thing")
        entity.managedObjectClassName = nil
        #expect(entity.managedObjectClassName == "NSManagedObject")
    }

    @Test("The renaming identifier is the name unless set")
    func renaming() {
        let entity = NSEntityDescription()
        entity.name = "New"
        #expect(entity.renamingIdentifier == "New")
        entity.renamingIdentifier = "Old"
        #expect(entity.renamingIdentifier == "Old")
        entity.renamingIdentifier = nil
        #expect(entity.renamingIdentifier == "New")
    }

    @Test("Properties of ancestors are visible in descendants")
    func inheritance() throws {
        let model = makeModel([
            ("Base abstract", "id: i64; owner -> Base.owned 0..1?; owned -> Base.owner 0..0?"),
            ("Middle : Base", "name: string"), ("Leaf : Middle", "size: double"),
        ])
        let base = try #require(model.entitiesByName["Base"])
        let leaf = try #require(model.entitiesByName["Leaf"])
        #expect(Set(leaf.propertiesByName.keys) == ["id", "owner", "owned", "name", "size"])
        #expect(Set(leaf.attributesByName.keys) == ["id", "name", "size"])
        #expect(Set(leaf.relationshipsByName.keys) == ["owner", "owned"])
        #expect(leaf.properties.map(\.name) == ["id", "owner", "owned", "name", "size"])
        #expect(leaf.propertiesByName["id"]?.entity == base)
        #expect(leaf.isKindOf(entity: base))
        #expect(leaf.isKindOf(entity: leaf))
        #expect(!base.isKindOf(entity: leaf))
        #expect(leaf.superentity?.superentity === base)
        #expect(base.subentitiesByName.keys.sorted() == ["Middle"])
        #expect(leaf.relationships(forDestination: base).map(\.name) == ["owner", "owned"])
        #expect(leaf.relationships(forDestination: leaf).isEmpty)
    }

    @Test("Properties set again replace own ones and keep inherited ones")
    func replacingProperties() throws {
        let model = makeModel([("Base", "id: i64"), ("Leaf : Base", "name: string")])
        let leaf = try #require(model.entitiesByName["Leaf"])
        let size = NSAttributeDescription()
        size.name = "size"
        leaf.properties += [size]
        #expect(leaf.properties.map(\.name) == ["id", "name", "size"])
        leaf.properties = [size]
        #expect(leaf.properties.map(\.name) == ["id", "size"])
        #expect(size.entity === leaf)
        #expect(model.entitiesByName["Base"]?.properties.map(\.name) == ["id"])
    }

    @Test("An entity moves to another parent when that one takes it")
    func movingSubentities() {
        let (one, two, child) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
        (one.name, two.name, child.name) = ("One", "Two", "Child")
        one.subentities = [child]
        two.subentities = [child]
        #expect(child.superentity === two)
        #expect(one.subentities.isEmpty)
        two.subentities = []
        #expect(child.superentity == nil)
    }

    @Test("Uniqueness constraints take names and descriptions, and give names")
    func constraints() throws {
        let model = makeModel([("E", "a: i16; b: i16")])
        let entity = try #require(model.entitiesByName["E"])
        let attribute = try #require(entity.attributesByName["b"])
        entity.uniquenessConstraints = [["a"], ["a", attribute]]
        #expect(entity.uniquenessConstraints as? [[String]] == [["a"], ["a", "b"]])
    }

    @Test("A copy has copies of the properties, and can be edited when the original cannot")
    func copying() throws {
        let model = makeModel([("E unique=(a)", "a: i16; b: string?")])
        let entity = try #require(model.entitiesByName["E"])
        entity.userInfo = ["key": "value"]
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        let copy = try #require(entity.copy() as? NSEntityDescription)
        #expect(copy == entity)
        #expect(copy.propertiesByName["a"] !== entity.propertiesByName["a"])
        #expect(copy.userInfo?["key"] as? String == "value")
        #expect(copy.uniquenessConstraints as? [[String]] == [["a"]])
        copy.propertiesByName["a"]?.name = "c"
        #expect(entity.propertiesByName["c"] == nil)
        #expect(copy != entity)
    }

    @Test("Entities are equal when they say the same")
    func equality() {
        let one = makeModel([("E", "a: i16; r -> F.s 0..0?"), ("F", "s -> E.r 0..1?")])
        let two = makeModel([("E", "a: i16; r -> F.s 0..0?"), ("F", "s -> E.r 0..1?")])
        #expect(one.entitiesByName["E"] == two.entitiesByName["E"])
        #expect(one.entitiesByName["E"]?.hash == two.entitiesByName["E"]?.hash)
        #expect(one == two)
        two.entitiesByName["F"]?.relationshipsByName["s"]?.deleteRule = .cascadeDeleteRule
        #expect(one.entitiesByName["F"] != two.entitiesByName["F"])
        #expect(one != two)
    }

    @Test("Indexes belong to their entity, and copy with it")
    func indexes() throws {
        let model = makeModel([("Base", "id: i64"), ("E : Base", "a: i16")])
        let entity = try #require(model.entitiesByName["E"])
        let elements = try ["a", "id"].map { name in
            NSFetchIndexElementDescription(
                property: try #require(entity.propertiesByName[name]), collationType: .binary)
        }
        #expect(elements[0].isAscending)
        elements[1].isAscending = false
        let index = NSFetchIndexDescription(name: "byBoth", elements: elements)
        entity.indexes = [index]
        #expect(index.entity === entity)
        #expect(elements[0].indexDescription === index)
        #expect(index.elements.map(\.propertyName) == ["a", "id"])

        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let copied = try #require(copy.entitiesByName["E"]?.indexes.first)
        #expect(copied == index)
        #expect(copied !== index)
        #expect(copied.elements[1].property === copy.entitiesByName["Base"]?.propertiesByName["id"])
        #expect(!copied.elements[1].isAscending)
    }
}

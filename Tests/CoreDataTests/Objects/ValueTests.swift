import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Values by every door there is: accessors by name, primitives, key paths, live collections, snapshots of what changed.
@Suite("Values of objects")
struct ValueTests {
    let zoo: Zoo
    var context: NSManagedObjectContext { zoo.context }

    init() throws { zoo = try Zoo() }

    private func members(_ object: NSManagedObject, _ key: String) -> Set<NSManagedObject> {
        object.value(forKey: key) as? Set<NSManagedObject> ?? []
    }

    // MARK: Primitives

    /// What differs from the values at insertion, not what was assigned.
    @Test func newObjectsHaveChangedWhatDiffersFromTheirDefaults() throws {
        let library = try Library()
        library.context.performAndWait {
            let book = library.context.insert("Book")
            #expect(book.changedValues().isEmpty)
            for (key, value) in [("pages", 100), ("inPrint", true), ("title", nil), ("author", nil)] as [(String, Any?)]
            {
                book.setValue(value, forKey: key)
            }
            #expect(book.changedValues().isEmpty)
            book.setValue(101, forKey: "pages")
            book.setValue("Emma", forKey: "title")
            #expect(book.changedValues().keys.sorted() == ["pages", "title"])
            book.setValue(nil, forKey: "pages")
            #expect(book.changedValues()["pages"] is NSNull)
            book.setValue(100, forKey: "pages")
            book.setValue(library.context.insert("Author"), forKey: "author")
            #expect(book.changedValues().keys.sorted() == ["author", "title"])
        }
    }

    @Test func primitivesLeaveNoTrace() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            cat.setPrimitiveValue("tom", forKey: "name")
            #expect(cat.primitiveValue(forKey: "name") as? String == "tom")
            #expect(!cat.hasChanges && context.updatedObjects.isEmpty)
            cat.willChangeValue(forKey: "age")
            cat.setPrimitiveValue(3, forKey: "age")
            cat.didChangeValue(forKey: "age")
            #expect(cat.isUpdated && cat.changedValues()["age"] as? Int == 3)
            try context.save()
            context.reset()
            #expect(try context.fetchAll("Creature").first?.value(forKey: "age") as? Int == 3)
        }
    }

    /// What a hand-written accessor of a relationship does: the brackets keep the inverse.
    @Test func bracketsKeepInverses() throws {
        try context.performAndWait {
            let cat = try zoo.saved(), dog = try zoo.saved("dog")
            let noah = context.insert("Keeper", ["name": "Noah"])
            cat.willChangeValue(forKey: "keeper")
            cat.setPrimitiveValue(noah, forKey: "keeper")
            cat.didChangeValue(forKey: "keeper")
            #expect(members(noah, "creatures") == [cat])
            cat.willChangeValue(forKey: "keeper")
            cat.setPrimitiveValue(nil, forKey: "keeper")
            cat.didChangeValue(forKey: "keeper")
            #expect(members(noah, "creatures").isEmpty)
            noah.willChangeValue(forKey: "creatures", withSetMutation: .set, using: [cat, dog])
            noah.setPrimitiveValue(Set([cat, dog] as [NSManagedObject]), forKey: "creatures")
            noah.didChangeValue(forKey: "creatures", withSetMutation: .set, using: [cat, dog])
            #expect(cat.value(forKey: "keeper") as? NSManagedObject === noah)
            #expect(dog.value(forKey: "keeper") as? NSManagedObject === noah)
            try context.save()
            context.reset()
            let creatures = try context.fetchAll("Creature")
            #expect(creatures.allSatisfy { $0.value(forKeyPath: "keeper.name") as? String == "Noah" })
        }
    }

    // MARK: What changed

    @Test func changedValuesAreTheNewOnes() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            #expect(cat.changedValues().isEmpty && !cat.hasPersistentChangedValues)
            cat.setValue("tom", forKey: "name")
            cat.setValue(nil, forKey: "age")
            cat.setValue("angry", forKey: "mood")
            let changed = cat.changedValues()
            #expect(Set(changed.keys) == ["name", "age", "mood"])
            #expect(changed["name"] as? String == "tom" && changed["age"] is NSNull)
            #expect(cat.hasPersistentChangedValues)
            #expect(cat.committedValues(forKeys: ["name"])["name"] as? String == "cat")
            #expect(cat.committedValues(forKeys: nil)["age"] as? Int == 1)
            #expect(cat.committedValues(forKeys: nil)["keeper"] is NSNull)
            try context.save()
            #expect(cat.changedValues().isEmpty)
        }
    }

    @Test func anEqualValueMakesTheObjectUpdatedButHasNothingToSave() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            cat.setValue("cat", forKey: "name")
            #expect(context.updatedObjects == [cat] && cat.isUpdated && context.hasChanges)
            #expect(!cat.hasPersistentChangedValues && cat.changedValues().isEmpty)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func transientChangesAreNotPersistent() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            cat.setValue("angry", forKey: "mood")
            #expect(cat.isUpdated && !cat.hasPersistentChangedValues)
            try context.save()
            #expect(cat.value(forKey: "mood") as? String == "angry")
            context.refresh(cat, mergeChanges: false)
            #expect(cat.value(forKey: "mood") == nil)
        }
    }

    @Test func theCurrentEventKnowsWhatWasBefore() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            cat.setValue("tom", forKey: "name")
            #expect(cat.changedValuesForCurrentEvent()["name"] as? String == "cat")
            context.processPendingChanges()
            #expect(cat.changedValuesForCurrentEvent().isEmpty)
            cat.setValue("kit", forKey: "name")
            #expect(cat.changedValuesForCurrentEvent()["name"] as? String == "tom")
            let noah = context.insert("Keeper")
            cat.setValue(noah, forKey: "keeper")
            #expect(cat.changedValuesForCurrentEvent()["keeper"] is NSNull)
            #expect((noah.changedValuesForCurrentEvent()["creatures"] as? Set<NSManagedObject>)?.isEmpty == true)
        }
    }

    @Test func newObjectsHaveNoCommittedValues() throws {
        context.performAndWait {
            let cat = context.insert("Creature", ["name": "cat"])
            #expect(cat.committedValues(forKeys: nil).values.allSatisfy { $0 is NSNull })
            #expect(cat.changedValues()["name"] as? String == "cat" && cat.hasPersistentChangedValues)
        }
    }

    @Test func aRelationshipChangesOnBothSides() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            let noah = context.insert("Keeper", ["name": "Noah"]), eve = context.insert("Keeper", ["name": "Eve"])
            cat.setValue(noah, forKey: "keeper")
            try context.save()
            cat.setValue(eve, forKey: "keeper")
            #expect(context.updatedObjects == [cat, noah, eve])
            #expect(noah.changedValues().keys.sorted() == ["creatures"])
            #expect(noah.committedValues(forKeys: ["creatures"])["creatures"] as? Set<NSManagedObject> == [cat])
            #expect(cat.committedValues(forKeys: ["keeper"])["keeper"] as? NSManagedObject === noah)
        }
    }

    // MARK: Key paths and collection operators

    @Test func keyPathsLeadThroughRelationships() throws {
        try context.performAndWait {
            let noah = context.insert("Keeper", ["name": "Noah"])
            for (name, age) in [("cat", 2), ("dog", 4), ("cow", 9)] {
                context.insert("Creature", ["name": name, "age": age, "keeper": noah])
            }
            #expect(noah.value(forKeyPath: "creatures.@count") as? Int == 3)
            #expect(noah.value(forKeyPath: "creatures.@sum.age") as? Int == 15)
            #expect((noah.value(forKeyPath: "creatures.@avg.age") as? NSNumber)?.doubleValue == 5)
            #expect(noah.value(forKeyPath: "creatures.@min.age") as? Int == 2)
            #expect(noah.value(forKeyPath: "creatures.@max.name") as? String == "dog")
            let cat = try #require(members(noah, "creatures").first)
            #expect(cat.value(forKeyPath: "keeper.name") as? String == "Noah")
            cat.setValue("Ham", forKeyPath: "keeper.name")
            #expect(noah.value(forKey: "name") as? String == "Ham")
            noah.setValue(1, forKeyPath: "creatures.age")
            #expect(noah.value(forKeyPath: "creatures.@sum.age") as? Int == 3)
        }
    }

    @Test func dictionariesOfValues() throws {
        context.performAndWait {
            let cat = context.insert("Creature", ["name": "cat"])
            cat.setValuesForKeys(["name": NSNull(), "age": 4])
            let values = cat.dictionaryWithValues(forKeys: ["name", "age"])
            #expect(values["name"] is NSNull && values["age"] as? Int == 4)
            cat["name"] = "tom"
            #expect(cat["name"] as? String == "tom")
            #expect(cat.value(forKey: "shout") as? String == "TOM")
        }
    }

    @Test func unknownKeysStopTheProgramByName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Zoo().context.insert("Keeper").value(forKey: "nonsense")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("the entity Keeper is not key value coding-compliant for the key \"nonsense\""))
    }

    @Test func valuesOfAnotherTypeStopTheProgram() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Zoo().context.insert("Keeper").setValue(7, forKey: "name")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Unacceptable type of value for attribute: property = \"name\""))
    }

    @Test func objectsOfTwoContextsCannotBeRelated() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let zoo = try Zoo()
            let noah = zoo.context.insert("Keeper")
            zoo.library.makeContext().insert("Creature").setValue(noah, forKey: "keeper")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains("Illegal attempt to establish a relationship 'keeper' between objects in different contexts"))
    }

    // MARK: Live collections

    @Test func liveSetsChangeTheRelationship() throws {
        context.performAndWait {
            let noah = context.insert("Keeper")
            let creatures = (0..<5).map { context.insert("Creature", ["age": $0]) }
            let set = noah.mutableSetValue(forKey: "creatures")
            set.add(creatures[0])
            set.addObjects(from: [creatures[1], creatures[2]])
            #expect(set.count == 3 && set.contains(creatures[1]) && members(noah, "creatures").count == 3)
            #expect(creatures[2].value(forKey: "keeper") as? NSManagedObject === noah)
            set.minus([creatures[0]])
            #expect(creatures[0].value(forKey: "keeper") == nil)
            set.union([creatures[3], creatures[4]])
            #expect(members(noah, "creatures") == Set(creatures[1...]))
            set.intersect([creatures[4], creatures[0]])
            #expect(members(noah, "creatures") == [creatures[4]])
            set.setSet([creatures[0], creatures[1]])
            #expect(members(noah, "creatures") == [creatures[0], creatures[1]])
            #expect(set.allObjects.count == 2)
            // Live both ways.
            creatures[2].setValue(noah, forKey: "keeper")
            #expect(set.count == 3)
            set.removeAllObjects()
            #expect(members(noah, "creatures").isEmpty && creatures[2].value(forKey: "keeper") == nil)
        }
    }

    @Test func liveOrderedSetsKeepTheOrder() throws {
        try context.performAndWait {
            let noah = context.insert("Keeper")
            let toys = (0..<6).map { context.insert("Toy", ["name": "\($0)"]) }
            let set = noah.mutableOrderedSetValue(forKey: "toys")
            func names() -> String {
                ((noah.value(forKey: "toys") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []).compactMap {
                    $0.value(forKey: "name") as? String
                }.joined()
            }
            set.addObjects(from: [toys[0], toys[1], toys[2]])
            #expect(names() == "012")
            set.insert(toys[3], at: 1)
            #expect(names() == "0312")
            set.add(toys[0])
            #expect(names() == "0312")
            set.exchangeObject(at: 0, withObjectAt: 3)
            #expect(names() == "2310")
            set.moveObjects(at: IndexSet([0, 1]), to: 2)
            #expect(names() == "1023")
            set.replaceObject(at: 0, with: toys[5])
            #expect(names() == "5023" && toys[1].value(forKey: "keeper") == nil)
            set.removeObject(at: 1)
            #expect(names() == "523")
            set.remove(toys[2])
            #expect(names() == "53" && set.index(of: toys[3]) == 1)
            set.insert([toys[0], toys[1]], at: IndexSet([0, 2]))
            #expect(names() == "0513")
            set.removeObjects(at: IndexSet([0, 3]))
            #expect(names() == "51")
            set.removeObjects(in: [toys[5]])
            #expect(names() == "1")
            set.add(toys[4])
            try context.save()
            context.reset()
            let again = try #require(try context.fetchAll("Keeper").first)
            let saved = (again.value(forKey: "toys") as? NSOrderedSet)?.array as? [NSManagedObject]
            #expect(saved?.map { $0.value(forKey: "name") as? String } == ["1", "4"])
        }
    }

    @Test func setsThatWereReadAreSnapshots() throws {
        context.performAndWait {
            let noah = context.insert("Keeper")
            let before = members(noah, "creatures")
            context.insert("Creature", ["keeper": noah])
            #expect(before.isEmpty && members(noah, "creatures").count == 1)
        }
    }

    // MARK: Faults of relationships

    @Test(arguments: StoreKind.allCases) func relationshipFaultsAreTold(_ store: StoreKind) throws {
        let zoo = try Zoo(store: store)
        let context = zoo.context
        try context.performAndWait {
            let noah = context.insert("Keeper", ["name": "Noah"])
            let cat = context.insert("Creature", ["name": "cat", "keeper": noah])
            try context.save()
            let (noahID, catID) = (noah.objectID, cat.objectID)
            context.reset()
            let keeper = try context.existingObject(with: noahID)
            #expect(keeper.hasFault(forRelationshipNamed: "creatures"))
            #expect(keeper.objectIDs(forRelationshipNamed: "creatures") == [catID])
            #expect(keeper.objectIDs(forRelationshipNamed: "toys") == [])
            let creature = try context.existingObject(with: catID)
            #expect(creature.objectIDs(forRelationshipNamed: "keeper") == [noahID])
            #expect(!creature.hasFault(forRelationshipNamed: "keeper"))
            _ = keeper.value(forKey: "creatures")
            #expect(!keeper.hasFault(forRelationshipNamed: "creatures"))
        }
    }

    @Test func descriptionsDoNotFireFaults() throws {
        try context.performAndWait {
            let cat = try zoo.saved()
            context.refresh(cat, mergeChanges: false)
            #expect(cat.description.contains("<fault>") && cat.isFault && cat.faultingState == 1)
            #expect(!cat.objectID.isTemporaryID && cat.entity.name == "Creature" && cat.isFault)
            _ = cat.value(forKey: "name")
            #expect(cat.description.contains("name = cat") && cat.faultingState == 0)
        }
    }

    /// At Apple a value set by key is an `NSNumber`, which casts to every type that holds it.
    @Test func numbersInTransformablesAreOfEveryType() throws {
        let entity = LibraryModel.entity("Thing")
        entity.properties = [LibraryModel.attribute("value", .transformableAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let library = try Library(model, store: .sqlite)
        try library.context.performAndWait {
            for stored: Any in [3.0, 3, Float(3), NSNumber(value: 3), UInt8(3)] {
                let thing = library.context.insert("Thing", ["value": stored])
                for _ in 1...2 {
                    #expect(thing.value(forKey: "value") as? Int == 3, "\(type(of: stored))")
                    #expect(thing.value(forKey: "value") as? Double == 3, "\(type(of: stored))")
                    try library.context.save()
                    library.context.refresh(thing, mergeChanges: false)
                }
            }
            let list = library.context.insert("Thing", ["value": [3.0, 4.0]])
            try library.context.save()
            library.context.refresh(list, mergeChanges: false)
            #expect(list.value(forKey: "value") as? [Int] == [3, 4])
            #expect(list.value(forKey: "value") as? [Double] == [3, 4])
            list.setValue(true, forKey: "value")
            #expect(list.value(forKey: "value") as? Bool == true)
        }
    }
}

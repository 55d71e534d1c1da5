import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Composite, transformable and derived attributes in chains of contexts, refreshed, undone, rolled back, merged and in
/// conflicts.
@Suite("Special attributes")
struct SpecialAttributeTests {
    let library: SQLiteLibrary
    let child: NSManagedObjectContext
    var context: NSManagedObjectContext { library.context }

    /// A place has an address of parts, a list of words, what it is looked up by, and visits, which the store counts.
    init() throws {
        let place = LibraryModel.entity("Place"), visit = LibraryModel.entity("Visit")
        let geo = NSCompositeAttributeDescription()
        geo.name = "geo"
        geo.elements = [
            LibraryModel.attribute("lat", .doubleAttributeType), LibraryModel.attribute("lon", .doubleAttributeType),
        ]
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.elements = [
            LibraryModel.attribute("city", .stringAttributeType),
            LibraryModel.attribute("zip", .integer32AttributeType),
            geo,
        ]
        let words = LibraryModel.attribute("words", .transformableAttributeType)
        words.valueTransformerName = "NSSecureUnarchiveFromData"
        place.properties = [
            LibraryModel.attribute("name", .stringAttributeType), address, words,
            Self.derived("key", .stringAttributeType, "canonical:(name)"),
            Self.derived("visitCount", .integer64AttributeType, "visits.@count"),
        ]
        visit.properties = [
            LibraryModel.attribute("day", .integer32AttributeType),
            Self.derived("placeName", .stringAttributeType, "place.name"),
        ]
        LibraryModel.relate(place, "visits", many: true, visit, "place", many: false)
        let model = NSManagedObjectModel()
        model.entities = [place, visit]
        library = try SQLiteLibrary(model)
        child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = library.context
    }

    private static func derived(
        _ name: String, _ type: NSAttributeType, _ format: String
    ) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.derivationExpression = NSExpression(format: format)
        return attribute
    }

    // MARK: Values as text

    private func address(_ object: NSManagedObject?) -> String { text(object?.value(forKey: "address")) }

    private func text(_ value: Any?) -> String {
        guard let value = value as? [String: Any] else { return "nil" }
        return value.keys.sorted().map { key in
            value[key] is [String: Any] ? "\(key)(\(text(value[key])))" : "\(key)=\(value[key]!)"
        }.joined(separator: " ")
    }

    private func words(_ object: NSManagedObject?) -> [String]? { object?.value(forKey: "words") as? [String] }
    private func count(_ object: NSManagedObject?) -> Int? { object?.value(forKey: "visitCount") as? Int }
    private func key(_ object: NSManagedObject?) -> String? { object?.value(forKey: "key") as? String }

    private func rome() throws -> NSManagedObject {
        let place = context.insert(
            "Place", ["name": "Röme", "address": ["city": "Rome", "zip": 1], "words": ["sea", "salt"]])
        try context.save()
        return place
    }

    /// What is saved, as a context that knows nothing yet reads it.
    private func saved() throws -> NSManagedObject {
        let context = library.makeContext()
        let place = try #require(try context.fetchAll("Place").first)
        _ = [address(place), key(place) ?? ""] + (words(place) ?? [])
        kept.objects.append(context)
        return place
    }

    private final class Kept { var objects: [AnyObject] = [] }
    private let kept = Kept()

    // MARK: Parents and children

    @Test func aChildsObjectArrivesWhole() throws {
        let place = try child.performAndWait {
            let place = child.insert(
                "Place",
                ["name": "Ôslo", "address": ["city": "Oslo", "geo": ["lat": 59.9, "lon": 10.7]], "words": ["a"]])
            child.insert("Visit", ["day": 1, "place": place])
            #expect(key(place) == nil && count(place) == nil)
            try child.save()
            return place
        }
        try context.performAndWait {
            let same = try #require(context.insertedObjects.first { $0.entity.name == "Place" })
            #expect(address(same) == "city=Oslo geo(lat=59.9 lon=10.7)" && words(same) == ["a"])
            try context.save()
            #expect(key(same) == "oslo" && count(same) == 1)
            let visit = try #require(try context.fetchAll("Visit").first)
            #expect(visit.value(forKey: "placeName") as? String == "Ôslo")
        }
        try child.performAndWait {
            child.refresh(place, mergeChanges: false)
            #expect(key(place) == "oslo" && count(place) == 1)
            #expect(address(place) == "city=Oslo geo(lat=59.9 lon=10.7)" && words(place) == ["a"])
            // A part that is not there any more goes with the old value.
            place.setValue(["zip": 7], forKey: "address")
            place.setValue(nil, forKey: "words")
            place.setValue("OSLO 2", forKey: "name")
            try child.save()
        }
        try context.performAndWait {
            let same = try #require(context.updatedObjects.first)
            #expect(address(same) == "zip=7" && words(same) == nil && key(same) == "oslo")
            try context.save()
            #expect(key(same) == "oslo 2")
        }
        let file = try saved()
        #expect(address(file) == "zip=7" && words(file) == nil && key(file) == "oslo 2" && count(file) == 1)
    }

    @Test func aChildsValueIsTakenAsAWhole() throws {
        let id = try context.performAndWait { try rome().objectID }
        let place = try child.performAndWait {
            let place = try child.existingObject(with: id)
            place.setValue(["city": "Pisa", "zip": 1], forKey: "address")
            return place
        }
        try context.performAndWait {
            try context.existingObject(with: id).setValue(["city": "Rome", "zip": 2], forKey: "address")
        }
        try child.performAndWait { try child.save() }
        try context.performAndWait {
            #expect(address(try context.existingObject(with: id)) == "city=Pisa zip=1")
            try context.save()
        }
        #expect(address(try saved()) == "city=Pisa zip=1")
        child.performAndWait { #expect(address(place) == "city=Pisa zip=1") }
    }

    // MARK: Refreshing, merging

    /// Both sides change other parts of one value: what was set here stays whole.
    @Test(arguments: [true, false]) func mergedChangesDoNotMixValues(_ merges: Bool) throws {
        let place = try rome()
        let other = library.makeContext()
        try other.performAndWait {
            let same = try other.existingObject(with: place.objectID)
            same.setValue(["city": "Rome", "zip": 2], forKey: "address")
            same.setValue(["wind"], forKey: "words")
            same.setValue("Roma", forKey: "name")
            other.insert("Visit", ["place": same])
            try other.save()
        }
        place.setValue(["city": "Pisa", "zip": 1], forKey: "address")
        if merges {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: [place.objectID]], into: [context])
        } else {
            context.refresh(place, mergeChanges: true)
        }
        #expect(address(place) == "city=Pisa zip=1" && words(place) == ["wind"])
        #expect(key(place) == "roma" && count(place) == 1)
        #expect(place.changedValues().keys.sorted() == ["address"])
        #expect(text(place.committedValues(forKeys: ["address"])["address"]) == "city=Rome zip=2")
        try context.save()
        let file = try saved()
        #expect(address(file) == "city=Pisa zip=1" && words(file) == ["wind"] && key(file) == "roma")
    }

    @Test func refreshingDropsThem() throws {
        let place = try rome()
        place.setValuesForKeys(["address": ["city": "Pisa"], "words": ["x"], "name": "y"])
        context.refresh(place, mergeChanges: false)
        #expect(address(place) == "city=Rome zip=1" && words(place) == ["sea", "salt"] && key(place) == "rome")
        #expect(!context.hasChanges)
    }

    @Test func theSavingContextKnowsWhatTheStoreComputed() throws {
        let place = try rome()
        nonisolated(unsafe) var refreshed: Set<NSManagedObject> = []
        let visit = context.insert("Visit", ["place": place])
        try context.save()
        #expect(count(place) == 1 && visit.value(forKey: "placeName") as? String == "Röme")
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { refreshed.formUnion($0.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []) }
        defer { NotificationCenter.default.removeObserver(token) }
        place.setValue("Roma", forKey: "name")
        try context.save()
        // The visit was not saved itself; those who show it are told.
        #expect(visit.value(forKey: "placeName") as? String == "Roma")
        context.processPendingChanges()
        #expect(refreshed.contains(visit) && !context.hasChanges)
    }

    @Test func whatIsSetByHandGivesWayToTheStore() throws {
        let place = try rome()
        place.setValue("other", forKey: "key")
        place.setValue(99, forKey: "visitCount")
        try context.save()
        #expect(key(place) == "rome" && count(place) == 0)
        let file = try saved()
        #expect(key(file) == "rome" && count(file) == 0)
    }

    // MARK: Undo, rollback

    @Test func undoAndRedo() throws {
        context.undoManager = UndoManager()
        let place = try rome()
        context.undoManager?.removeAllActions()
        place.setValuesForKeys(["address": ["zip": 9], "words": ["new"], "name": "Zoë"])
        context.processPendingChanges()
        #expect(place.changedValues().keys.sorted() == ["address", "name", "words"])
        context.undo()
        #expect(address(place) == "city=Rome zip=1" && words(place) == ["sea", "salt"])
        #expect(place.changedValues().isEmpty)
        context.redo()
        #expect(address(place) == "zip=9" && words(place) == ["new"])
        try context.save()
        #expect(key(place) == "zoe")
        context.undo()
        try context.save()
        #expect(key(place) == "rome" && address(place) == "city=Rome zip=1" && words(place) == ["sea", "salt"])
        context.delete(place)
        try context.save()
        context.undo()
        try context.save()
        let back = try #require(try context.fetchAll("Place").first)
        #expect(key(back) == "rome" && address(back) == "city=Rome zip=1" && words(back) == ["sea", "salt"])
        #expect(count(back) == 0)
    }

    @Test func changesOfTheEvent() throws {
        let place = try rome()
        place.setValue(["city": "Pisa"], forKey: "address")
        place.setValue(["x"], forKey: "words")
        let old = place.changedValuesForCurrentEvent()
        #expect(text(old["address"]) == "city=Rome zip=1" && old["words"] as? [String] == ["sea", "salt"])
        context.processPendingChanges()
        #expect(place.changedValuesForCurrentEvent().isEmpty)
        let committed = place.committedValues(forKeys: ["address", "words"])
        #expect(text(committed["address"]) == "city=Rome zip=1" && committed["words"] as? [String] == ["sea", "salt"])
        // The same value again is no change.
        place.setValue(["city": "Rome", "zip": 1], forKey: "address")
        place.setValue(["sea", "salt"], forKey: "words")
        #expect(place.changedValues().keys.sorted() == [] && !place.hasPersistentChangedValues)
    }

    @Test func rollingBack() throws {
        let place = try rome()
        place.setValuesForKeys(["address": ["zip": 9], "words": NSNull(), "name": "Zoë"])
        context.processPendingChanges()
        place.setValue(["zip": 10], forKey: "address")
        context.rollback()
        #expect(address(place) == "city=Rome zip=1" && words(place) == ["sea", "salt"] && key(place) == "rome")
        #expect(!context.hasChanges)
    }

    // MARK: Conflicts

    @Test(arguments: ConflictTests.policies.filter { $0 != .errorMergePolicyType })
    func conflictsAreDecidedByWholeValues(_ policy: NSMergePolicyType) throws {
        context.mergePolicy = NSMergePolicy(merge: policy)
        let place = try rome()
        let other = library.makeContext()
        try other.performAndWait {
            let same = try other.existingObject(with: place.objectID)
            same.setValue(["city": "Rome", "zip": 2], forKey: "address")
            same.setValue("Roma", forKey: "name")
            other.insert("Visit", ["place": same])
            try other.save()
        }
        place.setValue(["city": "Pisa", "zip": 1], forKey: "address")
        place.setValue(["here"], forKey: "words")
        try context.save()
        let (wantedAddress, wantedWords, wantedKey): (String, [String], String) =
            switch policy {
            case .mergeByPropertyStoreTrumpMergePolicyType: ("city=Rome zip=2", ["here"], "roma")
            case .mergeByPropertyObjectTrumpMergePolicyType: ("city=Pisa zip=1", ["here"], "roma")
            case .overwriteMergePolicyType: ("city=Pisa zip=1", ["here"], "rome")
            default: ("city=Rome zip=2", ["sea", "salt"], "roma")
            }
        for object in [place, try saved()] {
            #expect(address(object) == wantedAddress && words(object) == wantedWords && key(object) == wantedKey)
            // The count is the store's to say, whatever the policy.
            #expect(count(object) == 1)
        }
    }
}

import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Fetches by value among many unsaved objects: they find what evaluating the predicate for each would, in time that does not
/// grow with the number of unsaved objects.
///
/// The expectations are those of fetches over pending changes in general: Apple's documentation of `includesPendingChanges`.
@Suite
struct PendingLookupTests {
    private let library: Library
    private var context: NSManagedObjectContext { library.context }

    init() throws { library = try Library(ItemModel.make(), store: .sqlite) }

    /// Saves 10 items, numbered from 0, and inserts 50 more, numbered from 100.
    private func fill() throws -> (saved: [CountedItem], new: [CountedItem]) {
        let saved = (0..<10).map { item($0) }
        try context.save()
        let new = (100..<150).map { item($0) }
        #expect(try find("number == 120") == [new[20]])
        return (saved, new)
    }

    private func item(_ number: Int, _ entity: String = "Item") -> CountedItem {
        context.insert(entity, ["number": number, "word": "word \(number)"]) as! CountedItem
    }

    private func find(_ format: String, _ arguments: Any..., entity: String = "Item") throws -> [NSManagedObject] {
        try LookupCheck.compare(NSPredicate(format: format, argumentArray: arguments), in: context, entity: entity)
    }

    // MARK: Cost

    enum Form: CaseIterable { case objects, count, identifiers, inList, conjunction, weakFirst, relationship }

    /// Each value is read a few times, not once for every fetch. Reading is what evaluation does: the class counts it.
    @Test(arguments: Form.allCases)
    func findOrCreateIsLinear(_ form: Form) throws {
        let rounds = LongForm.choose(400, long: 1000)
        let owners = (0..<10).map { context.insert("Owner", ["name": "\($0)"]) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.fetchLimit = 1
        let identifiers = NSFetchRequest<NSManagedObjectID>(entityName: "Item")
        identifiers.resultType = .managedObjectIDResultType
        identifiers.fetchLimit = 1
        let reads = CountedItem.Reads()
        try CountedItem.$reads.withValue(reads) {
            for number in (0..<rounds).map({ $0 % (rounds / 2) }) {
                switch form {
                case .inList: request.predicate = NSPredicate(format: "number IN %@", [number, -1])
                case .conjunction:
                    request.predicate = NSPredicate(format: "word != nil AND (flag == nil AND number == %d)", number)
                case .weakFirst: request.predicate = NSPredicate(format: "flag == nil AND number == %d", number)
                case .relationship:
                    request.predicate = NSPredicate(format: "owner == %@ AND number == %d", owners[number % 10], number)
                default: request.predicate = NSPredicate(format: "number == %d", number)
                }
                identifiers.predicate = request.predicate
                let isKnown =
                    switch form {
                    case .count: try context.count(for: request) > 0
                    case .identifiers: try !context.fetch(identifiers).isEmpty
                    default: try !context.fetch(request).isEmpty
                    }
                if !isKnown {
                    let new = item(number)
                    if form == .relationship { new.setValue(owners[number % 10], forKey: "owner") }
                }
            }
        }
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item")) == rounds / 2)
        // Evaluation for each would read some 375,000 values for 1,000 rounds, and 60,000 for 400.
        #expect(reads.count < 30 * rounds, "\(reads.count) reads")
    }

    @Test func changesBetweenFetchesAreReadOnce() throws {
        let items = (0..<1000).map { item($0) }
        let reads = CountedItem.Reads()
        try CountedItem.$reads.withValue(reads) {
            for (index, item) in items.enumerated() {
                item.number = Int64(2000 + index)
                let number = NSPredicate(format: "number == %d", 2000 + index)
                let word = NSPredicate(format: "word == %@", "word \(index)")
                let found = try LookupCheck.fetch(number, in: context) + LookupCheck.fetch(word, in: context)
                #expect(found == [item, item])
            }
        }
        // Evaluation for each would read 2,000,000 values.
        #expect(reads.count < 30 * items.count, "\(reads.count) reads")
    }

    // MARK: Ways of changing

    enum Way: CaseIterable { case accessor, coding, primitive, pair, several }

    private func set(_ number: Int?, of item: CountedItem, _ way: Way) {
        switch way {
        case .accessor: item.number = number.map { Int64($0) }
        case .coding: item.setValue(number, forKey: "number")
        case .primitive: item.setPrimitiveValue(number, forKey: "number")
        case .pair:
            item.willChangeValue(forKey: "number")
            item.setPrimitiveValue(number, forKey: "number")
            item.didChangeValue(forKey: "number")
        case .several: item.setValuesForKeys(["number": number ?? NSNull(), "word": "x"])
        }
    }

    @Test(arguments: Way.allCases)
    func changedValues(_ way: Way) throws {
        let (saved, new) = try fill()
        for (index, item) in [new[20], saved[3]].enumerated() {
            let old = item.number!
            set(7000 + index, of: item, way)
            #expect(try find("number == %d", old).count == (way == .primitive && item === saved[3] ? 1 : 0))
            if way != .primitive || item === new[20] {
                #expect(try find("number == %d", 7000 + index) == [item])
            }
            // Once more, and back.
            set(nil, of: item, way)
            if way != .primitive || item === new[20] { #expect(try find("number == nil") == [item]) }
            set(Int(old), of: item, way)
            #expect(try find("number == %d", old) == [item])
        }
    }

    /// Two writes in one run of changes, with a fetch of something else between.
    @Test func writesAfterFetchesOfOtherThings() throws {
        let (_, new) = try fill()
        new[0].number = 7000
        _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Owner"))
        new[0].number = 7001
        new[0].number = 7002
        #expect(try find("number == 7002") == [new[0]])
        #expect(try find("number == 7001 OR number == 7000").isEmpty)
    }

    @Test func deletedAndInsertedAgain() throws {
        let (saved, new) = try fill()
        context.delete(new[0])
        context.delete(saved[0])
        #expect(try find("number == 100").isEmpty)
        #expect(try find("number == 0").isEmpty)
        context.insert(saved[0])
        #expect(try find("number == 0") == [saved[0]])
        let again = item(100)
        #expect(try find("number == 100") == [again])
    }

    @Test func undoAndRedo() throws {
        context.undoManager = UndoManager()
        let (saved, new) = try fill()
        context.processPendingChanges()
        saved[1].number = 7000
        new[1].number = 7000
        #expect(try find("number == 7000").count == 2)
        context.delete(new[2])
        #expect(try find("number == 102").isEmpty)
        context.undo()
        #expect(try find("number == 102") == [new[2]])
        context.undo()
        #expect(try find("number == 7000").isEmpty)
        #expect(try find("number == 1") == [saved[1]])
        #expect(try find("number == 101") == [new[1]])
        context.redo()
        #expect(try find("number == 7000").count == 2)
        context.undoManager = nil
    }

    @Test func rollbackResetAndSave() throws {
        let (saved, _) = try fill()
        saved[1].number = 7000
        #expect(try find("number == 7000") == [saved[1]])
        context.rollback()
        #expect(try find("number == 7000").isEmpty)
        #expect(try find("number == 1") == [saved[1]])
        let more = (200..<250).map { item($0) }
        #expect(try find("number == 220") == [more[20]])
        try context.save()
        #expect(try find("number == 220") == [more[20]])
        more[20].number = 1
        #expect(Set(try find("number == 1")) == [more[20], saved[1]])
        let others = (300..<350).map { item($0) }
        #expect(try find("number == 310") == [others[10]])
        context.reset()
        #expect(try find("number == 310").isEmpty)
        #expect(try find("number == 220").count == 1)
    }

    @Test func refreshing() throws {
        let (saved, new) = try fill()
        let other = library.makeContext()
        let copy = try #require(
            try LookupCheck.fetch(NSPredicate(format: "number == 4"), in: other).first as? CountedItem)
        copy.number = 8000
        try other.save()
        saved[4].word = "mine"
        saved[5].number = 9000
        #expect(try find("number == 4") == [saved[4]])
        context.refresh(saved[4], mergeChanges: true)
        #expect(try find("number == 8000") == [saved[4]])
        #expect(try find("number == 8000 AND word == 'mine'") == [saved[4]])
        context.refresh(saved[5], mergeChanges: false)
        #expect(try find("number == 9000").isEmpty)
        #expect(try find("number == 5") == [saved[5]])
        context.refresh(new[5], mergeChanges: false)
        #expect(try find("number == 105").isEmpty)
        context.refreshAllObjects()
        #expect(try find("number == 106") == [new[6]])
        #expect(try find("number == 8000") == [saved[4]])
    }

    @Test func mergingWhatAnotherContextSaved() throws {
        let (saved, _) = try fill()
        for item in saved { item.word = "mine" }
        #expect(try find("number == 4") == [saved[4]])
        let other = library.makeContext()
        let center = NotificationCenter.default
        let token = center.addObserver(forName: .NSManagedObjectContextDidSave, object: other, queue: nil) {
            [context] notification in context.mergeChanges(fromContextDidSave: notification)
        }
        defer { center.removeObserver(token) }
        let copies = try LookupCheck.fetch(NSPredicate(format: "number < 10"), in: other)
        for case let copy as CountedItem in copies where copy.number == 4 { copy.number = 8000 }
        for case let copy as CountedItem in copies where copy.number == 6 { other.delete(copy) }
        try other.save()
        #expect(try find("number == 8000") == [saved[4]])
        #expect(try find("number == 4").isEmpty)
        #expect(try find("number == 6").isEmpty)
    }

    @Test func nestedContexts() throws {
        let (_, new) = try fill()
        let child = library.makeChild()
        for number in 200..<250 { child.insert("Item", ["number": number]) }
        let copy = child.object(with: new[3].objectID)
        copy.setValue(7000, forKey: "number")
        #expect(try LookupCheck.compare(NSPredicate(format: "number == 7000"), in: child) == [copy])
        #expect(try LookupCheck.compare(NSPredicate(format: "number == 103"), in: child).isEmpty)
        #expect(try LookupCheck.compare(NSPredicate(format: "number == 104"), in: child).count == 1)
        #expect(try find("number == 7000").isEmpty)
        try child.save()
        #expect(try find("number == 7000") == [new[3]])
        #expect(try find("number == 220").count == 1)
        try context.save()
        // The child's own queue takes over the permanent IDs.
        var found: [NSManagedObject]?
        child.performAndWait {
            found = try? LookupCheck.compare(NSPredicate(format: "number == 7000"), in: child)
        }
        #expect(found == [copy])
    }

    @Test func hooksThatChangeValues() throws {
        let (_, new) = try fill()
        let center = NotificationCenter.default
        nonisolated(unsafe) var found: [Int] = []
        let token = center.addObserver(forName: .NSManagedObjectContextWillSave, object: context, queue: nil) {
            [context] _ in
            new[1].number = 7000
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: "number == 7000")
            found.append((try? context.count(for: request)) ?? -1)
            request.predicate = NSPredicate(format: "number == 101")
            found.append((try? context.count(for: request)) ?? -1)
        }
        try context.save()
        center.removeObserver(token)
        #expect(found == [1, 0])
        #expect(try find("number == 7000") == [new[1]])
    }

    // MARK: Relationships and IDs

    @Test func relationships() throws {
        let (saved, new) = try fill()
        let ann = context.insert("Owner", ["name": "Ann"]), bob = context.insert("Owner", ["name": "Bob"])
        new[0].setValue(ann, forKey: "owner")
        ann.mutableSetValue(forKey: "items").add(new[1])
        saved[1].setValue(ann, forKey: "owner")
        #expect(try Set(find("owner == %@", ann)) == [new[0], new[1], saved[1]])
        bob.setValue(Set([new[1]]), forKey: "items")
        #expect(try Set(find("owner == %@", ann)) == [new[0], saved[1]])
        #expect(try find("owner == %@", bob.objectID) == [new[1]])
        try context.obtainPermanentIDs(for: [bob])
        #expect(try find("owner == %@", bob) == [new[1]])
        #expect(try find("owner IN %@", [bob.objectID]) == [new[1]])
        context.delete(bob)
        #expect(try find("owner == nil").contains(new[1]))
        try context.save()
        #expect(try Set(find("owner == %@", ann)) == [new[0], saved[1]])
    }

    @Test func objectsWithPermanentIDs() throws {
        let (_, new) = try fill()
        try context.obtainPermanentIDs(for: new)
        #expect(try find("number == 120") == [new[20]])
        new[20].number = 7000
        #expect(try find("number == 7000") == [new[20]])
        #expect(try find("number == 120").isEmpty)
    }

    @Test func removedStores() throws {
        let (saved, _) = try fill()
        saved[1].number = 7000
        #expect(try find("number == 7000") == [saved[1]])
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        _ = try library.coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        for number in 400..<450 { _ = item(number) }
        #expect(try find("number == 7000").isEmpty)
        #expect(try find("number == 420").count == 1)
    }

    // MARK: What equals what

    @Test func valuesOfEveryKind() throws {
        let (_, new) = try fill()
        let date = Date(timeIntervalSinceReferenceDate: 0), code = UUID()
        let values: [String: Any] = [
            "amount": 7.0, "price": NSDecimalNumber(string: "0.1"), "when": date, "code": code, "flag": true,
            "word": "e\u{301}",
        ]
        for (key, value) in values { new[4].setValue(value, forKey: key) }
        new[5].setValue(-0.0, forKey: "amount")
        new[5].setValue("\u{E9}", forKey: "word")
        new[6].setValue(Double.nan, forKey: "amount")
        #expect(try find("amount == 7") == [new[4]])
        #expect(try find("amount == %@", NSDecimalNumber(value: 7)) == [new[4]])
        #expect(try find("amount == '7'") == [new[4]])
        #expect(try find("amount == 0") == [new[5]])
        #expect(try find("7 == amount") == [new[4]])
        #expect(try find("price == %@", NSDecimalNumber(string: "0.1")) == [new[4]])
        #expect(try find("price == 0.1") == [new[4]])
        #expect(try find("when == %@", date) == [new[4]])
        #expect(try find("when == 0") == [new[4]])
        #expect(try find("code == %@", code) == [new[4]])
        #expect(try find("code == %@", code.uuidString) == [new[4]])
        #expect(try find("flag == YES") == [new[4]])
        #expect(try find("flag == 1.0") == [new[4]])
        #expect(try find("number == '104'") == [new[4]])
        #expect(try find("number == 104.5").isEmpty)
        #expect(try find("word == %@", "e\u{301}") == [new[4]])
        #expect(try find("word == %@", "\u{E9}") == [new[5]])
        #expect(try find("word ==[c] 'WORD 107'") == [new[7]])
        #expect(try find("word == 'WORD 107'").isEmpty)
        #expect(try find("number IN {101, 103.0, '105'}").count == 3)
        #expect(try find("number IN %@", Set([101, 103])).count == 2)
        #expect(try find("number IN {}").isEmpty)
        #expect(try find("number == 101 AND word == 'word 101' AND flag == nil") == [new[1]])
        #expect(try find("number == 101 AND word == 'word 102'").isEmpty)
    }

    @Test func subentities() throws {
        _ = try fill()
        let special = item(500, "Special")
        #expect(try find("number == 500") == [special])
        #expect(try find("number == 500", entity: "Special") == [special])
        #expect(try find("number == 101", entity: "Special").isEmpty)
        let only = try LookupCheck.compare(NSPredicate(format: "number == 500"), in: context) {
            $0.includesSubentities = false
        }
        #expect(only.isEmpty)
    }

    @Test func orderAndLimit() throws {
        let (saved, new) = try fill()
        for item in [new[30], new[10], saved[2]] { item.word = "same" }
        new[20].word = "same"
        #expect(try find("word == 'same'") == [new[10], new[20], new[30], saved[2]])
        let first = try LookupCheck.compare(NSPredicate(format: "word == 'same'"), in: context) {
            $0.fetchLimit = 2
            $0.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        }
        #expect(first == [new[30], new[20]])
    }

    @Test func storesOfARequest() throws {
        let (_, new) = try fill()
        let second = try library.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        context.assign(new[1], to: second)
        for (stores, isFound) in [([second], true), ([library.coordinator.persistentStores[0]], false)] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: "number == 101")
            request.affectedStores = stores
            #expect(try context.fetch(request) == (isFound ? [new[1]] : []))
        }
    }

    // MARK: Errors

    /// Without a store nothing but evaluation finds what is wrong with a predicate. It reaches an operand of AND where those
    /// before it hold.
    @Test(arguments: [
        ("nowhere == 1", true), ("nowhere == 1 AND number == -1", true), ("number == -1 AND nowhere == 1", false),
        ("word MATCHES '(' AND number == -1", true), ("number == -1 AND word MATCHES '('", false),
        ("number == 101 AND nowhere == 1", true), ("number == 101 AND word MATCHES '('", true),
        ("owner == 3", true), ("number == -1 AND owner == 3", true), ("note == 'x' AND number == 101", false),
    ])
    func errors(_ format: String, isError: Bool) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: ItemModel.make())
        for number in 100..<150 { context.insert("Item", ["number": number, "word": "word \(number)"]) }
        let predicate = NSPredicate(format: format)
        let plain = NSCompoundPredicate(orPredicateWithSubpredicates: [predicate, NSPredicate(value: false)])
        func failure(_ predicate: NSPredicate) -> NSError? {
            do {
                _ = try LookupCheck.fetch(predicate, in: context)
                return nil
            } catch { return error as NSError }
        }
        #expect((failure(predicate) != nil) == isError)
        #expect(failure(predicate)?.code == failure(plain)?.code)
    }
}

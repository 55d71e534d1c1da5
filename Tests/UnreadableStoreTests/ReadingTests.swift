import CoreData
import Testing

/// What could not be read is not taken for empty: reads of a store that refuses questions, once or for as long as it likes.
@Suite("Reading a store that cannot be read")
struct ReadingTests {
    /// Ways of reading one of owner "A", each with what it gives when the store answers.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case attribute, number, keyPath, primitive, toOne, toOneWithoutInverse, set, orderedSet, count, mutableSet,
            mutableOrderedSet, objectIDs, committed, collectionOperator, dictionary

        var testDescription: String { rawValue }

        func read(_ owner: NSManagedObject) -> String {
            switch self {
            case .attribute: owner.name ?? "nothing"
            case .number: "\(owner.value(forKey: "number") ?? "nothing")"
            case .keyPath: owner.value(forKeyPath: "badge.name") as? String ?? "nothing"
            case .primitive: owner.primitiveValue(forKey: "name") as? String ?? "nothing"
            case .toOne: (owner.value(forKey: "badge") as? NSManagedObject)?.name ?? "nothing"
            case .toOneWithoutInverse: (owner.value(forKey: "favourite") as? NSManagedObject)?.name ?? "nothing"
            case .set: owner.names("kids").joined(separator: " ")
            case .orderedSet: owner.names("pages").joined(separator: " ")
            case .count: "\((owner.value(forKey: "kids") as? NSSet)?.count ?? 0)"
            case .mutableSet: "\(owner.mutableSetValue(forKey: "tags").count)"
            case .mutableOrderedSet: "\(owner.mutableOrderedSetValue(forKey: "pages").count)"
            case .objectIDs: "\(owner.objectIDs(forRelationshipNamed: "kids").count)"
            case .committed: owner.committedValues(forKeys: ["name"])["name"] as? String ?? "nothing"
            case .collectionOperator: "\(owner.value(forKeyPath: "kids.@count") ?? 0)"
            case .dictionary: "\(owner.dictionaryWithValues(forKeys: ["name"])["name"] ?? "nothing")"
            }
        }

        var answer: String {
            switch self {
            case .attribute, .primitive, .committed, .dictionary: "A"
            case .number: "1"
            case .keyPath, .toOne: "Ab"
            case .toOneWithoutInverse: "T0"
            case .set: "Ak0 Ak1 Ak2"
            case .orderedSet: "Ap0 Ap1 Ap2"
            case .count, .mutableOrderedSet, .objectIDs, .collectionOperator: "3"
            case .mutableSet: "2"
            }
        }
    }

    @Test(arguments: Way.allCases, [false, true])
    func nothingEmptyIsRemembered(_ way: Way, throughParent: Bool) throws {
        let library = try Library()
        let context = throughParent ? library.child() : library.context()
        try context.performAndWait { () throws in
            let owner = try context.fault("Owner", "A")
            library.faults.refuse()
            #expect(way.read(owner) != way.answer)
            #expect(context.readError as NSError? == FaultyEngine.error)
            #expect(throws: FaultyEngine.error) { try context.save() }
            library.faults.relent()
            #expect(way.read(owner) == way.answer)
            // What was shown before is still to be told.
            #expect(throws: FaultyEngine.error) { try context.save() }
            #expect(context.takeReadError() as NSError? == FaultyEngine.error)
            #expect(way.read(owner) == way.answer)
            #expect(context.readError == nil)
            try context.save()
        }
    }

    @Test(arguments: Way.allCases)
    func readingAgainIsRight(_ way: Way) throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait { () throws in
            let owner = try context.fault("Owner", "A")
            library.faults.refuse(times: 1)
            _ = way.read(owner)
            library.faults.relent()
            #expect(way.read(owner) == way.answer)
            context.reset()
            #expect(context.readError == nil)
            try context.save()
            #expect(way.read(try context.fault("Owner", "A")) == way.answer)
        }
    }

    /// The members lie in the store beside the row, which may be at hand.
    @Test(arguments: ["kids", "pages", "tags"], [false, true])
    func relationshipsOfObjectsWithValues(_ relationship: String, throughParent: Bool) throws {
        let library = try Library()
        let context = throughParent ? library.child() : library.context()
        try context.performAndWait { () throws in
            let owner = try context.all("Owner")[0]
            #expect(owner.name == "A")
            library.faults.refuse()
            #expect(owner.names(relationship) == [])
            #expect(owner.hasFault(forRelationshipNamed: relationship))
            library.faults.relent()
            #expect(owner.names(relationship).count == (relationship == "tags" ? 2 : 3))
            #expect(context.takeReadError() != nil)
        }
    }

    /// An engine's answer that cannot be right is an error as well.
    @Test func wrongAnswersAreNotTaken() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait { () throws in
            library.faults.repeatRows(true)
            let error = #expect(throws: NSError.self) { try context.all("Kid") }
            #expect(error?.code == CoreData.NSPersistentStoreOperationError)
            #expect(error?.localizedRecoverySuggestion?.contains("FaultyStore") == true)
            library.faults.repeatRows(false)
            #expect(try context.all("Kid").count == 6)
        }
    }

    @Test func functionsThatThrowLeaveNothingBehind() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait { () throws in
            let id = try context.fault("Owner", "A").objectID
            library.faults.refuse()
            #expect(throws: FaultyEngine.error) { try context.existingObject(with: id) }
            #expect(throws: FaultyEngine.error) { try context.all("Owner") }
            #expect(throws: FaultyEngine.error) {
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Owner"))
            }
            #expect(context.readError == nil)
            library.faults.relent()
            try context.save()
        }
    }

    /// Nor are objects of a child taken for deleted ones because the parent could not read them.
    @Test func childrenOfAParentThatCannotRead() throws {
        let library = try Library()
        let child = library.child()
        try child.performAndWait { () throws in
            let owner = try child.fault("Owner", "A")
            library.faults.refuse()
            #expect(owner.name == nil)
            #expect(child.readError != nil)
            #expect(child.parent!.performAndWait { child.parent!.readError } == nil)
            library.faults.relent()
            #expect(owner.name == "A")
            #expect(!owner.isDeleted)
            #expect(child.takeReadError() != nil)
        }
    }

    @Test func prefetchingThrows() throws {
        let library = try Library()
        for path in ["kids", "pages", "tags", "badge"] {
            let context = library.context()
            try context.performAndWait { () throws in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
                request.relationshipKeyPathsForPrefetching = [path]
                library.faults.refuse([.rows, .members, .membersOfMany])
                #expect(throws: FaultyEngine.error) { try context.fetch(request) }
                library.faults.relent()
                let owner = try #require(try context.fetch(request).first { $0.name == "A" })
                #expect(owner.names(path).count > 0)
                #expect(context.readError == nil)
            }
        }
    }

    @Test func batchesAreReadAgain() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait { () throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Kid")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.fetchBatchSize = 2
            let kids = try context.fetch(request)
            library.faults.refuse()
            #expect(kids.map { $0.name ?? "nil" }.contains("nil"))
            library.faults.relent()
            #expect(kids.map(\.name) == ["Ak0", "Ak1", "Ak2", "Bk0", "Bk1", "Bk2"])
            #expect(throws: FaultyEngine.error) { try context.save() }
        }
    }

    /// A view is shown as it was, so that an index a program has is still one of it.
    @Test func observersHearOfWhatWasRefreshed() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait { () throws in
            let owner = try context.fault("Owner", "A")
            library.faults.refuse()
            #expect(owner.name == nil)
            library.faults.relent()
            nonisolated(unsafe) var refreshed: Set<NSManagedObject> = []
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { note in
                refreshed.formUnion(note.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? [])
            }
            defer { NotificationCenter.default.removeObserver(token) }
            context.takeReadError()
            #expect(refreshed == [owner])
        }
    }

    /// A predicate over unsaved objects that leads to what cannot be read has no answer.
    @Test func fetchesOverUnsavedObjectsThrow() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait { () throws in
            let owner = try context.fault("Owner", "A")
            let kid = NSEntityDescription.insertNewObject(forEntityName: "Kid", into: context)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Kid")
            request.predicate = NSPredicate(format: "owner.name == 'A'")
            kid.setValue(owner, forKey: "owner")
            context.processPendingChanges()
            context.refresh(owner, mergeChanges: false)
            library.faults.refuse([.rows])
            #expect(throws: FaultyEngine.error) { try context.fetch(request) }
            library.faults.relent()
            context.takeReadError()
            #expect(try context.fetch(request).count == 4)
        }
    }
}

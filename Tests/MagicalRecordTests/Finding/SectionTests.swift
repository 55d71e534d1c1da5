import MagicalRecord
import Testing

/// Results in sections. The users are those of ``AddressBook``: Ann and Bob are in team Red and country 49, Cid and Dora in
/// country 84, Émile in country 33; Cid and Émile are in team Blue, Dora in none.
@Suite(.addressBook(.server)) struct SectionTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newContext()
    }

    private func ids(_ sections: [MagicalRecord.Section<some Hashable, User>]) -> [[Int64]] {
        sections.map { $0.map(\.userID) }
    }

    @Test func byAnAttribute() throws {
        try context.runAndWait {
            let sections = try User.sorted(by: \.userID, .descending).sections(by: \.countryCode, in: context)
            #expect(sections.map(\.key) == [33, 49, 84])
            #expect(ids(sections) == [[5], [2, 1], [4, 3]])
            #expect(sections[1].id == 49 && sections[1].count == 2 && sections[1][0] === sections[1].objects[0])
            #expect(sections[0] == MagicalRecord.Section(key: 33, objects: [sections[0][0]]))
        }
    }

    /// Missing values sort first where the order ascends and last where it descends, as SQLite sorts NULL.
    @Test func objectsWithoutAKeyAreASection() throws {
        try context.runAndWait {
            let sections = try User.sorted(by: \.userID).sections(by: \.team?.name, in: context)
            #expect(sections.map(\.key) == [nil, "Blue", "Red"])
            #expect(ids(sections) == [[4], [3, 5], [1, 2]])
            let descending = try User.sorted(by: \.team?.name, .descending).sorted(by: \.userID)
                .sections(by: \.team?.name, in: context)
            #expect(descending.map(\.key) == ["Red", "Blue", nil])
            #expect(ids(descending) == [[1, 2], [3, 5], [4]])
        }
    }

    /// A section name of a fetched results controller is text, where both would be empty.
    @Test func noTextIsNotEmptyText() throws {
        try context.runAndWait {
            try User.findFirst(where: \.userID == 1, in: context)?.email = ""
            let sections = try User.where { $0.userID.in([1, 5]) }.sections(by: \.email, in: context)
            #expect(sections.map(\.key) == [nil, ""])
            #expect(ids(sections) == [[5], [1]])
        }
    }

    @Test func unsavedChangesCount() throws {
        try context.runAndWait {
            try User.findFirst(where: \.userID == 5, in: context)?.countryCode = 84
            let new = try User.create(in: context)
            (new.userID, new.countryCode) = (6, 49)
            let query = User.sorted(by: \.userID)
            #expect(ids(try query.sections(by: \.countryCode, in: context)) == [[1, 2, 6], [3, 4, 5]])
        }
    }

    // MARK: Computed keys

    /// Users 1, 3 and 4 are friends: equal keys are not adjacent.
    @Test func computedKeysComeInOrderOfTheirFirstObjects() throws {
        try context.runAndWait {
            let up = try User.sorted(by: \.userID).sections(by: \.isStranger, in: context)
            #expect(up.map(\.key) == [false, true])
            #expect(ids(up) == [[1, 3, 4], [2, 5]])
            let down = try User.sorted(by: \.userID, .descending).sections(by: \.isStranger, in: context)
            #expect(down.map(\.key) == [true, false])
            #expect(ids(down) == [[5, 2], [4, 3, 1]])
        }
    }

    @Test func byARelatedObject() throws {
        try context.runAndWait {
            let sections = try User.sorted(by: \.userID).sections(by: \.team, in: context)
            #expect(sections.map { $0.key?.name } == ["Red", "Blue", nil])
            #expect(ids(sections) == [[1, 2], [3, 5], [4]])
        }
    }

    #if !canImport(ObjectiveC)
    /// Its getter is not tried with placeholder values, which an object without a context would have.
    @Test func declaredComputedKeysAreReadFromObjectsAlone() throws {
        let entity = Build.entity("Word", class: SectionWord.self)
        entity.properties = [Build.attribute("text", .stringAttributeType)]
        let stack = try MagicalRecord.Stack([.inMemory], shape: .server, model: .model(Build.model(entity)))
        let context = stack.newContext()
        try context.runAndWait {
            for text in ["apple", "avocado", "banana"] {
                try SectionWord.create(in: context).setValue(text, forKey: "text")
            }
            let query = MagicalRecord.Query<SectionWord>().sorted(by: .key("text"))
            #expect(try query.sections(by: \.initial, in: context).map { [$0.key: $0.count] } == [["a": 2], ["b": 1]])
        }
    }

    /// The error is that of other functions for attributes the model lacks, rather than the accessor's trap.
    @Test func attributesThatTheModelLacksThrow() throws {
        let entity = Build.entity("User", class: User.self)
        entity.properties = [Build.attribute("userID", .integer64AttributeType, default: 0)]
        let stack = try MagicalRecord.Stack([.inMemory], shape: .server, model: .model(Build.model(entity)))
        let context = stack.newContext()
        let error = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.Query<User>().sections(by: \.countryCode, in: context)
        }
        #expect(error?.code == .unknownKey)
        #expect(error?.entity == "User" && error?.key == "countryCode")
    }
    #endif

    // MARK: Composite attributes

    /// No store sorts by them: their sections come in the order of the first objects, and a default order takes the next attribute.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func compositeAttributes() throws {
        let stack = try StoredModel.stack()
        let context = stack.newContext()
        try context.runAndWait {
            let places = ["Hall", "Attic", "Hall"].map { JobPlace(name: $0, isInside: true) }
            for (index, place) in places.enumerated() {
                let job = try StoredJob.create(in: context)
                (job.number, job.place) = (Int64(index + 1), place)
            }
            try context.save()
            let sections = try StoredJob.sorted(by: \.number).sections(by: \.place, in: context)
            #expect(sections.map(\.key) == [places[0], places[1]])
            #expect(sections.map { $0.map(\.number) } == [[1, 3], [2]])
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func theDefaultOrderIsNotByACompositeAttribute() throws {
        let area = NSCompositeAttributeDescription()
        area.name = "area"
        area.elements = [Build.attribute("street", .stringAttributeType)]
        let entity = Build.entity("Shop")
        entity.properties = [area, Build.attribute("name", .stringAttributeType)]
        let stack = try MagicalRecord.Stack(
            [ScratchStores.new("Shops.sqlite")], shape: .server, model: .model(Build.model(entity)))
        let context = stack.newContext()
        try context.runAndWait {
            for name in ["b", "a"] {
                let shop = NSManagedObject(entity: entity, insertInto: context)
                shop.setValue(name, forKey: "name")
            }
            try context.save()
            let query = MagicalRecord.Query<NSManagedObject>(entityNamed: "Shop")
            let found = try query.fetchedResults(in: context).fetchedObjects
            #expect(found?.map { $0.value(forKey: "name") as? String } == ["a", "b"])
        }
    }

    // MARK: Ranges

    @Test func noObjectsAreNoSections() throws {
        try context.runAndWait { () throws in
            #expect(try User.where(\.userID > 99).sections(by: \.countryCode, in: context).isEmpty)
            #expect(try User.where(\.userID > 99).sections(by: \.isStranger, in: context).isEmpty)
            #expect(try User.all.limited(to: 0).sections(by: \.countryCode, in: context).isEmpty)
        }
    }

    /// By country, the users are 5, 1, 2, 3, 4.
    @Test func limitsCountObjectsInTheOrderOfSections() throws {
        try context.runAndWait {
            let query = User.sorted(by: \.userID)
            let first = try query.limited(to: 2).sections(by: \.countryCode, in: context)
            #expect(first.map(\.key) == [33, 49])
            #expect(ids(first) == [[5], [1]])
            let second = try query.limited(to: 2, offset: 2).sections(by: \.countryCode, in: context)
            #expect(ids(second) == [[2], [3]])
            #expect(ids(try query.limited(to: 3).sections(by: \.isStranger, in: context)) == [[1, 3], [2]])
            let batches = try query.inBatches(of: 2).sections(by: \.countryCode, in: context)
            #expect(ids(batches) == [[5], [1, 2], [3, 4]])
        }
    }

    @Test func mistakesInTheQueryThrow() {
        let error = #expect(throws: MagicalRecordError.self) {
            try User.where(\.kind == "user").sections(by: \.countryCode, in: context)
        }
        #expect(error?.code == .unnamedKeyPath)
    }

    #if !canImport(ObjectiveC)
    /// A second stack reads the file, since the first has the rows in memory.
    @Test func oneFetchSortsByTheKeyAndReadsRelatedObjects() throws {
        let file = ScratchFiles.new("Sections.sqlite")
        try AddressBook.fill(try AddressBook.stack(.sqlite(at: file), shape: .server))
        let context = try AddressBook.stack(.sqlite(at: file), shape: .server).newContext()
        let (keys, recording) = try Instruments.recordResult {
            try context.runAndWait {
                try User.sorted(by: \.userID).sections(by: \.team?.name, in: context).map(\.key)
            }
        }
        #expect(keys == [nil, "Blue", "Red"])
        #expect(recording.fetches.count == 1)
        // Reading the names of teams fires no fault for each.
        #expect(recording.faults.isEmpty)
        let fetch = try #require(recording.fetches.first)
        #expect(fetch.sortOrder == ["team.name", "userID"])
        let end =
            " FROM ZUSER t0 LEFT OUTER JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM ORDER BY t1.ZNAME, t0.ZUSERID, t0.Z_PK"
        #expect(fetch.statements.contains { $0.sql.hasSuffix(end) }, "\(fetch.statements)")
    }

    /// The store cannot sort by it. SQLite's names are expected.
    @Test func aComputedKeyIsNotInTheSQL() throws {
        let context = try AddressBook.stack(ScratchStores.sqlite(), shape: .server).newContext()
        let recording = try Instruments.record {
            try context.runAndWait { try User.sorted(by: \.userID).sections(by: \.isStranger, in: context).count }
        }
        let statements = try #require(recording.fetches.first).statements
        let end = " FROM ZUSER t0 ORDER BY t0.ZUSERID, t0.Z_PK"
        #expect(statements.contains { $0.sql.hasSuffix(end) }, "\(statements)")
    }
    #endif
}

#if !canImport(ObjectiveC)
/// A class whose getter needs the values of a real object.
final class SectionWord: NSManagedObject, ComputedKeys {
    static var computedKeys: [String: AnyKeyPath] { ["initial": \SectionWord.initial] }

    var initial: String {
        guard managedObjectContext != nil, let text = value(forKey: "text") as? String else {
            Issue.record("The getter was called for an object without values.")
            return ""
        }
        return String(text.prefix(1))
    }
}
#endif

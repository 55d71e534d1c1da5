import CoreData
import CoreDataTestSupport
import Testing

/// History in files as Apple's framework leaves them.
@Suite("History in the file")
struct HistoryFileTests {
    private func store() throws -> FormatStore {
        try FormatStore([FormatStore.entity("Note")], options: [NSPersistentHistoryTrackingKey: true])
    }

    private func numbers(_ store: FormatStore) throws -> [String] {
        try store.sql("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT")
    }

    /// The tables come when the store is opened, the rows of `Z_PRIMARYKEY` with the first transaction.
    @Test func theFirstTransactionNumbersTheTables() throws {
        let store = try store()
        #expect(try store.creation("ACHANGE") != nil)
        #expect(try numbers(store) == [])
        store.context.insert("Note", ["name": "a"])
        try store.context.save()
        let strings = try store.sql("SELECT COUNT(*) FROM ATRANSACTIONSTRING")[0]
        #expect(
            try numbers(store) == ["16001|CHANGE|0|1", "16002|TRANSACTION|0|1", "16003|TRANSACTIONSTRING|0|\(strings)"])
    }

    @Test(arguments: [
        "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000", "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT > 16000",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_ENT > 16000",
    ])
    func numbersLeftBehindDoNotStopASave(damage: String) throws {
        let store = try store()
        for name in ["a", "b"] {
            store.context.insert("Note", ["name": name])
            try store.context.save()
        }
        store.close()
        try store.run(damage)
        try store.reopen(options: [NSPersistentHistoryTrackingKey: true])
        let token = try #require(store.coordinator.currentPersistentHistoryToken(fromStores: nil))
        store.context.transactionAuthor = "new"
        store.context.insert("Note", ["name": "c"])
        try store.context.save()
        #expect(try store.sql("SELECT Z_PK FROM ATRANSACTION") == ["1", "2", "3"])
        #expect(try store.sql("SELECT Z_PK FROM ACHANGE") == ["1", "2", "3"])
        #expect(try numbers(store).map { $0.split(separator: "|").last }.prefix(2) == ["3", "3"])
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try store.context.execute(request) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.map(\.author) == ["new"])
    }

    /// The same for objects: a number that fell behind gives no key away twice.
    @Test(arguments: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 0", "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL"])
    func keysInUseAreNotGivenAgain(damage: String) throws {
        let note = FormatStore.entity("Note"), memo = FormatStore.entity("Memo")
        note.subentities = [memo]
        let store = try FormatStore([note, memo])
        for name in ["a", "b", "c"] { store.context.insert(name == "b" ? "Note" : "Memo", ["name": name]) }
        try store.context.save()
        store.close()
        try store.run(damage)
        try store.reopen()
        store.context.insert("Memo", ["name": "d"])
        try store.context.save()
        #expect(try store.sql("SELECT Z_PK || ZNAME FROM ZNOTE WHERE ZNAME = 'd'") == ["4d"])
        #expect(try store.sql("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note'") == ["4"])
        #expect(try store.context.fetchAll("Note").count == 4)
    }

    // MARK: Bits of updates

    /// A parent with `z`, and a child with `a`, `m` and relationships of every kind.
    private func family() throws -> FormatStore {
        let parent = FormatStore.entity("Parent"), child = FormatStore.entity("Child")
        parent.properties = [LibraryModel.attribute("z", .stringAttributeType)]
        child.properties = [
            LibraryModel.attribute("a", .stringAttributeType), LibraryModel.attribute("m", .integer16AttributeType),
            LibraryModel.attribute("b", .stringAttributeType, transient: true),
        ]
        LibraryModel.relate(parent, "others", many: true, parent, "boss", many: false)
        parent.subentities = [child]
        LibraryModel.relate(child, "list", many: true, parent, "inList", many: true, ordered: true)
        return try FormatStore([parent, child], options: [NSPersistentHistoryTrackingKey: true])
    }

    private func properties(_ store: FormatStore) throws -> [Set<String>] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try store.context.execute(request) as? NSPersistentHistoryResult
        let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
        return transactions.flatMap { $0.changes ?? [] }.compactMap { change in
            change.updatedProperties.map { Set($0.map(\.name)) }
        }
    }

    /// Inherited properties are sorted in among the entity's own: `a` is before `z`, whoever declares it.
    @Test func inheritedPropertiesAreSortedIn() throws {
        let parent = FormatStore.entity("Parent"), child = FormatStore.entity("Child")
        parent.properties = [LibraryModel.attribute("z", .stringAttributeType)]
        child.properties = [LibraryModel.attribute("a", .stringAttributeType)]
        parent.subentities = [child]
        let store = try FormatStore([parent, child], options: [NSPersistentHistoryTrackingKey: true])
        let object = store.context.insert("Child")
        try store.context.save()
        for key in ["a", "z"] {
            object.setValue("changed", forKey: key)
            try store.context.save()
        }
        #expect(try store.sql("SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1") == ["80", "40"])
        #expect(try properties(store) == [["a"], ["z"]])
    }

    /// Attributes, transient ones, to-one, to-many and ordered relationships: a, m, z, b, boss, inList, others, list.
    @Test func kindsComeBeforeNames() throws {
        let store = try family()
        let child = store.context.insert("Child"), other = store.context.insert("Child")
        try store.context.save()
        let changes: [(String, Any, String)] = [
            ("m", 5, "4000"), ("z", "z", "2000"), ("boss", other, "0800"),
            ("list", NSOrderedSet(object: other), "0100"),
        ]
        for (key, value, _) in changes {
            child.setValue(value, forKey: key)
            try store.context.save()
        }
        let key = child.objectID.uriRepresentation().lastPathComponent.dropFirst()
        #expect(
            try store.sql("SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZENTITYPK = \(key)")
                == changes.map(\.2))
        // The other ends of the relationships are updated as well.
        let found = try properties(store).filter { !$0.isEmpty && $0 != ["inList"] }
        #expect(found == changes.map { [$0.0] })
    }

    /// What Apple's framework wrote is read by the same order.
    @Test func bitsOfOthersAreRead() throws {
        let store = try family()
        store.context.insert("Child")
        try store.context.save()
        let update = { (bits: String) in
            try store.run(
                "UPDATE ACHANGE SET ZCHANGETYPE = 1, ZCOLUMNS = x'\(bits)'")
            return try properties(store)
        }
        #expect(try update("80") == [["a"]])
        #expect(try update("6800") == [["m", "z", "boss"]])
        #expect(try update("0300") == [["others", "list"]])
    }
}

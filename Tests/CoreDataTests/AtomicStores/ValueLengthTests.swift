import struct CoreDataRowStorage.HeapRange
import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// Text and data come back as they were set, whatever their length, from every kind of store. Expectations follow from
/// Foundation's types: a value equals itself.
@Suite("Values of every length")
struct ValueLengthTests {
    private static let lengths = [
        0, 1, 7, 8, 15, 16, 33, 1_015, 1_016, 1_017, 1_024, 65_534, 65_535, 65_536, 1_000_000,
    ]

    private static func text(_ length: Int, _ seed: UInt8) -> String {
        let some = seed == 0 ? "abcdefghijklmnopqrstuvwxyz" : "qwertzuiopasdfghjklyxcvbnm-"
        return String(String(repeating: some, count: length / some.utf8.count + 1).utf8.prefix(length)) ?? ""
    }

    private static func data(_ length: Int, _ seed: UInt8) -> Data {
        var data = Data(repeating: 0xE0 ^ seed, count: length)
        for place in stride(from: 0, to: length, by: 331) { data[place] = UInt8(truncatingIfNeeded: place) ^ seed }
        if length > 0 { data[length - 1] = 0x80 ^ seed }
        return data
    }

    /// What a thing has that was given number `index`.
    private struct Values {
        let name: String
        let data: Data
        let code: UUID
        let price: NSDecimalNumber
        let site: URL?

        init(_ index: Int, _ seed: UInt8 = 0) {
            let length = lengths[index % lengths.count]
            name = ValueLengthTests.text(length, seed)
            data = ValueLengthTests.data(lengths[(index + 1) % lengths.count], seed)
            let byte = UInt8(truncatingIfNeeded: index) ^ seed
            code = UUID(uuid: (byte, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, byte))
            price = NSDecimalNumber(
                mantissa: UInt64(index + 1) * 1_234_567_890_123, exponent: -5, isNegative: seed != 0)
            site = URL(string: "https://example.org/" + name.prefix(70_000))
        }

        func set(in thing: NSManagedObject) {
            let values: [String: Any?] = ["name": name, "data": data, "code": code, "price": price, "site": site]
            for (key, value) in values { thing.setValue(value, forKey: key) }
        }

        func expect(in thing: NSManagedObject, _ location: SourceLocation = #_sourceLocation) {
            // Not by #expect's own comparison: it would print a million characters.
            let name = thing.value(forKey: "name") as? String
            let data = thing.value(forKey: "data") as? Data
            #expect((name == self.name) as Bool, "\(self.name.utf8.count) bytes", sourceLocation: location)
            #expect((data == self.data) as Bool, "\(self.data.count) bytes", sourceLocation: location)
            #expect(thing.value(forKey: "code") as? UUID == code, sourceLocation: location)
            #expect(thing.value(forKey: "price") as? NSDecimalNumber == price, sourceLocation: location)
            #expect((thing.value(forKey: "site") as? URL == site) as Bool, sourceLocation: location)
        }
    }

    private func things(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.sortDescriptors = [NSSortDescriptor(key: "small", ascending: true)]
        let things = try context.fetch(request)
        try #require(things.count == Self.lengths.count)
        return things
    }

    private func filled(_ kind: KindOfStore) throws -> EveryStore {
        let store = try EveryStore(kind)
        let context = store.context
        try context.performAndWait {
            for index in Self.lengths.indices {
                let thing = context.insert("Thing", ["small": index])
                Values(index).set(in: thing)
                Values(index).expect(in: thing)
            }
            try context.save()
        }
        return store
    }

    @Test("They are saved, fetched and faulted", .slow, arguments: KindOfStore.allCases)
    func saved(_ kind: KindOfStore) throws {
        let store = try filled(kind)
        try store.context.performAndWait {
            for (index, thing) in try things(store.context).enumerated() {
                Values(index).expect(in: thing)
                store.context.refresh(thing, mergeChanges: false)
                Values(index).expect(in: thing)
            }
        }
        try store.reopen()
        let context = store.context
        try context.performAndWait {
            for (index, thing) in try things(context).enumerated() { Values(index).expect(in: thing) }
        }
    }

    @Test("Changes are undone, redone, rolled back and saved", .slow, arguments: KindOfStore.allCases)
    func changed(_ kind: KindOfStore) throws {
        let store = try filled(kind)
        try store.reopen()
        let context = store.context
        try context.performAndWait {
            context.undoManager = UndoManager()
            context.undoManager?.groupsByEvent = false
            let things = try things(context)
            context.undoManager?.beginUndoGrouping()
            for (index, thing) in things.enumerated() { Values(index + 3, 1).set(in: thing) }
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
            for (index, thing) in things.enumerated() { Values(index + 3, 1).expect(in: thing) }
            context.undo()
            for (index, thing) in things.enumerated() { Values(index).expect(in: thing) }
            context.redo()
            for (index, thing) in things.enumerated() { Values(index + 3, 1).expect(in: thing) }
            context.rollback()
            for (index, thing) in things.enumerated() { Values(index).expect(in: thing) }
            context.undoManager = nil
            for (index, thing) in things.enumerated() { Values(index + 5, 1).set(in: thing) }
            try context.save()
            for (index, thing) in things.enumerated() { Values(index + 5, 1).expect(in: thing) }
        }
        try store.reopen()
        let reader = store.context
        try reader.performAndWait {
            for (index, thing) in try self.things(reader).enumerated() { Values(index + 5, 1).expect(in: thing) }
        }
    }

    /// Setting the same value again is no change in what is saved, and setting one of the same length is.
    @Test("Values of one length are told apart", arguments: KindOfStore.allCases)
    func compared(_ kind: KindOfStore) throws {
        let store = try filled(kind)
        let context = store.context
        try context.performAndWait {
            let things = try things(context)
            for (index, thing) in things.enumerated() { Values(index).set(in: thing) }
            #expect(things.allSatisfy { $0.changedValues().isEmpty })
            for (index, thing) in things.enumerated() {
                thing.setValue(Values(index, 1).data, forKey: "data")
                let isEmpty = Values(index).data.isEmpty
                #expect(Array(thing.changedValues().keys) == (isEmpty ? [] : ["data"]))
            }
        }
    }

    /// Empty text as a default value is the same for all rows.
    @Test("Defaults without bytes") func emptyDefaults() throws {
        let model = LibraryModel.make()
        let book = try #require(model.entitiesByName["Book"])
        book.attributesByName["title"]?.defaultValue = ""
        book.attributesByName["cover"]?.defaultValue = Data()
        let library = try SQLiteLibrary(model)
        let first = library.context.insert("Book"), second = library.context.insert("Book")
        second.setValue("longer", forKey: "title")
        for _ in 0..<2 {
            #expect(first.value(forKey: "title") as? String == "")
            #expect(first.value(forKey: "cover") as? Data == Data())
            #expect(second.value(forKey: "title") as? String == "longer")
            try library.context.save()
            library.context.refreshAllObjects()
        }
        #expect(try library.fetch("Book", "title == ''").count == 1)
    }

    /// Some systems use the upper bits of addresses: Linux with five levels of page tables, and Android for tags.
    @Test(
        "Addresses keep all their bits",
        arguments: [0x7FFF_1234_5678_9ABC, 0xB400_7F12_3456_789A, 0x00FE_DCBA_9876_5432])
    func addresses(_ address: UInt) {
        let range = HeapRange(bits: UInt64(address))
        #expect(UInt(bitPattern: range.start) == address)
        #expect(range.bits == UInt64(address))
    }

    @Test(
        "A length of 32 bits and more is remembered",
        arguments: [0, 1, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x1_0000_0000, Int.max])
    func lengths(_ count: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 1)
        defer { memory.deallocate() }
        #expect(HeapRange(memory + 13, count: count).count == count)
    }
}

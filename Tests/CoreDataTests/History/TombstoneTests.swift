import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The values that history preserves of deleted objects: of every type, with every bit.
@Suite("Tombstones")
struct TombstoneTests {
    /// SQLite stores keep decimals as floating-point numbers.
    private static let decimal =
        StoredLibrary.kind == .sqlite ? "1234567.25" : "12345678901234567890123456789.012345678"
    private nonisolated(unsafe) static let kinds: [(name: String, type: NSAttributeType, values: [NSObject])] = [
        ("small", .integer16AttributeType, [NSNumber(value: Int16.min), NSNumber(value: Int16.max)]),
        ("medium", .integer32AttributeType, [NSNumber(value: Int32.min), NSNumber(value: 0 as Int32)]),
        ("large", .integer64AttributeType, [NSNumber(value: Int64.min), NSNumber(value: Int64.max)]),
        ("flag", .booleanAttributeType, [NSNumber(value: true), NSNumber(value: false)]),
        ("real", .doubleAttributeType, [NSNumber(value: 0.1 + 0.2), NSNumber(value: -Double.greatestFiniteMagnitude)]),
        ("single", .floatAttributeType, [NSNumber(value: Float(0.1)), NSNumber(value: Float.leastNonzeroMagnitude)]),
        (
            "exact", .decimalAttributeType,
            [NSDecimalNumber(string: decimal), NSDecimalNumber(string: "-0.5")]
        ),
        ("text", .stringAttributeType, ["é \"quoted\" \\ {a,b} \u{1F600}" as NSString, "" as NSString]),
        (
            "day", .dateAttributeType,
            [
                NSDate(timeIntervalSinceReferenceDate: 654_321_987.654_321),
                NSDate(timeIntervalSinceReferenceDate: -40_000_000_000.25),
            ]
        ),
        ("bytes", .binaryDataAttributeType, [NSData(data: Data([0, 255, 10])), NSData()]),
        ("identifier", .UUIDAttributeType, [NSUUID(), NSUUID()]),
        ("link", .URIAttributeType, [NSURL(string: "http://a.example/?q=%20")!, NSURL(string: "b")!]),
    ]

    private static func model() -> NSManagedObjectModel {
        let entity = LibraryModel.entity("Thing")
        entity.properties =
            kinds.map { kind in
                let attribute = LibraryModel.attribute(kind.name, kind.type)
                attribute.preservesValueInHistoryOnDeletion = true
                return attribute
            } + [LibraryModel.attribute("forgotten", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private func deletions(in library: StoredLibrary) throws -> [[AnyHashable: Any]?] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .changesOnly
        let result = try library.context.execute(request) as? NSPersistentHistoryResult
        let changes = try #require(result?.result as? [NSPersistentHistoryChange])
        return changes.filter { $0.changeType == .delete }.map(\.tombstone)
    }

    private func fill(_ object: NSManagedObject, _ index: Int) {
        for kind in Self.kinds { object.setValue(kind.values[index], forKey: kind.name) }
        object.setValue("not kept", forKey: "forgotten")
    }

    @Test(arguments: [0, 1]) func `Values of every type are preserved`(index: Int) throws {
        let library = try StoredLibrary(Self.model(), options: [NSPersistentHistoryTrackingKey: true])
        var saved: [String: NSObject] = [:]
        try library.context.performAndWait {
            let object = library.context.insert("Thing")
            fill(object, index)
            try library.context.save()
            library.context.refresh(object, mergeChanges: false)
            for kind in Self.kinds { saved[kind.name] = object.value(forKey: kind.name) as? NSObject }
            library.context.delete(object)
            try library.context.save()
        }
        let tombstone = try #require(try deletions(in: library).first.flatMap(\.self))
        #expect(tombstone.count == Self.kinds.count)
        for kind in Self.kinds {
            #expect(tombstone[kind.name] as? NSObject == saved[kind.name], "\(kind.name)")
            #expect(saved[kind.name] == kind.values[index], "\(kind.name) as it was saved")
        }
        #expect(tombstone["forgotten"] == nil)
    }

    @Test func `Nil is not preserved, and a row of nothing has no tombstone`() throws {
        let library = try StoredLibrary(Self.model(), options: [NSPersistentHistoryTrackingKey: true])
        try library.context.performAndWait {
            let empty = library.context.insert("Thing"), named = library.context.insert("Thing", ["text": "x"])
            try library.context.save()
            library.context.delete(empty)
            try library.context.save()
            library.context.delete(named)
            try library.context.save()
        }
        let tombstones = try deletions(in: library)
        #expect(tombstones.count == 2)
        #expect(tombstones.first.map { $0 == nil } == true)
        #expect(tombstones.last.flatMap(\.self)?.count == 1)
    }

    @Test func `A batch request preserves values too`() throws {
        let library = try StoredLibrary(Self.model(), options: [NSPersistentHistoryTrackingKey: true])
        try library.context.performAndWait {
            for index in 0..<4 { fill(library.context.insert("Thing"), index % 2) }
            try library.context.save()
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Thing")
            fetch.predicate = NSPredicate(format: "flag == true")
            _ = try library.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        }
        let tombstones = try deletions(in: library)
        #expect(tombstones.map { $0?["large"] as? Int64 } == [Int64.min, Int64.min])
        #expect(tombstones.allSatisfy { $0?.count == Self.kinds.count })
    }
}

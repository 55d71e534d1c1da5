import MagicalRecord
import MagicalRecordTestSupport
import MagicalRecordTesting
import Testing

/// Imports set values by key-value coding, as the original's do: what a class overrides of it is called. Classes that override
/// nothing get the same values.
@Suite struct ImportOverrideTests {
    private static let attributes: [(name: String, type: NSAttributeType)] = [
        ("id", .integer64AttributeType), ("small", .integer16AttributeType), ("middle", .integer32AttributeType),
        ("flag", .booleanAttributeType), ("real", .doubleAttributeType), ("single", .floatAttributeType),
        ("text", .stringAttributeType), ("date", .dateAttributeType), ("price", .decimalAttributeType),
        ("mark", .UUIDAttributeType), ("page", .URIAttributeType), ("bytes", .binaryDataAttributeType),
    ]

    private static func entity(_ name: String, class type: NSManagedObject.Type) -> NSEntityDescription {
        let entity = Build.entity(name, class: type)
        entity.properties = attributes.map { Build.attribute($0.name, $0.type) }
        entity.userInfo = ["relatedByAttribute": "id"]
        return entity
    }

    private static func child(of parent: NSEntityDescription, class type: NSManagedObject.Type) -> NSEntityDescription {
        let entity = Build.entity("\(parent.name ?? "")Child", class: type)
        entity.properties = [Build.attribute("extra", .stringAttributeType)]
        parent.subentities = [entity]
        return entity
    }

    private static func model() -> NSManagedObjectModel {
        let (plain, watched) = (
            entity("PlainRecord", class: PlainRecord.self), entity("WatchedRecord", class: WatchedRecord.self)
        )
        return Build.model(
            plain, child(of: plain, class: PlainRecordChild.self), watched,
            child(of: watched, class: WatchedRecordChild.self),
            entity("ShoutingRecord", class: ShoutingRecord.self), entity("HidingRecord", class: HidingRecord.self),
            entity("ChangingRecord", class: ChangingRecord.self))
    }

    private func withContext(_ body: @Sendable (NSManagedObjectContext) throws -> Void) async throws {
        try await withTestStack(.model(Self.model())) { stack in
            let context = stack.newContext()
            try context.runAndWait { try body(context) }
        }
    }

    // MARK: Overrides

    @Test func setValueIsCalled() async throws {
        try await withContext { context in
            try ShoutingRecord.importAll(from: [["id": 1, "text": "Ann"]], in: context)
            #expect(try ShoutingRecord.findFirst(in: context)?.value(forKey: "text") as? String == "ANN")
        }
    }

    /// What an object seems to have is compared with the record.
    @Test func valueIsCalled() async throws {
        try await withContext { context in
            let record: [String: Any] = ["id": 1, "text": "Ann"]
            try HidingRecord.importAll(from: [record], in: context)
            let object = try HidingRecord.findFirst(in: context)
            #expect(object?.sets.sorted() == ["id", "text"])
            try context.save()
            try HidingRecord.importAll(from: [record], in: context)
            #expect(object?.sets.sorted() == ["id", "text", "text"])
        }
    }

    @Test func changesAreAnnounced() async throws {
        try await withContext { context in
            try ChangingRecord.importAll(from: [["id": 1, "text": "Ann", "real": 2]], in: context)
            let object = try ChangingRecord.findFirst(in: context)
            #expect(
                Set(object?.changes ?? []) == ["will id", "did id", "will text", "did text", "will real", "did real"])
        }
    }

    // MARK: The same values

    @Test(arguments: [false, true]) func plainClassesGetTheSame(ofSubentities: Bool) async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        try await withContext { context in
            var random = Generator(state: seed)
            for round in 0..<20 {
                let records = (0..<20).map { _ in Self.record(&random) }
                let types: [NSManagedObject.Type] =
                    ofSubentities
                    ? [PlainRecordChild.self, WatchedRecordChild.self] : [PlainRecord.self, WatchedRecord.self]
                let reports = try types.map { "\(try $0.importAll(from: records, in: context))" }
                #expect(reports[0] == reports[1], "seed \(seed), round \(round)")
                let objects = try types.map { try Self.objects($0, context) }
                #expect(objects[0].map(\.values) == objects[1].map(\.values), "seed \(seed), round \(round)")
                #expect(objects[0].map(\.changes) == objects[1].map(\.changes), "seed \(seed), round \(round)")
                #expect(objects[0].count > 5)
                try context.save()
                if round % 3 == 0 { context.refreshAllObjects() }
                if round % 3 == 1 { context.reset() }
            }
        }
    }

    private static func objects(
        _ type: NSManagedObject.Type, _ context: NSManagedObjectContext
    ) throws -> [(values: NSDictionary, changes: [String])] {
        let request = NSFetchRequest<NSManagedObject>(entityName: String(describing: type))
        request.sortDescriptors = [NSSortDescriptor(key: "id", ascending: true)]
        return try context.fetch(request).map { object in
            let keys = object.entity.attributesByName.keys
            let values = keys.reduce(into: [String: Any]()) { $0[$1] = object.value(forKey: $1) }
            return (values as NSDictionary, object.changedValues().keys.sorted())
        }
    }

    private static func record(_ random: inout Generator) -> [String: Any] {
        var record: [String: Any] = ["id": Int.random(in: 0..<12, using: &random)]
        for (name, _) in attributes.dropFirst() + [("extra", .stringAttributeType)]
        where Int.random(in: 0..<3, using: &random) > 0 {
            record[name] = value(name, Int.random(in: 0..<5, using: &random))
        }
        return record
    }

    /// One of a few values, so that an object often has it already.
    private static func value(_ name: String, _ choice: Int) -> Any {
        if choice == 0 { return NSNull() }
        switch name {
        case "small", "middle": return [0, -7, 300, "12"][choice - 1]
        case "flag": return [true, false, 1, "no"][choice - 1]
        case "real", "single": return [0.1, -0.0, 3, "2.5"][choice - 1]
        case "date": return ["2024-05-01T10:00:00Z", 0, 1_700_000_000, "2024-05-01"][choice - 1]
        case "price": return [1.2, "0.1", 3, -4][choice - 1]
        case "mark":
            return ["00000000-0000-0000-0000-000000000001", "11111111-2222-3333-4444-555555555555"][choice % 2]
        case "page": return ["https://example.org/a", "https://example.org/b"][choice % 2]
        case "bytes": return ["QQ==", "QUI="][choice % 2]
        default: return ["", "a", "e\u{301}", "\u{E9}"][choice - 1]
        }
    }
}

private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        let mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return mixed ^ (mixed >> 31)
    }
}

class PlainRecord: NSManagedObject {}

final class PlainRecordChild: PlainRecord {}

/// Overrides what accessors must not pass by, and changes nothing.
class WatchedRecord: NSManagedObject {
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
}

final class WatchedRecordChild: WatchedRecord {}

final class ShoutingRecord: NSManagedObject {
    override func setValue(_ value: Any?, forKey key: String) {
        super.setValue((value as? String)?.uppercased() ?? value, forKey: key)
    }
}

final class HidingRecord: NSManagedObject {
    var sets: [String] = []
    override func value(forKey key: String) -> Any? { key == "text" ? nil : super.value(forKey: key) }
    override func setValue(_ value: Any?, forKey key: String) {
        sets.append(key)
        super.setValue(value, forKey: key)
    }
}

final class ChangingRecord: NSManagedObject {
    var changes: [String] = []
    override func willChangeValue(forKey key: String) {
        changes.append("will \(key)")
        super.willChangeValue(forKey: key)
    }
    override func didChangeValue(forKey key: String) {
        changes.append("did \(key)")
        super.didChangeValue(forKey: key)
    }
}

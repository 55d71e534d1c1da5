import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Archives in transformable attributes that others may have written: a damaged one reads as nil and stays in the file; none
/// ends the process. The readers themselves are tested by ModelFormat's tests.
@Suite("Damaged archives in transformable attributes")
struct DamagedArchiveTests {
    private static let transformers: [NSValueTransformerName] = [
        .secureUnarchiveFromDataTransformerName, .keyedUnarchiveFromDataTransformerName,
    ]

    private func transformer(_ name: NSValueTransformerName) throws -> ValueTransformer {
        try #require(ValueTransformer.valueTransformer(forName: name))
    }

    @Test("Every prefix of an archive, and every byte another", arguments: transformers)
    func cutAndChanged(name: NSValueTransformerName) throws {
        let transformer = try transformer(name)
        let value: NSDictionary = [
            "list": ["a", 1, 2.5], "url": URL(string: "b", relativeTo: URL(string: "https://a.b/"))!,
        ]
        let sound = try #require(transformer.reverseTransformedValue(value) as? Data)
        #expect(transformer.transformedValue(sound) as? NSDictionary == value)
        for count in 0..<sound.count { #expect(transformer.transformedValue(sound.prefix(count)) == nil) }
        for index in 0..<sound.count {
            for value: UInt8 in [0, 1, 0x0F, 0x7F, 0x80, 0xFF] {
                var bytes = sound
                bytes[bytes.startIndex + index] = value
                _ = transformer.transformedValue(bytes)
            }
        }
    }

    /// Foundation's unarchiver recurses without end.
    @Test("Objects of the program's own in a circle are nil", arguments: transformers)
    func ownCircle(name: NSValueTransformerName) throws {
        let first = ArchivedLink(), second = ArchivedLink()
        first.next = second
        let chain = try NSKeyedArchiver.archivedData(withRootObject: first, requiringSecureCoding: true)
        second.next = first
        let circle = try NSKeyedArchiver.archivedData(withRootObject: first, requiringSecureCoding: true)
        second.next = nil
        let transformer = name == .secureUnarchiveFromDataTransformerName ? LinkTransformer() : try transformer(name)
        #expect((transformer.transformedValue(chain) as? ArchivedLink)?.next != nil)
        #expect(transformer.transformedValue(circle) == nil)
        first.next = first
        #expect(transformer.reverseTransformedValue(first) == nil)
        first.next = nil
    }

    @Test("A class that only claims an allowed ancestor is not decoded")
    func falseAncestors() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: ArchivedLink(), requiringSecureCoding: true)
        // In the binary list texts have their length before them, so the name may be replaced by one as long.
        var bytes = [UInt8](archive)
        let name = Array("CoreDataTests.ArchivedLink".utf8), other = Array("CoreDataTests.ArchivedFake".utf8)
        var places: [Int] = []
        for start in 0...(bytes.count - name.count) where Array(bytes[start..<start + name.count]) == name {
            places.append(start)
        }
        #expect(!places.isEmpty)
        for start in places { bytes.replaceSubrange(start..<start + name.count, with: other) }
        #expect(LinkTransformer().transformedValue(archive) is ArchivedLink)
        #expect(LinkTransformer().transformedValue(Data(bytes)) == nil)
    }

    @Test("Decimal numbers are archived")
    func decimals() throws {
        for name in Self.transformers {
            let transformer = try transformer(name)
            let value: NSArray = [NSDecimalNumber(string: "12.50"), ["price": Decimal(string: "0.1")!]]
            let data = try #require(transformer.reverseTransformedValue(value) as? Data)
            let read = try #require(transformer.transformedValue(data) as? NSArray)
            #expect((read[0] as? NSDecimalNumber)?.stringValue == "12.5")
            #expect(((read[1] as? NSDictionary)?["price"] as? NSDecimalNumber)?.stringValue == "0.1")
        }
    }

    @Test("A damaged archive in a store reads as nil, and stays as it is when other attributes are saved")
    func inAStore() throws {
        let entity = NSEntityDescription()
        entity.name = "Note"
        entity.properties = [
            LibraryModel.attribute("words", .transformableAttributeType),
            LibraryModel.attribute("title", .stringAttributeType),
        ]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let library = try Library(model, store: .sqlite)
        let context = library.context
        try context.performAndWait {
            context.insert("Note", ["words": ["a", "b"], "title": "one"])
            try context.save()
        }
        let url = try #require(library.coordinator.persistentStores[0].url)
        try runSQL("UPDATE ZNOTE SET ZWORDS = substr(ZWORDS, 1, length(ZWORDS) - 7)", on: url)
        let before = try runSQL("SELECT hex(ZWORDS) FROM ZNOTE", on: url)
        try context.performAndWait {
            context.reset()
            let note = try #require(try context.fetchAll("Note").first)
            #expect(note.value(forKey: "words") == nil && note.value(forKey: "title") as? String == "one")
            note.setValue("two", forKey: "title")
            try context.save()
        }
        #expect(try runSQL("SELECT ZTITLE, hex(ZWORDS) FROM ZNOTE", on: url) == "two|\(before)")
    }

    @discardableResult
    private func runSQL(_ sql: String, on url: URL) throws -> String {
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", url.path, sql]
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return output.trimmingCharacters(in: .newlines)
    }
}

private final class LinkTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [ArchivedLink.self] }
}

/// At the top level, because Foundation cannot archive nested classes off Apple.
final class ArchivedLink: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    var next: ArchivedLink?

    override init() { super.init() }

    init?(coder: NSCoder) {
        super.init()
        next = coder.decodeObject(of: ArchivedLink.self, forKey: "next")
    }

    func encode(with coder: NSCoder) { coder.encode(next, forKey: "next") }
}

/// No ancestor of ``ArchivedLink``, nor a descendant.
final class ArchivedFake: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    override init() { super.init() }
    init?(coder: NSCoder) { super.init() }
    func encode(with coder: NSCoder) {}
}

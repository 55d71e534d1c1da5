import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A value that its transformer could not read again is an error of the save that would lose it. Apple's secure transformer refuses
/// to archive such an object ("is not among allowed top level class list"); attributes without a transformer take any class there.
@Suite("Transformable values that could not be read again")
struct UnreadableTransformableTests {
    private static let transformers: [String: ValueTransformer] = [
        "CrateOnly": CrateOnlyTransformer(), "CratesToo": CratesTooTransformer(),
        "CrateByClass": CrateByClassTransformer(),
        "DatesOnly": DatesOnlyTransformer(), "OneWay": OneWayTransformer(), "Codes": CodeTransformer(),
        "AnyCrate": AnyCrateTransformer(),
    ]

    /// An item has an attribute for each transformer, one for the secure one, and one that names none.
    private static func model() -> NSManagedObjectModel {
        for (name, transformer) in transformers {
            ValueTransformer.setValueTransformer(transformer, forName: NSValueTransformerName(name))
        }
        let item = LibraryModel.entity("Item")
        item.properties = [LibraryModel.attribute("number", .integer16AttributeType)]
        for name in transformers.keys.sorted() + ["NSSecureUnarchiveFromData", ""] {
            let attribute = LibraryModel.attribute(Self.key(name), .transformableAttributeType)
            attribute.valueTransformerName = name.isEmpty ? nil : name
            item.properties.append(attribute)
        }
        let model = NSManagedObjectModel()
        model.entities = [item]
        return model
    }

    private static func key(_ transformer: String) -> String {
        switch transformer {
        case "": "unnamed"
        case "NSSecureUnarchiveFromData": "secure"
        default: transformer.prefix(1).lowercased() + transformer.dropFirst()
        }
    }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Crates-\(UUID().uuidString)")

    private func library(_ type: String = NSSQLiteStoreType) throws -> Library {
        guard type != NSInMemoryStoreType else { return try Library(Self.model()) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("\(UUID().uuidString).store")
        return try Library(Self.model(), type: type, at: url, removing: folder)
    }

    private static let storeTypes = [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType]

    /// Saves an item with the value, and gives what another context reads.
    private func saved(_ value: Any, _ key: String, _ type: String = NSSQLiteStoreType) throws -> Any? {
        let library = try library(type)
        try library.context.performAndWait {
            library.context.insert("Item", [key: value])
            try library.context.save()
        }
        let other = library.makeContext()
        return try other.performAndWait { try other.fetchAll("Item").first?.value(forKey: key) }
    }

    private func refusal(_ value: Any, _ key: String, _ type: String = NSSQLiteStoreType) throws -> NSError {
        let library = try library(type)
        return try library.context.performAndWait {
            let item = library.context.insert("Item", ["number": 1, key: value])
            let error = try #require(throws: NSError.self) { try library.context.save() }
            #expect(error.domain == NSCocoaErrorDomain && error.code == NSCoreDataError)
            #expect(error.userInfo["entity"] as? String == "Item" && error.userInfo["property"] as? String == key)
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === item)
            // Nothing is written, and the value is still there.
            let other = library.makeContext()
            #expect(try other.performAndWait { try other.fetchAll("Item").isEmpty })
            #expect(item.value(forKey: key) != nil && library.context.hasChanges)
            item.setValue(nil, forKey: key)
            try library.context.save()
            return error
        }
    }

    // MARK: Refused

    @Test(arguments: storeTypes) func aClassThatIsNotAllowed(_ type: String) throws {
        for value in [Crate("a"), [Crate("a")], ["k": [Crate("a")]], NSOrderedSet(object: Crate("a"))] as [Any] {
            let error = try refusal(value, "secure", type)
            #expect(error.localizedFailureReason?.contains("CoreDataTests.Crate") == true)
            #expect(
                error.localizedRecoverySuggestion?.contains(
                    "override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Crate.self] }"
                )
                    == true)
        }
    }

    @Test func whatAnOwnListDoesNotName() throws {
        for (value, name) in [("text", "NSString"), (["a"], "NSArray"), ([Date()], "NSArray")] as [(Any, String)] {
            let error = try refusal(value, "datesOnly")
            #expect(error.localizedFailureReason?.contains(" \(name),") == true)
            let advice = error.localizedRecoverySuggestion ?? ""
            #expect(advice.contains("in DatesOnlyTransformer") && advice.contains("+ [\(name).self] }"))
        }
        #expect(try saved(Date(timeIntervalSince1970: 5), "datesOnly") as? Date == Date(timeIntervalSince1970: 5))
        #expect(throws: NSError.self) { try saved([Crate("a")], "crateOnly") }
    }

    @Test func whatATransformerOfTheProgramMakesNothingOf() throws {
        #expect(
            try refusal("text", "oneWay").localizedFailureReason?.contains("OneWayTransformer makes nothing of") == true
        )
        #expect(
            try refusal("text", "codes").localizedFailureReason?.contains("CodeTransformer makes no Data of") == true)
        #expect(try saved(7, "codes") as? Int == 7)
    }

    /// Foundation's archiver ends the process for these.
    @Test func whatCannotBeArchived() throws {
        struct Value {}
        for key in ["secure", "unnamed"] {
            _ = try refusal(Value(), key)
            _ = try refusal([Value()], key)
            _ = try refusal(NSArray(objects: NSObject(), Crate("a")), key)
        }
        let error = try refusal(OpenCrate(), "secure")
        #expect(error.localizedFailureReason?.contains("OpenCrate, which does not conform to NSSecureCoding") == true)
        _ = try refusal(Crate(OpenCrate()), "cratesToo")
    }

    /// `NSStringFromClass` ends the process for their names.
    @Test func classesWithoutAPlainName() throws {
        let values: [(NSObject, String)] = [
            (Crates.Nested("a"), "Nested"), (BelowNested("a"), "Nested"), (PrivateCrate("a"), "PrivateCrate"),
            (GenericCrate<Int>("a"), "GenericCrate<Int>"),
        ]
        for (value, name) in values {
            for key in ["secure", "unnamed", "anyCrate"] {
                for held in [value, [Crate("b"), value], ["k": value]] as [Any] {
                    let error = try refusal(held, key)
                    #expect(
                        error.localizedRecoverySuggestion?.hasPrefix("Declare \(name) outside of other types") == true)
                }
            }
        }
        #expect(try saved(BelowCrate("a"), "anyCrate") is BelowCrate)
    }

    @Test func anUpdateInAChild() throws {
        let library = try library()
        let id = try library.context.performAndWait {
            let item = library.context.insert("Item", ["secure": ["a"]])
            try library.context.save()
            return item.objectID
        }
        let child = library.makeChild()
        try child.performAndWait {
            let item = try child.existingObject(with: id)
            item.setValue(Crate("a"), forKey: "secure")
            #expect((#expect(throws: NSError.self) { try child.save() })?.code == NSCoreDataError)
            #expect(child.hasChanges)
            child.rollback()
            #expect(item.value(forKey: "secure") as? [String] == ["a"])
        }
        library.context.performAndWait { #expect(!library.context.hasChanges) }
    }

    @Test func batchRequests() throws {
        let library = try library()
        try library.context.performAndWait {
            for value in [Crate("a"), [Crate("a")]] as [Any] {
                let insert = NSBatchInsertRequest(
                    entityName: "Item", objects: [["number": 1], ["number": 2, "secure": value]])
                let error = try #require(throws: NSError.self) { try library.context.execute(insert) }
                #expect(error.code == NSCoreDataError && error.userInfo["property"] as? String == "secure")
                var isMade = false
                let objects = NSBatchInsertRequest(entityName: "Item") { (object: NSManagedObject) in
                    defer { isMade = true }
                    if !isMade { object.setValue(value, forKey: "secure") }
                    return isMade
                }
                #expect(throws: NSError.self) { try library.context.execute(objects) }
            }
            #expect(try library.context.fetchAll("Item").isEmpty)
            try library.context.execute(
                NSBatchInsertRequest(
                    entityName: "Item", objects: [["secure": ["a"], "cratesToo": Crate("b"), "unnamed": Crate("c")]]))
            let update = NSBatchUpdateRequest(entityName: "Item")
            for value in [Crate("a"), NSExpression(forConstantValue: Crate("a"))] as [Any] {
                update.propertiesToUpdate = ["secure": value]
                #expect(throws: NSError.self) { try library.context.execute(update) }
            }
            update.propertiesToUpdate = ["oneWay": "text"]
            #expect(throws: NSError.self) { try library.context.execute(update) }
            // Bytes may be given as the transformer would make them, if it can read them.
            update.propertiesToUpdate = ["codes": Data([1, 2])]
            #expect(throws: NSError.self) { try library.context.execute(update) }
            update.propertiesToUpdate = ["codes": Data([9])]
            try library.context.execute(update)
            let item = try #require(try library.context.fetchAll("Item").first)
            #expect(item.value(forKey: "secure") as? [String] == ["a"] && item.value(forKey: "codes") as? Int == 9)
            #expect((item.value(forKey: "cratesToo") as? Crate)?.content as? String == "b")
            #expect((item.value(forKey: "unnamed") as? Crate)?.content as? String == "c")
        }
    }

    // MARK: Taken

    @Test(arguments: storeTypes) func anyClassWithoutATransformer(_ type: String) throws {
        #expect((try saved(Crate("a"), "unnamed", type) as? Crate)?.content as? String == "a")
        #expect((try saved([Crate(1)], "unnamed", type) as? [Crate])?.first?.content as? Int == 1)
        #expect(try saved(OpenCrate(), "unnamed", type) is OpenCrate)
        #expect(try saved(["a": 1], "unnamed", type) as? [String: Int] == ["a": 1])
    }

    /// What an object holds is for its class to allow.
    @Test(arguments: ["crateOnly", "cratesToo", "crateByClass", "unnamed"])
    func anAllowedClassWhateverItHolds(_ key: String) throws {
        let contents: [NSObject] = [
            NSString(string: "text"), NSDate(timeIntervalSince1970: 5), NSArray(array: ["a", 1]), Crate("b"),
            NSIndexSet(index: 4),
        ]
        for content in contents {
            let crate = try #require(try saved(Crate(content), key) as? Crate)
            if let inner = content as? Crate {
                #expect((crate.content as? Crate)?.content as? String == inner.content as? String)
            } else {
                #expect(crate.content as? NSObject == content)
            }
        }
    }

    @Test func valuesOfFoundationsClassesAsBefore() throws {
        let values: [NSObject] = [
            "text" as NSString, 5 as NSNumber, NSDecimalNumber(string: "1.5"), NSArray(array: [1, "a", NSNull()]),
            NSDictionary(dictionary: ["a": NSMutableString(string: "b")]), NSSet(array: [1]), NSOrderedSet(array: [1]),
            NSData(data: Data([1])), NSDate(timeIntervalSince1970: 1), NSURL(string: "https://example.com")!, NSUUID(),
        ]
        for value in values { #expect(try saved(value, "secure") as? NSObject == value) }
    }
}

/// At the top level, because Foundation cannot archive nested classes off Apple.
final class Crate: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let content: Any?

    init(_ content: Any?) { self.content = content }
    // Untyped: what is allowed around it counts here.
    init?(coder: NSCoder) { content = coder.decodeObject(forKey: "content") }
    func encode(with coder: NSCoder) { coder.encode(content, forKey: "content") }
}

final class OpenCrate: NSObject, NSCoding {
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
}

final class CrateOnlyTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override class var allowedTopLevelClasses: [AnyClass] { [Crate.self] }
}

final class CratesTooTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Crate.self] }
}

final class CrateByClassTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override class func transformedValueClass() -> AnyClass { Crate.self }
}

final class DatesOnlyTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override class var allowedTopLevelClasses: [AnyClass] { [NSDate.self] }
}

/// Writes anything, and reads nothing.
final class OneWayTransformer: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? { Data([1]) }
    override func reverseTransformedValue(_ value: Any?) -> Any? { nil }
}

/// Numbers as one byte.
final class CodeTransformer: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? { (value as? Int).map { Data([UInt8($0)]) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).flatMap { $0.count == 1 ? Int($0[$0.startIndex]) : nil }
    }
}

// MARK: Classes that Foundation cannot name

class BaseCrate: NSObject, NSSecureCoding {
    class var supportsSecureCoding: Bool { true }
    let content: String

    required init(_ content: String) { self.content = content }
    required init?(coder: NSCoder) {
        content = coder.decodeObject(of: NSString.self, forKey: "content") as String? ?? ""
    }
    func encode(with coder: NSCoder) { coder.encode(content, forKey: "content") }
}

enum Crates {
    class Nested: BaseCrate {}
}

final class BelowNested: Crates.Nested {}
final class BelowCrate: BaseCrate {}
final class GenericCrate<Item>: BaseCrate {}
private final class PrivateCrate: BaseCrate {}

final class AnyCrateTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override class var allowedTopLevelClasses: [AnyClass] {
        super.allowedTopLevelClasses + [Crate.self, BaseCrate.self]
    }
}

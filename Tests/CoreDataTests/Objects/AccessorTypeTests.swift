import CoreData
import CoreDataTestSupport
import Foundation
import ModelCompiler
import Testing

/// Classes whose accessors do not fit the model, as a model that is loaded at run time may turn out.
final class MisfitPerson: NSManagedObject {
    var text: String {
        get { managedValue(ManagedProperty("age")) }
        set { setManagedValue(newValue, for: ManagedProperty("age")) }
    }
    var number: Int64? { managedValue(ManagedProperty("name")) }
    var kind: Kind { managedRawValue(ManagedProperty("age")) }
    var place: Place? { managedTransformable(ManagedProperty("name")) }
    var boss: MisfitStranger? { managedValue(ManagedProperty("boss")) }
    var requiredBoss: MisfitStranger { managedValue(ManagedProperty("boss")) }
    var anyBoss: NSManagedObject? { managedValue(ManagedProperty("boss")) }
    var team: Set<MisfitStranger> { managedValue(ManagedProperty("team")) }
    var optionalTeam: Set<MisfitStranger>? { managedValue(ManagedProperty("team")) }
    var teamArray: [MisfitPerson] { managedValue(ManagedProperty("team")) }
    var fitting: Set<MisfitPerson> { managedValue(ManagedProperty("team")) }
    var anyTeam: Set<NSManagedObject> { managedValue(ManagedProperty("team")) }

    enum Kind: Int16 { case low }
    struct Place { var x = 0 }
}

final class MisfitStranger: NSManagedObject {}

/// What an accessor declares and what the model says may differ where no build could compare the two. Then the program stops
/// with a message, in release builds too; nothing is read as what it is not.
@Suite("Types of accessors")
struct AccessorTypeTests {
    /// A boss with three in the team, whose class is ``MisfitPerson``, and the context, which has to be kept.
    private static func boss() throws -> (MisfitPerson, NSManagedObjectContext) {
        let entity = LibraryModel.entity("Person")
        entity.managedObjectClassName = "CoreDataTests.MisfitPerson"
        entity.properties = [
            LibraryModel.attribute("age", .integer64AttributeType),
            LibraryModel.attribute("name", .stringAttributeType),
        ]
        LibraryModel.relate(entity, "team", many: true, entity, "boss", many: false)
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let boss = MisfitPerson(entity: entity, insertInto: context)
        boss.setValue(41, forKey: "age")
        boss.setValue("Ann", forKey: "name")
        boss.setValue(boss, forKey: "boss")
        for _ in 1...2 { MisfitPerson(entity: entity, insertInto: context).setValue(boss, forKey: "boss") }
        return (boss, context)
    }

    enum Access: String, Codable, CaseIterable {
        case text, setText, number, kind, place, boss, requiredBoss, team, optionalTeam, teamArray

        /// What the message says, beside how the property is declared.
        var words: [String] {
            switch self {
            case .text: ["\"age\" of Person", "NSNumber", "declared as String"]
            case .setText: ["\"age\"", "entity = Person", "given type = String"]
            case .number: ["\"name\" of Person", "a value of type String", "declared as Optional<Int64>"]
            case .kind: ["value 41", "\"age\" of Person", "is no Kind"]
            case .place: ["\"name\" of Person", "a value of type String", "declared as Optional<Place>"]
            case .boss, .requiredBoss:
                ["\"boss\" of Person", "object of Person with the class MisfitPerson", "as MisfitStranger"]
            case .team, .optionalTeam:
                ["\"team\" of Person", "object of Person with the class MisfitPerson", "as MisfitStranger"]
            case .teamArray: ["\"team\" of Person", "Set", "declared as Array<MisfitPerson>"]
            }
        }

        func run(_ object: MisfitPerson) {
            switch self {
            case .text: print(object.text)
            case .setText: object.text = "old"
            case .number: print(object.number as Any)
            case .kind: print(object.kind)
            case .place: print(object.place as Any)
            case .boss: print(object.boss as Any)
            case .requiredBoss: print(object.requiredBoss)
            case .team: print(object.team)
            case .optionalTeam: print(object.optionalTeam as Any)
            case .teamArray: print(object.teamArray)
            }
        }
    }

    @Test("that do not fit the model stop the program, and say why", arguments: Access.allCases)
    func stop(_ access: Access) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [access] in
            let (boss, context) = try Self.boss()
            withExtendedLifetime(context) { access.run(boss) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for word in access.words { #expect(text.contains(word), "\(text)") }
    }

    @MainActor @Test("of a relationship may be its destination's class or a superclass of it")
    func fitting() throws {
        let (boss, context) = try Self.boss()
        withExtendedLifetime(context) {
            #expect(boss.fitting.count == 3 && boss.anyTeam.count == 3)
            #expect(boss.anyBoss === boss && boss.fitting.contains(boss))
        }
    }

    // MARK: What the build accepts

    private struct Declaration {
        let name: String
        let reads: (Any) -> Bool

        static func value<V: ManagedPropertyValue>(_ type: V.Type) -> Declaration {
            // Real numbers and dates are stored alike, and read without conversion.
            Declaration(name: "\(type)") { V._fromValue($0) != nil || type == Date.self && $0 as? Double == 2.5 }
        }
        static func other<T>(_ type: T.Type, _ name: String? = nil) -> Declaration {
            Declaration(name: name ?? "\(type)") { $0 is T }
        }
    }

    private static var declarations: [Declaration] {
        [
            .value(Int.self), .value(Int16.self), .value(Int32.self), .value(Int64.self), .value(Bool.self),
            .value(Double.self), .value(Float.self), .value(String.self), .value(Data.self), .value(Date.self),
            .value(UUID.self), .value(URL.self), .value(Decimal.self), .value(NSNumber.self),
            .value(NSDecimalNumber.self),
            .value(NSString.self), .value(NSMutableString.self), .value(NSDate.self), .value(NSData.self),
            .value(NSMutableData.self), .value(NSUUID.self), .value(NSURL.self), .value(NSObject.self),
            .value(NSSet.self),
            .value(NSArray.self), .other(UInt8.self), .other(UInt64.self), .other(Substring.self),
            .other(Character.self),
            .other(AnyHashable.self), .other([UInt8].self, "[UInt8]"), .other([String: Int].self, "[String: Int]"),
        ]
    }

    private static var samples: [(name: String, value: NSObject)] {
        [
            ("Integer 16", NSNumber(value: 2)), ("Integer 32", NSNumber(value: 2)), ("Integer 64", NSNumber(value: 2)),
            ("Boolean", NSNumber(value: true)), ("Double", NSNumber(value: 2.5)),
            ("Float", NSNumber(value: Float(2.5))),
            ("Decimal", NSDecimalNumber(value: 2)), ("String", NSString("two")), ("Date", NSDate()),
            ("Binary", NSData(data: Data([2]))), ("UUID", NSUUID()), ("URI", NSURL(fileURLWithPath: "/two")),
        ]
    }

    /// What the build plugin calls an error is what accessors cannot read, for every type of attribute.
    @Test("are errors of the build exactly where accessors cannot read the attribute")
    func accepted() throws {
        let folder = try TemporaryFolder()
        var attributes = "", properties = "", expected: Set<String> = []
        for (kind, sample) in Self.samples.enumerated() {
            let entity = LibraryModel.entity("Thing")
            let type = try #require(Self.types[sample.name])
            entity.properties = [LibraryModel.attribute("value", type)]
            let model = NSManagedObjectModel()
            model.entities = [entity]
            let object = NSManagedObject(entity: entity, insertInto: nil)
            object.setValue(sample.value, forKey: "value")
            let value = try #require(object.value(forKey: "value"))
            for (number, declaration) in Self.declarations.enumerated() {
                let name = "v\(kind)_\(number)"
                attributes += "<attribute name='\(name)' optional='YES' attributeType='\(sample.name)'/>"
                properties += "    @NSManaged var \(name): \(declaration.name)?\n"
                // A whole number may be read as an UInt8, say, though this one cannot.
                let isNumber = declaration.name.hasPrefix("UInt") && value is NSNumber
                if !isNumber, !declaration.reads(value) { expected.insert("\(sample.name) as \(declaration.name)") }
            }
        }
        let source = folder.file("Thing.swift").path
        let bundle = folder.file("M.xcdatamodel")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try "<model><entity name='Thing' representedClassName='Thing'>\(attributes)</entity></model>"
            .write(to: bundle.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        try "class Thing: NSManagedObject {\n\(properties)}".write(toFile: source, atomically: true, encoding: .utf8)
        let result = ModelTool.run([
            "generate", "accessors", "--module", "M", "-o", folder.file("Out.swift").path, "--model", bundle.path,
            source,
        ])
        var found: Set<String> = []
        for line in result.errors.split(separator: "\n") {
            let text = try #require(line.firstMatch(of: #/declared as (.+)\?, but .* has the type ([A-Za-z0-9 ]+)\. /#))
            found.insert("\(text.output.2) as \(text.output.1)")
        }
        #expect(found.subtracting(expected) == [], "These can be read.")
        #expect(expected.subtracting(found) == [], "These cannot be read.")
    }

    private static let types: [String: NSAttributeType] = [
        "Integer 16": .integer16AttributeType, "Integer 32": .integer32AttributeType,
        "Integer 64": .integer64AttributeType, "Boolean": .booleanAttributeType, "Double": .doubleAttributeType,
        "Float": .floatAttributeType, "Decimal": .decimalAttributeType, "String": .stringAttributeType,
        "Date": .dateAttributeType, "Binary": .binaryDataAttributeType, "UUID": .UUIDAttributeType,
        "URI": .URIAttributeType,
    ]
}

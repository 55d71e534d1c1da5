import Foundation
import ModelFormat
import ModelPredicates
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Models that contradict themselves: they may be refused, or used, but must not end the program.
///
/// The short form runs with the suite; `MODEL_FUZZ_ROUNDS=20000 swift test --filter ModelFuzzTests` is the long one, and
/// `MODEL_FUZZ_SEED` makes other models.
@Suite("Nonsensical models", .slow)
struct ModelFuzzTests {
    private static let source = """
        <model userDefinedModelVersionIdentifier="1"><entity name="Base" isAbstract="YES" representedClassName="Base">
        <attribute name="id" optional="YES" attributeType="UUID"/>
        <attribute name="size" optional="YES" attributeType="Integer 16" defaultValueString="3" minValueString="1" \
        maxValueString="9"/>
        <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner" \
        inverseName="things" inverseEntity="Owner"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Leaf" parentEntity="Base" elementID="OldLeaf" versionHashModifier="2">
        <attribute name="name" attributeType="String" defaultValueString="x" regularExpressionString="[a-z]*"/>
        <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="100"/>
        <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="1.5"/>
        <attribute name="blob" optional="YES" attributeType="Transformable" customClassName="NSArray" \
        valueTransformerName="NSSecureUnarchiveFromData"/>
        <attribute name="plain" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
        <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
        <attribute name="note" optional="YES" transient="YES"/>
        <fetchedProperty name="peers" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="Leaf" \
        predicateString="name == $FETCH_SOURCE.name"/></fetchedProperty>
        <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/>\
        <fetchIndexElement property="size" type="Binary" order="descending"/></fetchIndex>
        </entity>
        <entity name="Owner"><attribute name="name" optional="YES" attributeType="String" indexed="YES"/>
        <relationship name="things" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" \
        destinationEntity="Base" inverseName="owner" inverseEntity="Base"/>
        <relationship name="friends" optional="YES" toMany="YES" minCount="0" maxCount="5" deletionRule="Deny" \
        destinationEntity="Owner" inverseName="friends" inverseEntity="Owner"/></entity>
        <composite name="Address"><attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="zip" optional="YES" attributeType="Integer 32"/></composite>
        <configuration name="Local"><memberEntity name="Leaf"/></configuration>
        <fetchRequest name="Named" entity="Leaf" predicateString="name == $NAME"/></model>
        """

    /// Values to put where others stood, besides those of the document itself.
    private static let strange = [
        "", "YES", "NO", "-1", "0", "1", "99999999999999999999", "9223372036854775807", "1e400", "NaN", "Binary",
        "RTree", "Integer 64", "Composite", "Transformable", "Undefined", "Boolean", "URI", "String", "ascending",
        "self", "entity", "objectID", "Z_PK", "a.b", "name; DROP TABLE ZLEAF", "\u{1F9F5}", "count:(things)",
        "now()", "owner.name", "things.@count", "x ==", "TRUEPREDICATE", "No Action",
    ]

    /// The document in parts: text, then a value, then text, and so on.
    private static let parts = source.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
    private static let values = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }

    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) | (state << 31)
        }
    }

    private static func nonsense(_ random: inout Random) -> String {
        var parts = parts
        for _ in 0...Int.random(in: 0..<3, using: &random) {
            let place = Int.random(in: 0..<values.count, using: &random) * 2 + 1
            let pool = Bool.random(using: &random) ? values : strange
            parts[place] = pool.randomElement(using: &random)!
        }
        return parts.joined(separator: "\"")
    }

    /// What a program does with a model: hashes, copies, archives, a store, an object of each entity.
    private func use(_ model: NSManagedObjectModel) throws {
        #expect(model.copy() as? NSManagedObjectModel == model)
        for entity in model.entities {
            let data = try NSKeyedArchiver.archivedData(withRootObject: entity, requiringSecureCoding: true)
            _ = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSEntityDescription.self, from: data)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for entity in model.entities where !entity.isAbstract {
                _ = NSManagedObject(entity: entity, insertInto: context)
            }
            try context.save()
        }
    }

    @Test("are refused or used, and nothing else")
    func rounds() throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["MODEL_FUZZ_ROUNDS"].flatMap(Int.init) ?? LongForm.choose(40, long: 150)
        var random = Random(state: environment["MODEL_FUZZ_SEED"].flatMap(UInt64.init) ?? 5)
        try use(NSManagedObjectModel(values: ModelDocument(xml: Data(Self.source.utf8)).model))
        var (refused, used) = (0, 0)
        for _ in 0..<rounds {
            let text = Self.nonsense(&random)
            if environment["MODEL_FUZZ_SHOW"] != nil { print(text) }
            do {
                let values = try ModelDocument(xml: Data(text.utf8)).model
                let model = try NSManagedObjectModel(values: values)
                let compiled = try Model(archive: values.archive(parser: FormatTextParser())).versionHashes()
                // Constants are no derivation, and have several spellings.
                for (name, hash) in try values.versionHashes() where name != "Leaf" { #expect(compiled[name] == hash) }
                try use(model)
                used += 1
            } catch {
                refused += 1
            }
        }
        #expect(refused > 0 && used > 0)
    }
}

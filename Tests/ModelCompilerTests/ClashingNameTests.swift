import Foundation
import ModelCompiler
import MagicalRecordTestSupport
import Testing

@Suite("Generated code among types of the program's own", .enabled(if: SwiftCompiler.hasModules, SwiftCompiler.need))
struct ClashingNameTests {
    /// Every kind of attribute and relationship.
    private static let model = """
        <entity name="Music" representedClassName=".Music" codeGenerationType="class">
        <attribute name="cover" optional="YES" attributeType="Binary"/>
        <attribute name="id" optional="YES" attributeType="UUID"/>
        <attribute name="isNew" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
        <attribute name="length" optional="YES" attributeType="Double"/>
        <attribute name="link" optional="YES" attributeType="URI"/>
        <attribute name="other" optional="YES" attributeType="Transformable"/>
        <attribute name="plays" optional="YES" attributeType="Integer 64" usesScalarValueType="YES"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <attribute name="released" optional="YES" attributeType="Date"/>
        <attribute name="seconds" optional="YES" attributeType="Date" usesScalarValueType="YES"/>
        <attribute name="title" optional="YES" attributeType="String"/>
        <relationship name="lists" optional="YES" toMany="YES" ordered="YES" destinationEntity="Tag" inverseName="entries"/>
        <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag" inverseName="songs"/>
        <fetchedProperty name="found" optional="YES"><fetchRequest name="f" entity="Tag"/></fetchedProperty>
        </entity>
        <entity name="Tag" representedClassName=".Tag" codeGenerationType="class">
        <relationship name="entries" optional="YES" toMany="YES" destinationEntity="Music" inverseName="lists"/>
        <relationship name="songs" optional="YES" toMany="YES" destinationEntity="Music" inverseName="tags"/>
        </entity>
        """

    /// Checks a module of classes, accessors and a source.
    private func check(module: String, model: String, _ source: String, sourceLocation: SourceLocation) throws {
        let models = try TemporaryModels()
        let path = try models.model("Model", model)
        let own = models.path("Own.swift")
        try source.write(toFile: own, atomically: true, encoding: .utf8)
        let (classes, accessors) = (models.path("Classes.swift"), models.path("Accessors.swift"))
        let written = models.run(
            "generate", "classes", path, "--combined", classes, "--module", module, "--beside", own)
        #expect(written.status == 0 && written.errors == "", sourceLocation: sourceLocation)
        let bodies = models.run("generate", "accessors", "--module", module, "-o", accessors, "--model", path, own)
        #expect(bodies.status == 0, "\(bodies.errors)", sourceLocation: sourceLocation)
        try SwiftCompiler.check([own, classes, accessors], module: module, sourceLocation: sourceLocation)
    }

    @Test("compiles beside types named like Foundation's, Core Data's and the standard library's")
    func types() throws {
        try check(
            module: "App", model: Self.model,
            """
            import CoreData
            struct Date {}
            struct Data {}
            struct URL {}
            struct UUID {}
            struct Decimal {}
            struct TimeInterval {}
            struct Set<Element> {}
            struct String {}
            enum Int64 {}
            enum Int { case one }
            enum Bool { case yes }
            struct Double {}
            class NSSet {}
            class NSOrderedSet {}
            class NSArray {}
            class NSObject {}
            class NSNumber {}
            class NSDecimalNumber {}
            class NSIndexSet {}
            class NSFetchRequest {}
            class ManagedProperty {}
            class NSManagedObject {}
            protocol Identifiable {}
            struct ManagedPropertyValue {}

            enum Mood: Swift.Int16 { case good, bad }

            class Extra: CoreData.NSManagedObject {
                struct Music {}
                struct CoreDataThing {}
                @NSManaged var date: Foundation.Date?
                @NSManaged var moods: Swift.Set<App.Music>
                @NSManaged var names: [Swift.String]?
                @NSManaged var own: App.Date?
                @NSManaged func addToMoods(_ values: Swift.Set<App.Music>)
                @NSManaged func insertIntoOrder(_ values: Foundation.NSArray, at indexes: Foundation.IndexSet)
            }
            """, sourceLocation: #_sourceLocation)
    }

    @Test("compiles where a class is named like the module, and one like Core Data's module")
    func modules() throws {
        try check(
            module: "Music", model: Self.model,
            "import CoreData\nfinal class CoreData: Sendable { static let shared = CoreData() }\n",
            sourceLocation: #_sourceLocation)
        try check(
            module: "App", model: Self.model.replacing("Tag\"", with: "CoreData\""),
            "import CoreData\nstruct Date {}\n",
            sourceLocation: #_sourceLocation)
    }

    @Test("compiles where enumerations with raw values are stored")
    func rawValues() throws {
        try check(
            module: "App", model: Self.model,
            """
            import CoreData
            enum Mood: Int16 { case good, bad }
            func preconditionFailure(_ text: String) {}
            class Extra: NSManagedObject {
                @NSManaged var mood: Mood
                @NSManaged var other: Mood?
            }
            """, sourceLocation: #_sourceLocation)
    }

    @Test("says so where a name cannot be said at all")
    func hidden() throws {
        let models = try TemporaryModels()
        let own = models.path("Own.swift")
        try """
        import CoreData
        enum Foundation {}
        struct Date {}
        class Extra: NSManagedObject {
            @NSManaged var data: Data?
            @NSManaged var list: [Date: Data]?
        }
        class Other: NSManagedObject {
            struct NSSet {}
            @NSManaged func addToParts(_ parts: Set<Other>)
        }
        """.write(toFile: own, atomically: true, encoding: .utf8)
        let result = models.run("generate", "accessors", "--module", "M", "-o", models.path("Out.swift"), own)
        #expect(result.status == 3)
        #expect(
            result.errors.contains(
                "Own.swift:10: error: Foundation's type NSSet cannot be named where types called Foundation and NSSet "
                    + "hide it (method addToParts). Rename one of these"))
        #expect(!result.errors.contains("Own.swift:5"))
    }
}

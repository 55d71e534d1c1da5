import Foundation
import ModelCompiler
import Testing

/// What does not fit the model cannot be read at run time, so the build stops at its line. Which types fit is what the
/// accessors of CoreData convert; `AccessorTypeTests` compares the two.
@Suite("Types of managed properties")
struct DeclaredTypeTests {
    private static let model = """
        <entity name="Person" representedClassName=".Person">
        <attribute name="age" attributeType="Integer 64" usesScalarValueType="YES"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="born" optional="YES" attributeType="Date"/>
        <attribute name="worth" optional="YES" attributeType="Decimal"/>
        <attribute name="photo" optional="YES" attributeType="Binary"/>
        <attribute name="id" attributeType="UUID"/>
        <attribute name="site" optional="YES" attributeType="URI"/>
        <attribute name="height" attributeType="Double" usesScalarValueType="YES"/>
        <attribute name="isAdult" attributeType="Boolean" usesScalarValueType="YES"/>
        <attribute name="color" optional="YES" attributeType="Transformable" customClassName="Color"/>
        <relationship name="team" optional="YES" maxCount="1" destinationEntity="Team"/>
        <relationship name="plain" optional="YES" maxCount="1" destinationEntity="Plain"/>
        <relationship name="far" optional="YES" maxCount="1" destinationEntity="Far"/>
        <relationship name="friends" optional="YES" toMany="YES" destinationEntity="Person"/>
        <relationship name="order" optional="YES" toMany="YES" ordered="YES" destinationEntity="Team"/>
        </entity>
        <entity name="Team" representedClassName=".Team" isAbstract="YES"/>
        <entity name="Club" representedClassName=".Club" parentEntity="Team"/>
        <entity name="League" representedClassName=".League" parentEntity="Team"/>
        <entity name="Plain"/>
        <entity name="Far" representedClassName="Elsewhere.Far"/>
        """

    private static let classes = """
        class Base: NSManagedObject {}
        class Team: Base {}
        class Club: Team {}
        class League: Team {}
        class Other: NSManagedObject {}
        class Color {}
        struct Point { var x = 0 }
        enum Rank: Int16 { case low }
        enum Kind: String { case plain }
        typealias Years = Int
        typealias Words = String
        """

    /// The diagnostics for a class `Person` with a body, without the file's name.
    private func problems(_ body: String, rest: String = "", model: String = Self.model) throws -> [String] {
        let models = try TemporaryModels()
        let file = models.path("Person.swift")
        try "class Person: Base {\n\(body)\n}\n\(rest)\n\(Self.classes)".write(
            toFile: file, atomically: true, encoding: .utf8)
        let result = models.run(
            "generate", "accessors", "--module", "M", "-o", models.path("Out.swift"), "--model",
            try models.model("M", model), file)
        #expect((result.status == 0) == !result.errors.contains(": error: "))
        return result.errors.split(separator: "\n").map { String($0.dropFirst(file.count)) }
    }

    @Test(
        "fit",
        arguments: [
            "age: Int64", "age: Int", "age: Int16", "age: UInt8", "age: Bool", "age: Double", "age: NSNumber?",
            "age: Years", "age: Rank", "age: Rank?", "age: Foundation.NSNumber", "age: Any?", "age: NSObject?",
            "name: String", "name: String?", "name: Swift.String!", "name: NSString?", "name: Kind", "name: Words?",
            "born: Date", "born: Date?", "born: NSDate?", "born: TimeInterval", "worth: Decimal",
            "worth: NSDecimalNumber?",
            "worth: NSNumber?", "worth: Double", "photo: Data?", "photo: NSData?", "id: UUID", "id: NSUUID?",
            "site: URL?",
            "site: NSURL?", "height: Float", "height: Int", "height: Date", "isAdult: Bool", "isAdult: NSNumber?",
            "color: Color?", "color: Point", "color: [String: Int]?", "team: Team?", "team: Base?",
            "team: NSManagedObject?",
            "team: NSObject?", "team: AnyObject?", "plain: NSManagedObject?", "far: Other?", "friends: Set<Person>",
            "friends: Set<Base>?", "friends: NSSet?", "friends: Set<NSManagedObject>", "order: NSOrderedSet?",
            "order: NSOrderedSet",
        ])
    func fitting(_ declaration: String) throws {
        #expect(try problems("    @NSManaged var \(declaration)") == [])
    }

    @Test(
        "do not fit",
        arguments: [
            ("age: String", "the attribute age of the entity Person has the type Integer 64", "Int64"),
            ("age: Words?", "the attribute age of the entity Person has the type Integer 64", "Int64"),
            ("age: Decimal", "the attribute age of the entity Person has the type Integer 64", "Int64"),
            ("age: Kind", "the attribute age of the entity Person has the type Integer 64", "Int64"),
            ("age: Point", "the attribute age of the entity Person has the type Integer 64", "Int64"),
            ("age: Team?", "the attribute age of the entity Person has the type Integer 64", "Int64"),
            ("age: [Int]", "the attribute age of the entity Person has the type Integer 64", "Int64"),
            ("name: Int", "the attribute name of the entity Person has the type String", "String?"),
            ("name: Rank", "the attribute name of the entity Person has the type String", "String?"),
            ("born: NSNumber?", "the attribute born of the entity Person has the type Date", "Date?"),
            ("worth: String", "the attribute worth of the entity Person has the type Decimal", "NSDecimalNumber?"),
            ("photo: [UInt8]", "the attribute photo of the entity Person has the type Binary", "Data?"),
            ("id: String", "the attribute id of the entity Person has the type UUID", "UUID"),
            ("site: String?", "the attribute site of the entity Person has the type URI", "URL?"),
        ])
    func attributes(_ declaration: String, _ reason: String, _ remedy: String) throws {
        let parts = declaration.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            try problems("    @NSManaged var \(declaration)") == [
                ":2:20: error: the property \(parts[0]) of the class Person is declared as \(parts[1]), but \(reason). "
                    + "Declare it as \(remedy), or change the attribute's type in the model"
            ])
    }

    private static let team = "team of the entity Person is a to-one relationship to Team"
    private static let friends = "friends of the entity Person is a to-many relationship to Person"
    private static let order = "order of the entity Person is an ordered to-many relationship to Team"

    @Test(
        "do not fit relationships",
        arguments: [
            ("team: Other?", team + ", whose class is Team", "Team?"), ("team: String?", team, "Team?"),
            ("team: Set<Team>", team, "Team?"), ("team: NSSet?", team, "Team?"),
            (
                "plain: Team?",
                "plain of the entity Person is a to-one relationship to Plain, whose class is NSManagedObject",
                "NSManagedObject?"
            ),
            ("friends: Set<Team>", friends + ", whose class is Person", "Set<Person>"),
            ("friends: Person?", friends, "Set<Person>"), ("friends: NSOrderedSet?", friends, "Set<Person>"),
            ("friends: [Person]", friends, "Set<Person>"), ("friends: NSArray?", friends, "Set<Person>"),
            ("order: Set<Team>", order, "NSOrderedSet"), ("order: NSSet?", order, "NSOrderedSet"),
            ("order: [Team]", order, "NSOrderedSet"),
        ])
    func relationships(_ declaration: String, _ reason: String, _ remedy: String) throws {
        let parts = declaration.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            try problems("    @NSManaged var \(declaration)") == [
                ":2:20: error: the property \(parts[0]) of the class Person is declared as \(parts[1]), but \(reason). "
                    + "Declare it as \(remedy), or change the relationship in the model"
            ])
    }

    @Test("that fit some of the objects a relationship may lead to are warned of")
    func narrower() throws {
        #expect(
            try problems("    @NSManaged var team: Club?") == [
                ":2:20: warning: the property team of the class Person is declared as Club?, but \(Self.team), which may "
                    + "lead to League, whose class is League. Reading such an object will stop the program. Declare it as "
                    + "Team?, or change the relationship in the model"
            ])
    }

    @Test(
        "are checked wherever the property is declared: in extensions, superclasses and classes of inherited entities")
    func places() throws {
        #expect(
            try problems("", rest: "extension Person {\n    @NSManaged\n    var age: String }").map { $0.prefix(13) }
                == [":6:9: error: "])
        let parent = """
            <entity name="Root" isAbstract="YES"><attribute name="age" attributeType="Integer 16"/></entity>
            <entity name="Person" representedClassName="Person" parentEntity="Root"/>
            """
        #expect(
            try problems("    @NSManaged var age: Data", model: parent) == [
                ":2:20: error: the property age of the class Person is declared as Data, but the attribute age of the "
                    + "entity Root has the type Integer 16. Declare it as Int16, or change the attribute's type in the model"
            ])
        let above = try problems(
            "", rest: "extension Base { @NSManaged var age: String }", model: Self.model)
        #expect(above.map { $0.prefix(14) } == [":4:33: error: "])
    }

    @Test("must fit every entity that has the class")
    func severalEntities() throws {
        let two = """
            <entity name="Person" representedClassName="Person"><attribute name="age" attributeType="String"/></entity>
            <entity name="Robot" representedClassName="M.Person"><attribute name="age" attributeType="Float"/></entity>
            """
        let found = try problems("    @NSManaged var age: String", model: two)
        #expect(found.count == 1)
        #expect(found.first?.contains("the attribute age of the entity Robot has the type Float") == true)
    }

    @Test("are left alone where the model says nothing about them")
    func unknown() throws {
        let others =
            "<entity name='Person' representedClassName='Other.Person'><attribute name='age' attributeType='Date'/></entity>"
        #expect(try problems("    @NSManaged var age: String", model: others).filter { $0.contains("error") } == [])
        #expect(
            try problems("    @NSManaged var age: String", model: "<entity name='Robot' representedClassName='Robot'/>")
                == [])
        // Of undecided conditions the other branch may be compiled, and a primitive's type is the stored value's.
        #expect(
            try problems(
                """
                    #if SOMETHING
                    @NSManaged var age: String
                    #endif
                    @NSManaged private var primitiveAge: NSNumber?
                """) == [])
    }

    @Test("of a bundle are compared with its current version")
    func versions() throws {
        let models = try TemporaryModels()
        try models.model(
            "M.xcdatamodeld/Old",
            "<entity name='Person' representedClassName='Person'><attribute name='age' attributeType='String'/></entity>"
        )
        try models.model(
            "M.xcdatamodeld/New",
            "<entity name='Person' representedClassName='Person'><attribute name='age' attributeType='Date'/></entity>")
        try "<plist><dict><key>_XCCurrentVersionName</key><string>New.xcdatamodel</string></dict></plist>"
            .write(toFile: models.path("M.xcdatamodeld/.xccurrentversion"), atomically: true, encoding: .utf8)
        for (type, status) in [("Date", 0), ("String", 3)] {
            try "class Person: NSManagedObject { @NSManaged var age: \(type)? }".write(
                toFile: models.path("Person.swift"), atomically: true, encoding: .utf8)
            let result = models.run(
                "generate", "accessors", "--module", "M", "-o", models.path("Out.swift"), "--model",
                models.path("M.xcdatamodeld"), models.path("Person.swift"))
            #expect(Int(result.status) == status, "\(result.errors)")
        }
    }

    @Test("are told as JSON with line and column")
    func json() throws {
        let models = try TemporaryModels()
        try "class Person: NSManagedObject {\n  @NSManaged var age: String }".write(
            toFile: models.path("Person.swift"), atomically: true, encoding: .utf8)
        let result = models.run(
            "generate", "accessors", "--module", "M", "-o", models.path("Out.swift"), "--json", "--model",
            try models.model("M", Self.model), models.path("Person.swift"))
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let problem = try #require((object?["problems"] as? [[String: Any]])?.first)
        #expect(problem["line"] as? Int == 2 && problem["column"] as? Int == 18)
    }
}

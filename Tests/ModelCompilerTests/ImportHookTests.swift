import Foundation
import ModelCompiler
import Testing

/// Off Apple's platforms the import cannot find methods by name.
@Suite("Import hooks by dynamic name")
struct ImportHookTests {
    private static let model = """
        <entity name="Person" representedClassName="Person">
        <attribute name="firstName" optional="YES" attributeType="String"/>
        <relationship name="cars" optional="YES" toMany="YES" destinationEntity="Person" inverseName="cars"/>
        </entity>
        """

    private func warnings(_ body: String, imports: String = "import MagicalRecord", rest: String = "") throws
        -> [String]
    {
        let models = try TemporaryModels()
        let file = models.path("Person.swift")
        try """
        \(imports)
        class Person: NSManagedObject {
            @NSManaged var firstName: String?
        \(body)
        }
        \(rest)
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let result = models.run(
            "generate", "accessors", "--module", "M", "-o", models.path("Out.swift"), "--model",
            try models.model("M", Self.model), file)
        #expect(result.status == 0, "\(result.errors)")
        return result.errors.split(separator: "\n").map { String($0.dropFirst(file.count)) }
    }

    @Test("are warned of at their lines, with the hook to use")
    func names() throws {
        let found = try warnings(
            """
                func importFirstName(_ value: Any?) -> Bool { true }
                func importCars(_ record: Any) -> Bool { true }
                func shouldImportCars(_ data: Any) -> Bool { true }
            """)
        #expect(
            found == [
                ":4: warning: the import never calls importFirstName(_:): methods are found by name only where there is "
                    + "Objective-C. Adopt MagicalRecordDataImportProtocol, and handle \"firstName\" in "
                    + "importValue(_:forAttribute:)",
                ":5: warning: the import never calls importCars(_:): methods are found by name only where there is "
                    + "Objective-C. Adopt MagicalRecordDataImportProtocol, and handle \"cars\" in "
                    + "importRelationship(_:record:)",
                ":6: warning: the import never calls shouldImportCars(_:): methods are found by name only where there is "
                    + "Objective-C. Adopt MagicalRecordDataImportProtocol, and handle \"cars\" in "
                    + "shouldImportRelationship(_:data:)",
            ])
    }

    @Test("are warned of in extensions and subclasses, too")
    func places() throws {
        let found = try warnings(
            "",
            rest: """
                extension Person { func importFirstName(_ value: Any?) -> Bool { true } }
                class Boss: Person { func importCars(_ record: Any) -> Bool { true } }
                """)
        #expect(found.map { $0.prefix(12) } == [":6: warning:", ":7: warning:"])
    }

    @Test("are warned of when the class does not adopt the protocol that declares them")
    func protocolMethods() throws {
        let body = """
                func shouldImport(_ data: Any) -> Bool { true }
                func willImport(_ data: Any) {}
                func didImport(_ data: Any) {}
            """
        #expect(
            try warnings(body).first
                == ":4: warning: the import never calls shouldImport(_:): only classes that adopt "
                + "MagicalRecordDataImportProtocol have it called. "
                + "Write \"extension Person: MagicalRecordDataImportProtocol {}\"")
        #expect(try warnings(body).count == 3)
        #expect(try warnings(body, rest: "extension Person: MagicalRecordDataImportProtocol {}") == [])
    }

    @Test("are not seen in methods that are no such hooks")
    func others() throws {
        #expect(
            try warnings(
                """
                    func importPhotos(_ urls: [String]) {}
                    func importFirstName(from other: Person) {}
                    func importFirstName() {}
                    static func importFirstName(_ value: Any?) -> Bool { true }
                    func important(_ value: Any?) {}
                    #if canImport(ObjectiveC)
                    @objc func importFirstName(_ value: Any?) -> Bool { true }
                    #endif
                """) == [])
        #expect(
            try warnings("    func importFirstName(_ value: Any?) -> Bool { true }", imports: "import CoreData") == [])
        #expect(
            try warnings("", rest: "struct Other { func importFirstName(_ value: Any?) -> Bool { true } }") == [])
    }

    @Test("are not warned of where the hook to use calls them")
    func replaced() throws {
        #expect(
            try warnings(
                """
                    func importFirstName(_ value: Any?) -> Bool { true }
                    func importValue(_ value: Any?, forAttribute name: String) -> Bool { importFirstName(value) }
                """, rest: "extension Person: MagicalRecordDataImportProtocol {}") == [])
    }
}

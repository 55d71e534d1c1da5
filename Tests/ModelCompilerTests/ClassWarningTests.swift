import Foundation
import ModelCompiler
import Testing

/// The warnings of a build, which writes accessors.
@Suite("Warnings about classes that differ from their model")
struct ClassWarningTests {
    private func build(_ sources: ClassSources) -> ModelTool.Result {
        ModelTool.run([
            "generate", "accessors", "--module", "App", "--model", sources.path, "-o",
            sources.models.path("Accessors.swift"), "--allow-empty", sources.file,
        ])
    }

    @Test("there are none for the model that was made of the classes")
    func none() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        let result = build(sources)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    }

    @Test("a statement that the model contradicts or lacks is a warning with its line and the command")
    func statements() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        try sources.write(
            shelfClasses.replacingOccurrences(of: "default: 1", with: "default: 2")
                .replacingOccurrences(of: "unique(\\.title)", with: "unique(\\.pages)"))
        let result = build(sources)
        #expect(result.status == 0)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 2, "\(result.errors)")
        #expect(
            result.errors.contains(
                "App.swift:13: warning: Book.pages: the default value is 2 in the sources, but 1 in the model"))
        #expect(result.errors.contains("App.swift:12: warning: the model lacks Book: unique key pages"))
        #expect(lines.allSatisfy { $0.contains("swift package generate-model") })
    }

    @Test("a class without an entity is a warning if it is related to one that has an entity, or makes statements")
    func missingEntity() throws {
        let sources = try ClassSources(shelfClasses)
        #expect(sources.run().status == 0)
        try sources.write(shelfClasses + "\nclass Label: NSManagedObject { @NSManaged var author: Author? }")
        #expect(build(sources).errors.contains("warning: the model lacks Label: entity"))
        // It may belong to a model that is made in code.
        try sources.write(shelfClasses + "\nclass Label: NSManagedObject { @NSManaged var text: String? }")
        let result = build(sources)
        #expect(result.errors.isEmpty, "\(result.errors)")
    }

    @Test("an attribute of @Stored that the model lacks, or has with another type, is a warning")
    func stored() throws {
        let text = """
            enum State: String { case open, done }
            class Visit: NSManagedObject {
                @NSManaged var note: String?
                @Stored("state") var state: State = .open
            }
            """
        let sources = try ClassSources(text)
        #expect(sources.run().status == 0)
        #expect(build(sources).errors.isEmpty)
        try sources.write(
            text.replacingOccurrences(of: "State: String", with: "State: Int16")
                .replacingOccurrences(of: "= .open", with: "= .open\n    @Stored(\"level\") var level: State?"))
        let result = build(sources)
        #expect(
            result.errors.contains(
                "Visit.state: the type is Integer 16 (State) in the sources, but String in the model"),
            "\(result.errors)")
        #expect(result.errors.contains("warning: the model lacks Visit.level: attribute, Integer 16"))
    }

    @Test("classes without statements may share entities and superclasses as before")
    func sharedClasses() throws {
        let sources = try ClassSources("")
        try sources.write(
            """
            class Record: NSManagedObject { @NSManaged var id: UUID? }
            class Note: Record { @NSManaged var text: String }
            """)
        let folder = sources.path + "/Model.xcdatamodel"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Draft" representedClassName="Note" isAbstract="YES">
                <attribute name="id" attributeType="UUID"/>
                <attribute name="text" optional="YES" attributeType="String"/>
            </entity>
            <entity name="Final" representedClassName="Note" parentEntity="Draft"/>
        </model>
        """.write(toFile: folder + "/contents", atomically: true, encoding: .utf8)
        let result = build(sources)
        #expect(result.errors.isEmpty, "\(result.errors)")
    }
}

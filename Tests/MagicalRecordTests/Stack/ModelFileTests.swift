import MagicalRecord
import Testing

/// Models that come from files rather than from code.
struct ModelFileTests {
    private func stack(_ source: MagicalRecord.ModelSource) throws -> MagicalRecord.Stack {
        try MagicalRecord.Stack([.inMemory], model: source)
    }

    @Test func modelsThatAreNotThere() throws {
        let folder = try TemporaryDirectory()
        let bundle = try #require(Bundle(path: folder.url.path))
        for source: MagicalRecord.ModelSource in [
            .named("Nothing", in: bundle), .merged(from: [bundle]), .contents(of: folder.file("Nothing.momd")),
        ] {
            let error = #expect(throws: MagicalRecordError.self) { try stack(source) }
            #expect(error?.code == .modelNotFound)
        }
    }

    // Writing a model to a file is an addition of this package's Core Data: Apple's loads what Xcode has compiled.
    #if !canImport(Darwin)
    private func model(_ names: [String]) -> NSManagedObjectModel {
        let note = Build.entity("Note", class: NSManagedObject.self)
        note.properties = names.map { Build.attribute($0, .stringAttributeType) }
        return Build.model(note)
    }

    private func attributes(_ model: NSManagedObjectModel) -> Set<String> {
        Set(model.entitiesByName["Note"].map { Array($0.attributesByName.keys) } ?? [])
    }

    /// A folder with `Notes.momd`, whose versions are named as Xcode names them.
    private func folder() throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        let momd = folder.file("Notes.momd")
        try FileManager.default.createDirectory(at: momd, withIntermediateDirectories: true)
        for (name, keys) in [
            ("Notes 10", ["text", "stars", "mood"]), ("Notes", ["text"]), ("Notes 2", ["text", "stars"]),
        ] {
            _ = try model(keys).write(to: momd.appendingPathComponent(name + ".mom"))
        }
        let info = ["NSManagedObjectModel_CurrentVersionName": "Notes 10"]
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            .write(to: momd.appendingPathComponent("VersionInfo.plist"))
        return folder
    }

    @Test func theVersionsOfAModel() throws {
        let folder = try folder()
        let counts = [1, 2, 3]
        let versions = try MagicalRecord.ModelVersions(at: folder.file("Notes.momd"))
        #expect(versions.models.map { attributes($0).count } == counts)
        let bundle = try #require(Bundle(path: folder.url.path))
        #expect(try MagicalRecord.ModelVersions(named: "Notes", in: bundle).models.count == counts.count)
        let missing = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.ModelVersions(named: "Nothing", in: bundle)
        }
        #expect(missing?.code == .modelNotFound)
        let empty = #expect(throws: MagicalRecordError.self) { try MagicalRecord.ModelVersions(at: folder.url) }
        #expect(empty?.code == .modelNotFound)
        try Data("no archive".utf8).write(to: folder.file("Notes.momd/Notes 3.mom"))
        let broken = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.ModelVersions(at: folder.file("Notes.momd"))
        }
        #expect(broken?.code == .modelNotFound)
    }

    @Test func whereAStackFindsItsModel() throws {
        let folder = try folder()
        let bundle = try #require(Bundle(path: folder.url.path))
        let current: Set = ["text", "stars", "mood"]
        #expect(attributes(try stack(.named("Notes", in: bundle)).model) == current)
        #expect(attributes(try stack(.named("Notes.momd", in: bundle)).model) == current)
        #expect(attributes(try stack(.merged(from: [bundle])).model) == current)
        #expect(attributes(try stack(.contents(of: folder.file("Notes.momd/Notes 2.mom"))).model) == ["text", "stars"])
    }
    #endif
}

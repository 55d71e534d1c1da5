import CCoreDataSQLite
import Foundation
import ModelCompiler
import ModelFormat
import Testing

@Suite("What Xcode compiles")
struct WarningTests {
    private static let odd = """
        <entity name="Person" representedClassName="Person" codeGenerationType="none">
        <attribute name="id" optional="YES" attributeType="UUID" defaultValueString="nobody"/>
        <relationship name="car" optional="YES" maxCount="1" destinationEntity="Car" inverseName="owner"/>
        <relationship name="oldCar" optional="YES" maxCount="1" destinationEntity="Car" inverseName="owner"/>
        </entity>
        <entity name="Car">
        <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" inverseName="car"/>
        </entity>
        """

    @Test("is compiled, with warnings at the model's lines")
    func compile() throws {
        let models = try TemporaryModels()
        let path = try models.model("Odd", Self.odd)
        let result = models.run("compile", path, "-o", models.path("Odd.mom"))
        #expect(result.status == 0)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix(path + "/contents:") && $0.contains(": warning: ") })
        #expect(result.errors.contains("/contents:3: warning: the default value \"nobody\" is not a valid UUID"))
        #expect(result.errors.contains("/contents:5: warning: the inverse Car.owner has the inverse car, not oldCar"))
        let source = try Model(contentsOf: URL(fileURLWithPath: path))
        let compiled = try Model(contentsOf: URL(fileURLWithPath: models.path("Odd.mom")))
        #expect(try compiled.versionHashes() == source.versionHashes())
    }

    @Test("is told as JSON with its severity")
    func json() throws {
        let models = try TemporaryModels()
        let result = models.run("compile", try models.model("Odd", Self.odd), "-o", models.path("Odd.mom"), "--json")
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let problems = try #require(object?["problems"] as? [[String: Any]])
        #expect(problems.compactMap { $0["severity"] as? String } == ["warning", "warning"])
        #expect(Set(problems.compactMap { $0["line"] as? Int }) == [3, 5])
    }

    @Test("is found by lint, which can be told to leave it")
    func lint() throws {
        let models = try TemporaryModels()
        let path = try models.model("Odd", Self.odd)
        let result = models.run("lint", path)
        #expect(result.status == 1)
        #expect(result.output.contains("/contents:3: warning: ") && result.output.contains("[unreadable-default]"))
        #expect(result.output.contains("/contents:5: warning: ") && result.output.contains("[inverse-mismatch]"))
        #expect(!result.output.contains("invalid-model"))
        let quiet = models.run("lint", path, "--disable", "unreadable-default", "--disable", "inverse-mismatch")
        #expect(quiet.status == 0)
    }

    @Test("warns of the current version of a bundle alone, and lint of all on demand")
    func versions() throws {
        let models = try TemporaryModels()
        let bundle = models.path("Odd.xcdatamodeld")
        try models.model("Odd.xcdatamodeld/Old", Self.odd)
        try models.model("Odd.xcdatamodeld/Present", "<entity name='Car'/>")
        try "<plist><dict><key>_XCCurrentVersionName</key><string>Present.xcdatamodel</string></dict></plist>"
            .write(toFile: bundle + "/.xccurrentversion", atomically: true, encoding: .utf8)
        let result = models.run("compile", bundle, "-o", models.path("Odd.momd"))
        #expect(result.status == 0 && result.errors == "")
        #expect(models.run("lint", bundle).status == 0)
        #expect(models.run("lint", bundle, "--all").status == 1)
    }

    private func mapping(_ models: TemporaryModels, _ entities: String) throws -> String {
        let folder = models.folder.appendingPathComponent("Move.xcmappingmodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let model = Data("<model><entity name='A'/></model>".utf8).base64EncodedString()
        try """
        <database><object type="XDDEVMAPPINGMODEL" id="z1"><relationship name="entitymappings" idrefs="z2"/>
        <attribute name="sourcemodeldata" type="binary">\(model)</attribute>
        <attribute name="destinationmodeldata" type="binary">\(model)</attribute></object>
        <object type="XDDEVENTITYMAPPING" id="z2"><attribute name="name" type="string">Nothing</attribute>
        \(entities)</object></database>
        """.write(to: folder.appendingPathComponent("xcmapping.xml"), atomically: true, encoding: .utf8)
        return folder.path
    }

    @Test("includes entity mappings without entities")
    func emptyMapping() throws {
        let models = try TemporaryModels()
        let path = try mapping(models, "")
        let compiled = models.path("Move.cdm")
        let result = models.run("compile", path, "-o", compiled)
        #expect(result.status == 0)
        #expect(
            result.errors.hasPrefix(
                path + "/xcmapping.xml:4: warning: the entity mapping Nothing names no entity, and does nothing. "))
        let mapping = try MappingModel(contentsOf: URL(fileURLWithPath: compiled)).entityMappings
        #expect(mapping.map(\.kind) == [.undefined])
        for file in [path, compiled] {
            let lint = models.run("lint", file)
            #expect(lint.status == 1)
            #expect(lint.output.contains("[empty-mapping]"))
            #expect(models.run("lint", file, "--disable", "empty-mapping").status == 0)
        }
        #expect(models.run("compile", compiled, "-o", models.path("Again.cdm")).errors.contains("names no entity"))
    }

    @Test("includes attributes of mapping models that are unknown")
    func unreadPart() throws {
        let models = try TemporaryModels()
        let path = try mapping(
            models,
            #"""
            <attribute name="sourcename" type="string">A</attribute><attribute name="tint" type="string">red</attribute>
            <attribute name="shade" type="string"></attribute>
            """#)
        let result = models.run("compile", path, "-o", models.path("Move.cdm"))
        #expect(result.status == 0)
        #expect(result.errors == path + "/xcmapping.xml:4: warning: the attribute tint is unknown, and left out\n")
        #expect(models.run("lint", path).output.contains("tint is unknown, and left out [unread-part]"))
    }

    @Test("has no warning where a mapping names its entities")
    func fullMapping() throws {
        let models = try TemporaryModels()
        let path = try mapping(models, #"<attribute name="sourcename" type="string">A</attribute>"#)
        #expect(models.run("compile", path, "-o", models.path("Move.cdm")).errors == "")
        #expect(models.run("lint", path).status == 0)
    }
}

@Suite("Relationships that may be empty")
struct EmptyRelationshipTests {
    private func models(_ minimum: String) throws -> (TemporaryModels, String) {
        let models = try TemporaryModels()
        let path = try models.model(
            "M",
            """
            <entity name="Person" representedClassName=".Person" codeGenerationType="class">
            <relationship name="cars" toMany="YES" \(minimum) destinationEntity="Car" inverseName="owner"/></entity>
            <entity name="Car"><relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" \
            inverseName="cars"/></entity>
            """)
        return (models, path)
    }

    /// Stores of Apple's are full of empty ones.
    @Test("are those to many without a minimum, optional or not")
    func withoutMinimum() throws {
        let (models, path) = try models("")
        #expect(models.run("show", path).output.contains("to many Car, inverse owner, may be empty"))
        #expect(models.run("lint", path).output.contains("note: the relationship is not optional, but may be empty"))
        #expect(models.run("lint", path).status == 0)
        #expect(models.run("diagram", path, "--format", "mermaid").output.contains("\"*\""))
    }

    @Test("are not those with a minimum")
    func withMinimum() throws {
        let (models, path) = try models("minCount='1'")
        #expect(models.run("show", path).output.contains("to many Car, inverse owner, required"))
        #expect(!models.run("lint", path).output.contains("empty-to-many"))
        #expect(models.run("diagram", path, "--format", "mermaid").output.contains("\"1..*\""))
    }
}

@Suite("What decompiling leaves out")
struct DecompileLossTests {
    /// The archive of a model with a key that is not known here.
    private static func strange() throws -> Data {
        var thing = Entity(name: "Thing")
        thing.isAbstract = true
        var archive = try Model(entities: [thing]).archive()
        let key = try #require(archive.range(of: Data("NSIsAbstract".utf8)))
        archive.replaceSubrange(key, with: Data("NSTintedness".utf8))
        return archive
    }

    private func store(holding archive: Data, at path: String) throws {
        var database: OpaquePointer?
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        defer { _ = sqlite3_close(database) }
        try #require(sqlite3_exec(database, "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)", nil, nil, nil) == SQLITE_OK)
        var statement: OpaquePointer?
        defer { _ = sqlite3_finalize(statement) }
        try #require(
            sqlite3_prepare_v2(database, "INSERT INTO Z_MODELCACHE VALUES (?)", -1, &statement, nil) == SQLITE_OK)
        let content = RawDeflate.compress(archive)
        let result = content.withUnsafeBytes { bytes in
            sqlite3_bind_blob(statement, 1, bytes.baseAddress, Int32(bytes.count), nil) == SQLITE_OK
                && sqlite3_step(statement) == SQLITE_DONE
        }
        try #require(result)
    }

    @Test("is listed, whether the model lies in a file or in a store")
    func unknownKeys() throws {
        let models = try TemporaryModels()
        let archive = try Self.strange()
        try archive.write(to: models.folder.appendingPathComponent("A.mom"))
        try store(holding: archive, at: models.path("A.sqlite"))
        for name in ["A.mom", "A.sqlite"] {
            let result = models.run("decompile", models.path(name), "-o", models.path("A.xcdatamodel"))
            #expect(result.status == 0)
            #expect(
                result.errors.contains(
                    "\(name): warning: the key NSTintedness of NSEntityDescription is unknown, and left out"))
        }
        let compiled = models.run("compile", models.path("A.mom"), "-o", models.path("B.mom"))
        #expect(compiled.status == 0 && compiled.errors.contains("the key NSTintedness of NSEntityDescription"))
    }

    @Test("does not include indexes over the object and its entity, nor change a version hash")
    func expressionIndexes() throws {
        let models = try TemporaryModels()
        let source = try models.model(
            "Photos",
            """
            <entity name="Asset"><attribute name="date" optional="YES" attributeType="Date"/>
            <fetchIndex name="byEntity"><fetchIndexElement expression="entity" expressionType="String" type="Binary" \
            order="ascending"/><fetchIndexElement property="date" type="Binary" order="descending"/></fetchIndex>
            <fetchIndex name="bySelf"><fetchIndexElement expression="self" expressionType="Undefined" type="Binary" \
            order="ascending"/></fetchIndex></entity>
            """)
        let (first, second) = (models.path("First.mom"), models.path("Second.mom"))
        #expect(models.run("compile", source, "-o", first).errors == "")
        let back = models.run("decompile", first, "-o", models.path("Back.xcdatamodel"))
        #expect(back.status == 0 && back.errors == "")
        #expect(models.run("compile", models.path("Back.xcdatamodel"), "-o", second).errors == "")
        let read = try [first, second].map { try Model(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(read[0].entities == read[1].entities)
        #expect(read[0].entities[0].fetchIndexes.map(\.name) == ["byEntity", "bySelf"])
        #expect(models.run("hashes", source).output == models.run("hashes", second).output)
    }

    @Test("of compiled mapping models is listed when they are compiled again")
    func mappingKeys() throws {
        let models = try TemporaryModels()
        var archive = MappingModel(entityMappings: [EntityMapping(name: "A")]).archive()
        archive.replaceSubrange(
            try #require(archive.range(of: Data("NSSourceExpression".utf8))), with: Data("NSTintedExpression".utf8))
        try archive.write(to: models.folder.appendingPathComponent("A.cdm"))
        let result = models.run("compile", models.path("A.cdm"), "-o", models.path("B.cdm"))
        #expect(result.errors.contains("A.cdm: warning: the key NSTintedExpression of NSEntityMapping is unknown"))
    }
}

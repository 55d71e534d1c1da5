import Foundation
import ModelCompiler
import ModelFormat
import Testing

@Suite("Lint")
struct LintTests {
    private func rules(_ body: String, root: String = "") throws -> [String] {
        let model = try ModelDocument(xml: Data("<model \(root)>\(body)</model>".utf8)).model
        return Linter.findings(in: model).map(\.rule)
    }

    private func entity(_ body: String) -> String { "<entity name='Person'>\(body)</entity>" }

    @Test("finds nothing in a model that is in order")
    func clean() throws {
        let found = try rules(
            """
            <entity name='Person'><attribute name='name' optional='YES' attributeType='String'/>
            <relationship name='cars' optional='YES' toMany='YES' deletionRule='Cascade' destinationEntity='Car' inverseName='owner'/>
            </entity><entity name='Car'>
            <relationship name='owner' optional='YES' maxCount='1' destinationEntity='Person' inverseName='cars'/></entity>
            """)
        #expect(found.isEmpty)
    }

    @Test("finds what is wrong with attributes")
    func attributes() throws {
        func attribute(_ text: String) throws -> [String] { try rules(entity("<attribute name='a' \(text)/>")) }
        #expect(try attribute("attributeType='Integer 16'") == ["required-without-default"])
        #expect(
            try attribute("optional='YES' usesScalarValueType='YES' attributeType='Integer 16'") == ["optional-scalar"])
        #expect(try attribute("optional='YES'") == ["undefined-type"])
        #expect(try attribute("optional='YES' attributeType='Transformable'") == ["insecure-transformable"])
        #expect(try attribute("optional='YES' attributeType='Binary'") == ["inline-binary"])
        #expect(
            try attribute("attributeType='Integer 16' defaultValueString='0' minValueString='1'") == [
                "default-breaks-rule"
            ])
        #expect(
            try attribute("optional='YES' attributeType='String' derived='YES' derivationExpression='canonical:(b)'")
                == ["bad-derivation"])
    }

    @Test("finds what is wrong with relationships")
    func relationships() throws {
        func pair(_ cars: String, _ owner: String) throws -> [String] {
            try rules(
                """
                <entity name='Person'><relationship name='cars' optional='YES' toMany='YES' destinationEntity='Car' inverseName='owner' \(cars)/></entity>
                <entity name='Car'><relationship name='owner' maxCount='1' destinationEntity='Person' inverseName='cars' \(owner)/></entity>
                """)
        }
        #expect(try pair("deletionRule='Cascade'", "deletionRule='Cascade'") == ["delete-cycle", "delete-cycle"])
        #expect(try pair("deletionRule='Nullify'", "") == ["dangling-delete"])
        #expect(try pair("deletionRule='No Action'", "") == ["dangling-delete"])
        #expect(try pair("deletionRule='Deny'", "deletionRule='Deny'") == ["deny-both", "deny-both"])
        #expect(try pair("deletionRule='Cascade' minCount='3' maxCount='2'", "") == ["impossible-count"])
        let ordered = "<relationship name='r' optional='YES' maxCount='1' ordered='YES' destinationEntity='Person'/>"
        #expect(try rules(entity(ordered)) == ["missing-inverse", "ordered-to-one"])
        #expect(
            try rules(entity("<relationship name='r' optional='YES' maxCount='1' destinationEntity='Person'/>"))
                == ["missing-inverse"])
        let circle = ["A", "B", "C"].enumerated().map { index, name in
            "<entity name='\(name)'><relationship name='next' optional='YES' maxCount='1' deletionRule='Cascade' "
                + "destinationEntity='\(["B", "C", "A"][index])' inverseName='last'/>"
                + "<relationship name='last' optional='YES' maxCount='1' destinationEntity='\(["C", "A", "B"][index])' "
                + "inverseName='next'/></entity>"
        }.joined()
        #expect(try rules(circle) == ["delete-cycle"])
    }

    @Test("finds what is wrong with names")
    func names() throws {
        let string = "optional='YES' attributeType='String'"
        #expect(
            try rules(entity("<attribute name='url' \(string)/><attribute name='uRL' \(string)/>")) == ["sql-collision"]
        )
        #expect(try rules(entity("<attribute name='_pk' \(string)/>")).contains("sql-collision"))
        #expect(try rules("<entity name='Person'/><entity name='PERSON'/>") == ["sql-collision"])
        #expect(try rules(entity("<attribute name='description' \(string)/>")) == ["reserved-name"])
        #expect(try rules(entity("<attribute name='Name' \(string)/>")) == ["name-style"])
        #expect(try rules("<entity name='person'/>") == ["name-style"])
        #expect(
            try rules(
                entity("<attribute name='a' elementID='x' \(string)/><attribute name='b' elementID='x' \(string)/>"))
                == ["renaming-clash"])
    }

    @Test("finds fetch requests that lead nowhere, or that no index serves")
    func fetches() throws {
        let name = entity("<attribute name='name' optional='YES' attributeType='String'/>")
        func fetch(_ predicate: String) -> String {
            "<fetchRequest name='f' entity='Person' predicateString='\(predicate)'/>"
        }
        #expect(try rules(name + fetch("name == $X")) == ["unindexed-fetch"])
        #expect(try rules(name + fetch("nome == $X")) == ["bad-predicate"])
        #expect(try rules(name + fetch("name ==")) == ["bad-predicate"])
        let indexed = entity(
            """
            <attribute name='name' optional='YES' attributeType='String'/>
            <fetchIndex name='byName'><fetchIndexElement property='name' type='Binary' order='ascending'/></fetchIndex>
            """)
        #expect(try rules(indexed + fetch("name == $X")).isEmpty)
    }

    @Test("finds what is wrong with the model as a whole")
    func whole() throws {
        #expect(try rules("<entity name='A' isAbstract='YES'/>") == ["lonely-abstract"])
        #expect(
            try rules(
                "<entity name='A'/><entity name='B'/><configuration name='C'><memberEntity name='A'/></configuration>")
                == ["unconfigured-entity"])
        #expect(try rules("<entity name='A' handmade='x'/>") == ["unknown-attribute"])
        #expect(try rules("<entity name='A'><tint/></entity>") == ["unknown-attribute"])
        #expect(try rules("<entity name='A'/><theme/>") == ["unknown-attribute"])
        #expect(try rules("<entity name='A' coreSpotlightDisplayNameExpression='x'/>") == ["not-compiled"])
        let unique = entity(
            """
            <attribute name='name' attributeType='String' defaultValueString=''/>
            <uniquenessConstraints><uniquenessConstraint><constraint value='name'/></uniquenessConstraint></uniquenessConstraints>
            """)
        #expect(try rules(unique, root: "usedWithCloudKit='YES'") == ["cloudkit"])
        #expect(try rules(unique).isEmpty)
    }

    @Test("prints findings at their lines, with an exit status")
    func command() throws {
        let models = try TemporaryModels()
        let path = try models.model(
            "M", "<entity name='Person'>\n<attribute name='age' attributeType='Integer 16'/>\n</entity>")
        let result = models.run("lint", path)
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                "/M.xcdatamodel/contents:3: warning: the attribute is required and has no default "
                    + "[required-without-default] (entity Person, property age). "))
        #expect(models.run("lint", path, "--disable", "required-without-default").status == 0)
        #expect(models.run("lint", path, "--disable", "nonsense").status == 2)
        let json = try JSONSerialization.jsonObject(with: Data(models.run("lint", path, "--json").output.utf8))
        #expect((json as? [[String: Any]])?.first?["line"] as? Int == 3)
        let broken = try models.model("Broken", "<entity name='A' parentEntity='B'/>")
        #expect(models.run("lint", broken).output.contains("error: the parent entity B does not exist [invalid-model]"))
    }

    @Test("gets through every real model", .enabled(if: RealModels.areAvailable))
    func realModels() throws {
        for path in ["models/mage-ios-sdk.xcdatamodeld", "stores/bookmarks/BookmarksModel.xcdatamodeld"] {
            let result = ModelTool.run(["lint", RealModels.path(path), "--all"])
            #expect(result.errors.isEmpty)
            #expect(!result.output.isEmpty)
        }
    }
}

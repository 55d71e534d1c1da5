import Foundation
import ModelCompiler
import ModelFormat
import Testing

@Suite("Showing models")
struct ShowTests {
    private static let garage = """
        <entity name="Person" representedClassName=".Person" isAbstract="YES">
        <attribute name="name" optional="YES" attributeType="String" minValueString="1" defaultValueString="Ann"/>
        <relationship name="cars" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Car" inverseName="owner"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Driver" parentEntity="Person"/>
        <entity name="Car">
        <relationship name="owner" maxCount="1" destinationEntity="Person" inverseName="cars"/>
        </entity>
        <fetchRequest name="Anns" entity="Person" predicateString="name == &quot;Ann&quot;" fetchLimit="3"/>
        <configuration name="Local"><memberEntity name="Car"/></configuration>
        """

    @Test("prints entities, properties, requests and configurations as text")
    func text() throws {
        let models = try TemporaryModels()
        let path = try models.model("Garage", Self.garage)
        let output = models.run("show", path).output
        #expect(output.hasPrefix("model Garage\n  checksum     "))
        #expect(output.contains("\nentity Driver : Person\n"))
        #expect(output.contains("\nentity Person (abstract)\n  class        .Person\n  hash         "))
        #expect(output.contains("  attribute    name  String, optional, default \"Ann\", at least 1 long\n"))
        #expect(output.contains("  relationship cars  to many Car, inverse owner, optional, delete rule Cascade\n"))
        #expect(output.contains("  unique       name\n"))
        #expect(output.contains("  fetch        Anns  Person, where name == \"Ann\", limit 3\n"))
        #expect(output.contains("  stores       Local  Car\n"))
    }

    @Test("prints JSON with the same hashes as hashes does")
    func json() throws {
        let models = try TemporaryModels()
        let path = try models.model("Garage", Self.garage)
        let json = try JSONSerialization.jsonObject(with: Data(models.run("show", path, "--json").output.utf8))
        let entities = try #require((json as? [String: Any])?["entities"] as? [[String: Any]])
        let hashes = models.run("hashes", path).output
        for entity in entities {
            let (name, hash) = (entity["name"] as? String ?? "", entity["versionHash"] as? String ?? "")
            #expect(hashes.contains("\(name)\t\(hash)\n"))
        }
    }

    @Test("shows compiled models, stores and mapping models", .enabled(if: RealModels.areAvailable))
    func otherForms() throws {
        let store = ModelTool.run(["show", RealModels.path("stores/sample/SampleModel2_V1.sqlite")])
        #expect(store.status == 0)
        #expect(store.output.contains("derived by count:(pages)"))
        let old = ModelTool.run(["show", RealModels.path("stores/recipes/Recipes.sqlite")])
        #expect(old.status == 3)
        #expect(old.errors.contains("the database carries no model"))
        let bundle = ModelTool.run([
            "show", RealModels.path("stores/sample/SampleModel.momd"), "--version", "SampleModel2",
        ])
        #expect(bundle.output.hasPrefix("model SampleModel2\n"))
        let mapping = ModelTool.run(["show", RealModels.path("stores/sample/V2toV3.xcmappingmodel")])
        #expect(mapping.output.contains("mapping CarToCar (custom)"))
        #expect(mapping.output.contains("  numberPlate = $source.numberPlate\n"))
    }

    @Test("decompiles what was compiled")
    func decompile() throws {
        let models = try TemporaryModels()
        let path = try models.model("Garage", Self.garage)
        #expect(models.run("compile", path, "-o", models.path("Garage.momd")).status == 0)
        let result = models.run("decompile", models.path("Garage.momd"), "-o", models.path("Back.xcdatamodeld"))
        #expect(result.status == 0 && result.errors.isEmpty)
        let back = models.run("diff", path, models.path("Back.xcdatamodeld"), "--fail-on", "any")
        #expect(back.output.hasSuffix("no differences\n"))
        #expect(models.run("decompile", path, "-o", "x.mom").status == 2)
    }

    @Test("compiles mapping models, with models given or carried", .enabled(if: RealModels.areAvailable))
    func mapping() throws {
        let models = try TemporaryModels()
        let source = RealModels.path("stores/migration-example/Migration2to3.xcmappingmodel")
        let output = models.path("M.cdm")
        #expect(models.run("compile", source, "-o", output).status == 0)
        let carried = try MappingModel(contentsOf: URL(fileURLWithPath: output))
        let versions = "stores/migration-example/CoreDataMigration_Example.xcdatamodeld/CoreDataMigration_Example"
        let given = models.run(
            "compile", source, "-o", output, "--source", RealModels.path("\(versions) 2.xcdatamodel"),
            "--destination", RealModels.path("\(versions) 3.xcdatamodel"))
        #expect(given.status == 0)
        #expect(try MappingModel(contentsOf: URL(fileURLWithPath: output)) == carried)
    }
}

@Suite("Diagrams")
struct DiagramTests {
    private func manyEntities(_ count: Int) -> String {
        (0..<count).map { number in
            let next = (number * 7 + 1) % count
            return """
                <entity name="Entity\(number)"\(number % 9 == 5 ? " parentEntity=\"Entity\(number - 1)\"" : "")>
                <attribute name="title" optional="YES" attributeType="String"/>
                <relationship name="next" optional="YES" maxCount="1" destinationEntity="Entity\(next)"/>
                </entity>
                """
        }.joined(separator: "\n")
    }

    @Test("of fifty entities have no two boxes that overlap")
    func overlap() throws {
        let models = try TemporaryModels()
        let path = try models.model("Many", manyEntities(50))
        let output = models.run("diagram", path).output
        let pattern = /<rect class="box" x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)" height="([0-9.]+)"/
        let boxes = output.matches(of: pattern).map {
            (x: Double($0.1)!, y: Double($0.2)!, width: Double($0.3)!, height: Double($0.4)!)
        }
        #expect(boxes.count == 50)
        for (index, one) in boxes.enumerated() {
            for other in boxes[(index + 1)...] {
                let apart =
                    one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y
                    || other.y + other.height <= one.y
                #expect(apart)
            }
        }
    }

    @Test("lead lines past boxes, never behind them")
    func passages() throws {
        let models = try TemporaryModels()
        // So many lead to one that they fill several columns.
        let spokes = (0..<60).map { number in
            let attributes = (0..<4).map { "<attribute name='a\($0)' attributeType='String'/>" }.joined()
            return "<entity name='Spoke\(number)'>\(attributes)"
                + "<relationship name='hub' maxCount='1' destinationEntity='Hub'/></entity>"
        }
        let path = try models.model("Wheel", "<entity name='Hub'/>" + spokes.joined())
        let output = models.run("diagram", path).output
        let rectangle = /<rect class="box" x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)" height="([0-9.]+)"/
        let boxes = output.matches(of: rectangle).map {
            (x: Double($0.1)!, y: Double($0.2)!, width: Double($0.3)!, height: Double($0.4)!)
        }
        let lines = output.split(separator: "\n").filter { $0.hasPrefix("<path class=") }.joined()
        let stretches = lines.matches(of: /([0-9.]+) (-?[0-9.]+) L([0-9.]+) (-?[0-9.]+)/)
        #expect(!stretches.isEmpty)
        for stretch in stretches {
            let (x1, x2, y) = (Double(stretch.1)!, Double(stretch.3)!, Double(stretch.2)!)
            #expect(stretch.2 == stretch.4)
            let hidden = boxes.filter {
                min(x1, x2) < $0.x + $0.width && max(x1, x2) > $0.x && y > $0.y && y < $0.y + $0.height
            }
            #expect(hidden.isEmpty)
        }
    }

    @Test("are well-formed SVG that names entities, rules and relationships")
    func svg() throws {
        let models = try TemporaryModels()
        let path = try models.model(
            "M",
            """
            <entity name="Tree"><attribute name="kind" optional="YES" attributeType="Transformable" customClassName="[String: Set&lt;Int&gt;]"/>
            <relationship name="branches" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Tree" inverseName="trunk"/>
            <relationship name="trunk" optional="YES" maxCount="1" destinationEntity="Tree" inverseName="branches"/></entity>
            <entity name="Oak" parentEntity="Tree" isAbstract="YES"/>
            """)
        let file = models.path("M.svg")
        #expect(models.run("diagram", path, "-o", file).status == 0)
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        // Any XML reader will do; the model reader says what the root is.
        let error = #expect(throws: ModelFormatError.self) { try ModelDocument(xml: data) }
        #expect(error?.message == "the root element is <svg>, not <model>")
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("Tree.branches to many Tree (Cascade), inverse Tree.trunk to one Tree (Nullify)"))
        #expect(text.contains("Oak inherits from Tree"))
        #expect(text.contains("[String: Set&lt;Int&gt;]"))
    }

    @Test("come as Mermaid and as JSON too")
    func otherFormats() throws {
        let models = try TemporaryModels()
        let path = try models.model(
            "M",
            """
            <entity name="Person"><attribute name="age" attributeType="Integer 16"/>
            <relationship name="cars" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Car" inverseName="owner"/></entity>
            <entity name="Car" isAbstract="YES">
            <relationship name="owner" maxCount="1" destinationEntity="Person" inverseName="cars"/></entity>
            <entity name="Van" parentEntity="Car"/>
            """)
        #expect(
            models.run("diagram", path, "--format", "mermaid").output == """
                classDiagram
                    direction LR
                    class Car {
                        <<abstract>>
                    }
                    class Person {
                        Integer16 age
                    }
                    class Van
                    Car "*" <--> "1" Person : owner / cars (cascade)
                    Car <|-- Van

                """)
        #expect(models.run("diagram", path, "-o", models.path("M.md")).status == 0)
        #expect(
            try String(contentsOfFile: models.path("M.md"), encoding: .utf8).hasPrefix("```mermaid\nclassDiagram\n"))
        let json = try JSONSerialization.jsonObject(with: Data(models.run("diagram", path, "--json").output.utf8))
        #expect(((json as? [String: Any])?["lines"] as? [Any])?.count == 2)
        #expect(models.run("diagram", path, "--format", "gif").status == 2)
    }
}

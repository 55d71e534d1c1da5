import Foundation
import ModelFormat
import Testing

@testable import ModelCompiler

/// Other commands change models as values, in ways that `modelc add` does not.
@Suite("Edits of a source model")
struct EditedModelTests {
    private let models: TemporaryModels
    private let path: String

    init() throws {
        models = try TemporaryModels()
        path = try models.model(
            "Model",
            """
            \t<!-- first -->
            \t<entity name='A' renamingIdentifier="Z">\r
            \t\t<!-- kept -->
            \t\t<attribute name="one" attributeType="String" optional = "YES"   defaultValueString='&#65;'/>
            \t\t<attribute attributeType="Integer 16"
            \t\t           name="two"><userInfo/></attribute>
            \t\t<userInfo><entry key="k" value="v"/><!-- last --></userInfo>
            \t</entity>
            \t<entity name="B"/><!-- b --><entity name="C"></entity>
            """)
    }

    private func edit(_ change: (inout Model) -> Void) throws -> String {
        var edited = try EditedModel(at: path)
        change(&edited.model)
        #expect(try edited.write())
        return try String(contentsOfFile: path + "/contents", encoding: .utf8)
    }

    private var text: String {
        get throws { try String(contentsOfFile: path + "/contents", encoding: .utf8) }
    }

    @Test("change only the attributes that differ")
    func attributes() throws {
        let old = try text
        let new = try edit { model in
            model.entities[0].attributes[0].defaultValue = "<B>"
            model.entities[0].attributes[1].isOptional = true
            model.entities[0].attributes[0].isOptional = false
        }
        let expected = old.replacingOccurrences(of: " optional = \"YES\"", with: "")
            .replacingOccurrences(of: "   defaultValueString='&#65;'", with: " defaultValueString=\"&lt;B&gt;\"")
            .replacingOccurrences(of: "name=\"two\"", with: "name=\"two\" optional=\"YES\"")
        #expect(new == expected)
    }

    @Test("add to elements that are empty, in every form")
    func empty() throws {
        let old = try text
        let new = try edit { model in
            model.entities[0].attributes[1].userInfo = ["a": "b"]
            model.entities[1].attributes = [Attribute(name: "x", type: .string)]
            model.entities[2].attributes = [Attribute(name: "y", type: .string)]
        }
        for comment in ["<!-- first -->", "<!-- kept -->", "<!-- last -->", "<!-- b -->"] {
            #expect(old.contains(comment) && new.contains(comment))
        }
        let read = try EditedModel(at: path).model
        #expect(read.entities[0].attributes[1].userInfo == ["a": "b"])
        #expect(read.entities[1].attributes.map(\.name) == ["x"] && read.entities[2].attributes.map(\.name) == ["y"])
    }

    @Test("remove elements with their lines")
    func removal() throws {
        let new = try edit { model in
            model.entities[0].attributes.remove(at: 0)
            model.entities.remove(at: 1)
        }
        #expect(!new.contains("\"one\"") && !new.contains("\"B\""))
        #expect(new.contains("<!-- kept -->\n\t\t<attribute attributeType=\"Integer 16\""))
        #expect(new.contains("\t<!-- b --><entity name=\"C\"></entity>"))
    }

    @Test("rename elements where they stand, with the comments in them")
    func renaming() throws {
        let old = try text
        let new = try edit { model in
            model.entities[0].name = "New"
            model.entities[0].renamingIdentifier = "A"
            model.entities[0].attributes[1].name = "second"
            model.entities[0].attributes[1].renamingIdentifier = "two"
            model.entities[1].name = "Other"
            model.entities[1].renamingIdentifier = "B"
        }
        // Of the two spellings of renaming identifiers, Xcode's is elementID.
        let expected = old.replacingOccurrences(
            of: "<entity name='A' renamingIdentifier=\"Z\">", with: "<entity name=\"New\" elementID=\"A\">"
        )
        .replacingOccurrences(
            of: "\n\t\t           name=\"two\">", with: " elementID=\"two\" name=\"second\">"
        )
        .replacingOccurrences(of: "<entity name=\"B\"/>", with: "<entity name=\"Other\" elementID=\"B\"/>")
        #expect(new == expected)
    }

    @Test("rename nothing where the former name is still in use, or claimed twice")
    func renamedTwice() throws {
        let new = try edit { model in
            model.entities[0].attributes.append(Attribute(name: "three", type: .string))
            model.entities[0].attributes[2].renamingIdentifier = "one"
            model.entities.removeAll { $0.name == "B" }
            for name in ["D", "E"] {
                model.entities.append(Entity(name: name))
                model.entities[model.entities.count - 1].renamingIdentifier = "B"
            }
        }
        #expect(new.contains("<attribute name=\"one\" attributeType=\"String\" optional = \"YES\""))
        let read = try EditedModel(at: path).model
        #expect(read.entities[0].attributes.map(\.name).sorted() == ["one", "three", "two"])
        #expect(Set(read.entities.map(\.name)) == ["A", "C", "D", "E"])
    }

    @Test("of nothing write nothing, and so does a new order")
    func nothing() throws {
        let old = try text
        var edited = try EditedModel(at: path)
        #expect(try !edited.write())
        edited.model.entities.reverse()
        #expect(try !edited.write())
        #expect(try text == old)
    }

    @Test("that the file's form does not permit are errors, and the file stays")
    func impossible() throws {
        let old = try text
        var edited = try EditedModel(at: path)
        // Of two spellings, the one that is not the writer's stays in the file.
        edited.model.entities[0].renamingIdentifier = nil
        #expect { try edited.write() } throws: { "\($0)".contains("Make the change in a text editor") }
        var invalid = try EditedModel(at: path)
        invalid.model.entities[0].parentName = "None"
        #expect { try invalid.write() } throws: { ($0 as? ModelFormatError)?.line == 3 }
        var unwritable = try EditedModel(at: path)
        unwritable.model.entities[0].attributes[0].validation = [.predicate("SELF != 'x'", .code(1))]
        #expect { try unwritable.write() } throws: { ($0 as? ModelFormatError)?.code == .unsupported }
        #expect(try text == old)
    }

    @Test("are not written over a file that has changed")
    func changedMeanwhile() throws {
        var edited = try EditedModel(at: path)
        edited.model.entities.append(Entity(name: "D"))
        let other = try text + "<!-- another program -->"
        try other.write(toFile: path + "/contents", atomically: true, encoding: .utf8)
        #expect { try edited.write() } throws: { "\($0)".contains("changed by another program") }
        #expect(try text == other)
    }
}

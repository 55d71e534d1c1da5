import Foundation
import ModelFormat
import Testing

@Suite("Strings files")
struct StringsFileTests {
    private func read(_ text: String) throws -> [String: String] { try StringsFile.read(Data(text.utf8)) }

    @Test("hold pairs, with comments between them")
    func pairs() throws {
        let text = """
            /* The name of the entity.
               Two lines. */
            "Entity/Person" = "Mensch";
            // One line
            Property/name = Name; plain;
            "empty" = ""; /**/
            """
        #expect(
            try read(text) == ["Entity/Person": "Mensch", "Property/name": "Name", "plain": "plain", "empty": ""])
        #expect(try read("").isEmpty)
        #expect(try read(" \n // nothing").isEmpty)
    }

    @Test("escape as C does, and with numbers")
    func escapes() throws {
        #expect(try read(#""a" = "x\"y\\z\n\t\U00e4\u00E4\101\'\/";"#)["a"] == "x\"y\\z\n\tääA'/")
        #expect(try read(#""a" = "\ud83e\uddf5 🧵";"#)["a"] == "🧵 🧵")
        #expect(try read(#""a" = "\ud83e";"#)["a"] == "\u{FFFD}")
    }

    @Test("are in UTF-8 or UTF-16", arguments: [String.Encoding.utf8, .utf16, .utf16BigEndian, .utf16LittleEndian])
    func encodings(_ encoding: String.Encoding) throws {
        let text = "\"a\" = \"Größe\";"
        let data = try #require(text.data(using: encoding))
        #expect(try StringsFile.read(data) == ["a": "Größe"])
        #expect(try StringsFile.read(Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)) == ["a": "Größe"])
    }

    @Test("may be compiled to property lists", arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func propertyLists(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let list: [String: Any] = ["a": "b", "plural": ["one": "x"]]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        #expect(try StringsFile.read(data) == ["a": "b"])
    }

    @Test(
        "are refused with the line of what is wrong",
        arguments: [
            ("\n\"a\" = \"b\"\n", 3), ("a = b", 1), ("\n\n\"a = b;", 3), ("/* x", 1), ("a = ;", 1), ("= b;", 1),
            ("a\n=\n{};", 3), (#""a" = "\u";"#, 1), (#""a" = "\"#, 1), ("a = b; c = \"", 1),
        ])
    func errors(_ text: String, _ line: Int) throws {
        let error = #expect(throws: ModelFormatError.self) { try read(text) }
        #expect(error?.line == line, "\(text)")
    }

    @Test("are refused in other encodings")
    func otherEncodings() {
        #expect(throws: ModelFormatError.self) { try StringsFile.read(Data("\"a\" = \"Gr".utf8) + [0xF6, 0xDF]) }
        #expect(throws: ModelFormatError.self) { try StringsFile.read(at: URL(fileURLWithPath: "/nowhere.strings")) }
    }
}

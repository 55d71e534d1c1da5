import Foundation
import ModelFormat

extension Target {
    static let stringsFiles = Target(
        name: "strings-files", words: ["/*", "*/", "//", "\\U0041", "\\\"", "\\101", " = ", ";"],
        seeds: {
            let text = """
                /* Names of entities. */
                "Entity/Person" = "Mensch"; // with a note
                "Property/name" = "N\\U00e4me \\"so\\" \\101\\n"; plain = text; alone;
                """
            return [Data(text), text.data(using: .utf16)!, text.data(using: .utf16LittleEndian)!]
        },
        read: { _ = try StringsFile.read($0) })

    /// Property lists, read as compiled strings files.
    static let propertyLists = Target(
        name: "property-lists",
        words: [
            "bplist00", "<dict>", "<key>", "<array>", "<integer>", "<real>", "<date>", "<data>", "<true/>", "]]>", "&#",
        ],
        seeds: {
            let list: [String: Any] = [
                "text": "Straße", "large": Int64.max - 1, "many": Array(0..<300), "data": Data(0..<32),
                "nested": [[["real": 1.5], [Date(timeIntervalSinceReferenceDate: 7), true]]],
            ]
            return try [PropertyListSerialization.PropertyListFormat.binary, .xml].map {
                try PropertyListSerialization.data(fromPropertyList: list, format: $0, options: 0)
            }
        },
        read: { _ = try StringsFile.read($0) })
}

/// Writes XML elements, indented by four spaces as Xcode does.
struct XMLText {
    private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    private var depth = 0

    /// An element. Attributes that are `nil` are left out; children are written by `content`.
    mutating func element(
        _ name: String, _ attributes: [(String, String?)], content: ((inout XMLText) -> Void)? = nil
    ) {
        text += String(repeating: "    ", count: depth) + "<" + name
        for case (let key, let value?) in attributes { text += " \(key)=\"\(Self.escaped(value))\"" }
        guard let content else {
            text += "/>\n"
            return
        }
        text += ">\n"
        depth += 1
        content(&self)
        depth -= 1
        text += String(repeating: "    ", count: depth) + "</\(name)>\n"
    }

    /// Text as an attribute's value. Characters that XML cannot hold become the replacement character.
    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            case "\r": result += "&#13;"
            case "\t": result += "&#9;"
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            case _ where scalar.value < 0x20: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Writes XML elements, indented by four spaces as Xcode does.
struct XMLText {
    private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    private var depth = 0
    /// The attributes with characters that XML cannot represent.
    private(set) var unwritable: [String] = []

    /// Writes an element. Attributes that are `nil` are omitted; `content` writes the children.
    mutating func element(
        _ name: String, _ attributes: [(String, String?)], content: ((inout XMLText) -> Void)? = nil
    ) {
        text += String(repeating: "    ", count: depth) + "<" + name
        for case (let key, let value?) in attributes {
            text += " \(key)=\"\(Self.escaped(value))\""
            if value.unicodeScalars.contains(where: Self.isUnwritable) {
                let title = attributes.first { $0.0 == "name" || $0.0 == "key" }?.1.map { " \($0)" } ?? ""
                unwritable.append("\(key) of the \(name)\(title)")
            }
        }
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

    private static func isUnwritable(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 && !["\n", "\r", "\t"].contains(scalar) || scalar == "\u{FFFE}" || scalar == "\u{FFFF}"
    }

    /// Returns text escaped for an attribute value. Characters that XML cannot represent become the replacement character.
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
            case _ where isUnwritable(scalar): result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

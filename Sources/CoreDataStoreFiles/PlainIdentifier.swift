extension String {
    /// Returns true if SQLite parses the text without quotes as one identifier, keywords aside.
    ///
    /// - Parameter afterPrefix: True if it follows other characters of the identifier, so that it may begin with a digit.
    package func isPlainIdentifier(afterPrefix: Bool = false) -> Bool {
        var isFirst = !afterPrefix
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                0x80...:
                break
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "$"): if isFirst { return false }
            default: return false
            }
            isFirst = false
        }
        return !isEmpty
    }
}

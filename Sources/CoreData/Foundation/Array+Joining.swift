extension [String] {
    /// Returns the strings joined by a separator. Replaces the standard library's generic function: its first use makes the
    /// runtime search all conformances for that of string arrays.
    func joined(separator: String = "") -> String {
        var text = ""
        for index in indices {
            if index > 0 { text += separator }
            text += self[index]
        }
        return text
    }
}

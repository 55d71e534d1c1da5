extension [String] {
    /// As the standard library's function for all collections, whose first use has the runtime search the whole program for
    /// what an array of text is.
    func joined(separator: String = "") -> String {
        var text = ""
        for index in indices {
            if index > 0 { text += separator }
            text += self[index]
        }
        return text
    }
}

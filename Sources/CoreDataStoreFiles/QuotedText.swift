extension String {
    /// Returns the text with a character twice wherever it occurs, for use between such characters in a statement.
    ///
    /// Compares scalars: a quotation mark before a combining mark is one `Character` with it, but two to a parser.
    package func doubling(_ character: Unicode.Scalar) -> String {
        guard unicodeScalars.contains(character) else { return self }
        var doubled = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            doubled.append(scalar)
            if scalar == character { doubled.append(character) }
        }
        return String(doubled)
    }
}

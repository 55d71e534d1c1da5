/// Numbers the texts of a file, so that each is written once.
struct TextIndexes {
    private(set) var texts: ContiguousArray<String> = []
    private var indexes: [String: Int] = [:]

    /// The index of a text, which is added if it is new.
    mutating func index(of text: String) -> Int {
        if let index = indexes[text] { return index }
        indexes[text] = texts.count
        texts.append(text)
        return texts.count - 1
    }
}

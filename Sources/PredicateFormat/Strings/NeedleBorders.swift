/// The border of each prefix of a needle: its longest proper prefix that is also its suffix. After a mismatch the search
/// continues from there, so that no byte of the text is compared again (Knuth, Morris and Pratt).
final class NeedleBorders: Sendable {
    private let borders: [Int32]

    /// Computes the borders. Takes time linear in the needle's length.
    init(_ needle: UnsafeBufferPointer<UInt8>) {
        var borders = [Int32](repeating: 0, count: needle.count)
        var length = 0
        for index in needle.indices.dropFirst() {
            while length > 0, needle[index] != needle[length] { length = Int(borders[length - 1]) }
            if needle[index] == needle[length] { length += 1 }
            borders[index] = Int32(length)
        }
        self.borders = borders
    }

    /// Returns whether `text` contains the needle at or after `start`, with an end that `accept` approves. Takes time linear in
    /// the text's length.
    ///
    /// - Parameter lowers: true if uppercase ASCII letters of the text match lowercase ones.
    func contains(
        _ needle: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from start: Int, lowers: Bool,
        _ accept: (Int) -> Bool
    ) -> Bool {
        borders.withUnsafeBufferPointer { borders in
            var length = 0
            for position in start..<max(start, text.count) {
                let byte = lowers ? StringFolding.lowercaseASCII(text[position]) : text[position]
                while length > 0, byte != needle[length] { length = Int(borders[length - 1]) }
                if byte == needle[length] { length += 1 }
                if length == needle.count {
                    if accept(position + 1) { return true }
                    length = Int(borders[length - 1])
                }
            }
            return false
        }
    }
}

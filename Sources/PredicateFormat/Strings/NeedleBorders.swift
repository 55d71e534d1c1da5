/// For each beginning of a needle, the longest proper part that both begins and ends it: what of a failed match can be
/// kept, so that no byte of the text is compared again (Knuth, Morris and Pratt).
final class NeedleBorders: Sendable {
    private let borders: [Int32]

    /// Takes time proportional to the needle's length.
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

    /// Whether the needle stands in `text` at or after `start`, where `accept` agrees to its end. Takes time proportional
    /// to the text's length.
    ///
    /// - Parameter lowers: whether capital letters of the text count as small ones.
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

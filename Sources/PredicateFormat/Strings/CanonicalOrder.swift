/// Unicode's canonical order of combining marks.
///
/// Foundation's normalization does not sort marks that newer versions of Unicode have added.
enum CanonicalOrder {
    /// Sorts the marks after each base by their combining classes, stably, in decomposed UTF-8 text.
    static func sort(_ text: inout [UInt8]) {
        var sorted: [UInt8] = []
        sorted.reserveCapacity(text.count)
        var marks: [(group: UInt8, range: Range<Int>)] = []
        text.withUnsafeBufferPointer { bytes in
            func flush() {
                for group in Set(marks.map(\.group)).sorted() {
                    for mark in marks where mark.group == group { sorted.append(contentsOf: bytes[mark.range]) }
                }
                marks.removeAll(keepingCapacity: true)
            }
            var position = 0
            while position < bytes.count {
                let (value, length) = StringFolding.decode(bytes, at: position)
                let range = position..<(position + length)
                position += length
                let group = value < 0x300 ? 0 : Unicode.Scalar(value)?.properties.canonicalCombiningClass.rawValue ?? 0
                if group > 0 {
                    marks.append((group, range))
                } else {
                    if !marks.isEmpty { flush() }
                    sorted.append(contentsOf: bytes[range])
                }
            }
            flush()
        }
        text = sorted
    }
}

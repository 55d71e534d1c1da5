import Foundation

/// The most plausible size of pages in a file without a valid header.
struct PageSizeDetection {
    /// The size in bytes.
    let size: Int
    /// The sampled pages that are not empty, those that start like a page of a b-tree, and those with a cell in their second
    /// half.
    private var sampled = 0, valid = 0, filled = 0

    private init(size: Int) { self.size = size }

    /// The part of the sampled pages that start like a page of a b-tree, from 0 to 1.
    private var share: Double { sampled > 0 ? Double(valid) / Double(sampled) : 0 }
    private var filledShare: Double { sampled > 0 ? Double(filled) / Double(sampled) : 0 }

    /// True if the pages are hardly so by chance. Most pages may hold parts of long values, which start like none.
    var isLikely: Bool { share >= 0.25 || filled >= 3 }

    /// Samples a file with every possible size of pages; returns nil if no page looks like one of a b-tree.
    ///
    /// A page is filled from its end, so that a cell in its second half tells the size: there is none if the size is too
    /// large, and one behind the end if it is too small. Without such cells every second page of a size is a page of half
    /// the size, so that a multiple is as plausible, and the smallest size is returned.
    static func detect(_ file: SourceFile) throws -> PageSizeDetection? {
        let candidates = try [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536].map { size in
            var candidate = PageSizeDetection(size: size)
            try candidate.sample(file)
            return candidate
        }
        if let best = candidates.max(by: { $0.filledShare < $1.filledShare }), best.filled > 0 { return best }
        guard let best = candidates.map(\.share).max(), best > 0 else { return nil }
        return candidates.first { $0.share >= 0.7 * best }
    }

    private mutating func sample(_ file: SourceFile) throws {
        let count = file.size / Int64(size)
        guard count >= 2 else { return }
        let step = max(1, (count - 1) / 64)
        for page in stride(from: Int64(1), to: count, by: Int(clamping: step)) {
            let bytes = try file.bytes(at: page * Int64(size), count: min(size, 512))
            // Free pages may be empty.
            guard bytes.contains(where: { $0 != 0 }) else { continue }
            sampled += 1
            guard let last = bytes.withUnsafeBytes({ Self.lastCell($0, pageSize: size) }) else { continue }
            valid += 1
            if last >= size / 2 { filled += 1 }
        }
    }

    /// Returns the position of the last cell of a page that starts like one of a b-tree, 0 if it has no cells; nil if it does
    /// not start like one.
    private static func lastCell(_ bytes: UnsafeRawBufferPointer, pageSize: Int) -> Int? {
        guard bytes.count >= 12, [2, 5, 10, 13].contains(bytes[0]) else { return nil }
        let headerCount = bytes[0] < 8 ? 12 : 8
        let count = bytes.bigEndian16(at: 3)
        let content = bytes.bigEndian16(at: 5) == 0 ? 65_536 : bytes.bigEndian16(at: 5)
        guard bytes.bigEndian16(at: 1) < pageSize, bytes[7] <= 60, content <= pageSize,
            content >= headerCount + 2 * count
        else { return nil }
        var (cell, last) = (0, 0)
        while cell < count, headerCount + 2 * cell + 2 <= bytes.count {
            let offset = bytes.bigEndian16(at: headerCount + 2 * cell)
            guard offset >= content, offset < pageSize else { return nil }
            last = max(last, offset)
            cell += 1
        }
        return last
    }
}

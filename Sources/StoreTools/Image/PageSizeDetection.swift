import Foundation

/// The search for the size of pages in a file without a valid header.
enum PageSizeDetection {
    /// Returns the most plausible size of pages, and the share of sampled pages that have a valid header of a b-tree page; nil
    /// if no page looks like one.
    static func detect(_ file: SourceFile) throws -> (size: Int, share: Double)? {
        var shares: [(size: Int, share: Double)] = []
        for size in [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536] {
            let count = file.size / Int64(size)
            guard count >= 2 else { continue }
            let step = max(1, (count - 1) / 64)
            var (sampled, valid) = (0, 0)
            for page in stride(from: Int64(1), to: count, by: Int(clamping: step)) {
                let bytes = try file.bytes(at: page * Int64(size), count: min(size, 512))
                // Free pages may be empty.
                guard bytes.contains(where: { $0 != 0 }) else { continue }
                sampled += 1
                if bytes.withUnsafeBytes({ isTreePage($0, pageSize: size) }) { valid += 1 }
            }
            if valid > 0 { shares.append((size, Double(valid) / Double(sampled))) }
        }
        // Every second page of a size is a page of half the size, so that a multiple is as plausible.
        guard let best = shares.map(\.share).max() else { return nil }
        return shares.first { $0.share >= 0.7 * best }
    }

    /// Returns true if a page starts like a page of a b-tree, with cells within the page.
    static func isTreePage(_ bytes: UnsafeRawBufferPointer, pageSize: Int) -> Bool {
        guard bytes.count >= 12, [2, 5, 10, 13].contains(bytes[0]) else { return false }
        let headerCount = bytes[0] < 8 ? 12 : 8
        let count = bytes.bigEndian16(at: 3)
        let content = bytes.bigEndian16(at: 5) == 0 ? 65_536 : bytes.bigEndian16(at: 5)
        guard bytes.bigEndian16(at: 1) < pageSize, bytes[7] <= 60, content <= pageSize,
            content >= headerCount + 2 * count
        else { return false }
        var cell = 0
        while cell < count, headerCount + 2 * cell + 2 <= bytes.count {
            let offset = bytes.bigEndian16(at: headerCount + 2 * cell)
            guard offset >= content, offset < pageSize else { return false }
            cell += 1
        }
        return true
    }
}

import Foundation

/// The kinds of files that are not SQLite databases.
enum FileKind {
    /// The description of a file without content.
    static let zeros = "a file of zeros"

    private static let starts: [(bytes: [UInt8], kind: String)] = [
        (Array("bplist".utf8), "a binary property list"),
        (Array("<?xml".utf8), "an XML file"),
        (Array("<!DOCTYPE html".utf8), "an HTML page"),
        (Array("<html".utf8), "an HTML page"),
        ([0x50, 0x4b, 0x03, 0x04], "a zip archive"),
        ([0x1f, 0x8b], "a gzip archive"),
        ([0x42, 0x5a, 0x68], "a bzip2 archive"),
        ([0xfd, 0x37, 0x7a, 0x58, 0x5a], "an xz archive"),
        ([0x28, 0xb5, 0x2f, 0xfd], "a zstd archive"),
        ([0x89, 0x50, 0x4e, 0x47], "a PNG image"),
        ([0xff, 0xd8, 0xff], "a JPEG image"),
        (Array("%PDF".utf8), "a PDF document"),
        ([0x37, 0x7f, 0x06, 0x82], "the log of a store (-wal)"),
        ([0x37, 0x7f, 0x06, 0x83], "the log of a store (-wal)"),
        ([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7], "the rollback journal of a store (-journal)"),
        ([0x18, 0xe2, 0x2d, 0x00], "the index of a log (-shm)"),
        ([0x00, 0x2d, 0xe2, 0x18], "the index of a log (-shm)"),
        (Array("** This file contains an SQLite 2".utf8), "a database of SQLite 2"),
        (Array("version https://git-lfs".utf8), "a pointer of Git LFS"),
    ]

    /// Returns what the first bytes of a file look like; nil if unknown.
    static func of(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.contains(where: { $0 != 0 }) else { return zeros }
        let isMarked = bytes.starts(with: [0xef, 0xbb, 0xbf])
        let text = (isMarked ? bytes.dropFirst(3) : bytes).drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
        let lowercase = String(decoding: text.prefix(16), as: UTF8.self).lowercased().utf8
        for (start, kind) in starts {
            if bytes.starts(with: start) || text.starts(with: start) { return kind }
            if kind == "an HTML page", lowercase.starts(with: String(decoding: start, as: UTF8.self).lowercased().utf8)
            {
                return kind
            }
        }
        guard isText(bytes) else { return nil }
        let first = text.first
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? "a JSON file" : "a text file"
    }

    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !bytes.contains(where: { $0 < 0x20 && !(0x09...0x0d).contains($0) && $0 != 0x1b || $0 == 0x7f }) else {
            return false
        }
        // The last character may be cut.
        let end = bytes.lastIndex { $0 < 0x80 || $0 >= 0xc0 } ?? bytes.endIndex
        return String(validatingBytes: bytes[..<end]) != nil
    }

    /// Returns true if the bytes are as evenly distributed as random ones: a chi-squared test with a probability of one error in
    /// about a thousand million.
    static func looksRandom(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= 412 else { return false }
        var counts = [Int](repeating: 0, count: 256)
        for byte in bytes { counts[Int(byte)] += 1 }
        let expected = Double(bytes.count) / 256
        let chi = counts.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
        return chi < 400
    }
}

extension String {
    fileprivate init?(validatingBytes bytes: ArraySlice<UInt8>) {
        guard let text = String(bytes: bytes, encoding: .utf8) else { return nil }
        self = text
    }
}

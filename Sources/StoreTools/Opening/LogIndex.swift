import Foundation

/// The index of a log (`-shm`; sqlite.org/walformat.html), which may remain when the log is lost.
enum LogIndex {
    /// Returns true if a valid index tells of frames that no checkpoint has copied into the file.
    ///
    /// Always false on Apple's platforms: SQLite locks the index, and closing it would release the locks of Core Data in this
    /// process.
    static func hasFramesBeyondFile(_ path: String, pageSize: Int) -> Bool {
        guard !SourceFile.readsThroughSQLite, let file = try? SourceFile(path + "-shm"),
            let bytes = try? file.bytes(at: 0, count: 136),
            bytes.count == 136
        else { return false }
        // Two copies of 48 bytes must be the same; the format is that of the machine.
        guard bytes[..<48].elementsEqual(bytes[48..<96]) else { return false }
        return bytes.withUnsafeBytes { bytes in
            func word(_ offset: Int) -> UInt32 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
            let size = Int(bytes.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
            guard word(0) == 3_007_000, bytes[12] == 1, (size == 1 ? 65_536 : size) == pageSize else { return false }
            var (first, second): (UInt32, UInt32) = (0, 0)
            for offset in stride(from: 0, to: 40, by: 8) {
                first = first &+ word(offset) &+ second
                second = second &+ word(offset + 4) &+ first
            }
            guard first == word(40), second == word(44) else { return false }
            return word(16) > word(96)
        }
    }
}

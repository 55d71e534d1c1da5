import Foundation

#if !canImport(Darwin)
import CCoreDataRuntime
#endif

/// The identity of a file, independent of its names.
package struct FileIdentity: Hashable {
    private let device: UInt64
    private let number: UInt64
    /// The creation time, if the system records it: the inode of a deleted file is reused.
    private let born: UInt64
    /// The number of hard links, which is not part of the identity.
    package let names: UInt64

    /// Reads the identity of the file at a path; returns nil if there is none.
    package init?(_ path: String) {
        // An empty path would identify the descriptor's file.
        guard !path.isEmpty else { return nil }
        self.init(Int32(AT_FDCWD), path)
    }

    /// Reads the identity of an open file.
    package init?(_ descriptor: Int32) { self.init(descriptor, "") }

    #if canImport(Darwin)
    private init?(_ descriptor: Int32, _ path: String) {
        var status = stat()
        guard (path.isEmpty ? fstat(descriptor, &status) : stat(path, &status)) == 0 else { return nil }
        device = UInt64(UInt32(bitPattern: status.st_dev))
        number = status.st_ino
        born =
            UInt64(bitPattern: Int64(status.st_birthtimespec.tv_sec)) &* 1_000_000_000
            &+ UInt64(bitPattern: Int64(status.st_birthtimespec.tv_nsec))
        names = UInt64(status.st_nlink)
    }
    #else
    private init?(_ descriptor: Int32, _ path: String) {
        var identity: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let result = withUnsafeMutableBytes(of: &identity) {
            ccoredataruntime_identify(
                descriptor, path, $0.baseAddress!.assumingMemoryBound(to: UInt64.self))
        }
        guard result == 0 else { return nil }
        (device, number, born, names) = identity
    }
    #endif

    package static func == (left: FileIdentity, right: FileIdentity) -> Bool {
        left.number == right.number && left.device == right.device && left.born == right.born
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(number)
        hasher.combine(born)
    }
}

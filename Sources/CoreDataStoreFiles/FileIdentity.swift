import CCoreDataRuntime
import Foundation

/// Which file is at a path, whatever it is called.
package struct FileIdentity: Hashable {
    private let device: UInt64
    private let number: UInt64
    /// When it was made, where the system knows: the number of a deleted file goes to the next one.
    private let born: UInt64
    /// How many hard links lead to it; no part of what it is.
    package let names: UInt64

    /// Nil when there is none.
    package init?(_ path: String) {
        // An empty path would be that of the descriptor.
        guard !path.isEmpty else { return nil }
        self.init(Int32(AT_FDCWD), path)
    }

    /// The file that is open.
    package init?(_ descriptor: Int32) { self.init(descriptor, "") }

    private init?(_ descriptor: Int32, _ path: String) {
        var identity: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let result = withUnsafeMutableBytes(of: &identity) {
            ccoredataruntime_identify(
                descriptor, path, $0.baseAddress!.assumingMemoryBound(to: UInt64.self))
        }
        guard result == 0 else { return nil }
        (device, number, born, names) = identity
    }

    package static func == (left: FileIdentity, right: FileIdentity) -> Bool {
        left.number == right.number && left.device == right.device && left.born == right.born
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(number)
        hasher.combine(born)
    }
}

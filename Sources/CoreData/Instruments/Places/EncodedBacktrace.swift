#if DEBUG && canImport(Runtime) && canImport(Glibc) && !COREDATA_WITHOUT_PLACES
import Foundation
internal import Runtime

/// A backtrace of given return addresses, in the format in which `Runtime.Backtrace` is encoded.
///
/// `Runtime` symbolicates the calls of backtraces only, and captures those by frame pointers. The calls are in Swift's Compact
/// Backtrace Format (`docs/CompactBacktraceFormat.md` of the toolchain), version 0.
struct EncodedBacktrace: Codable {
    let architecture: String
    let backtrace64: String

    enum CodingKeys: String, CodingKey {
        case architecture
        case backtrace64 = "backtrace"
    }

    init(returnAddresses: [UInt]) {
        #if arch(x86_64)
        architecture = "x86_64"
        #elseif arch(arm64)
        architecture = "arm64"
        #else
        architecture = "unknown"
        #endif
        backtrace64 = Data(Self.instructions(returnAddresses: returnAddresses)).base64EncodedString()
    }

    /// Returns a byte with the word size, then `ra` with an absolute address for each call, then `end`.
    static func instructions(returnAddresses: [UInt]) -> [UInt8] {
        let words: UInt8 = UInt.bitWidth == 64 ? 0b10 : 0b01
        let bytes = UInt.bitWidth / 8
        let returnAddress: UInt8 = 0b0010_1000 | UInt8(bytes - 1)
        var data = [words]
        data.reserveCapacity(2 + returnAddresses.count * (1 + bytes))
        for address in returnAddresses {
            data.append(returnAddress)
            withUnsafeBytes(of: address.bigEndian) { data.append(contentsOf: $0) }
        }
        return data + [0]
    }

    /// The backtrace; nil if the toolchain uses another format.
    var backtrace: Backtrace? {
        guard let data = try? JSONEncoder().encode(self) else { return nil }
        return try? JSONDecoder().decode(Backtrace.self, from: data)
    }
}
#endif

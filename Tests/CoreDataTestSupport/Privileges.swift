import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Runs a closure without root's privilege to read and write files whatever their permissions; on this thread only.
///
/// Files keep their owner. Threads that the system makes meanwhile inherit what this one has, and pools of threads keep them
/// for later tests: these work as the owner of their files all the same.
package func withoutPrivileges<T>(_ body: () throws -> T) rethrows -> T {
    guard geteuid() == 0, Capabilities.change({ $0 & ~Capabilities.ofFiles }) else { return try body() }
    defer { _ = Capabilities.change { $0 | Capabilities.ofFiles } }
    return try body()
}

/// What Linux allows a thread beyond the permissions of files, as `capabilities(7)` describes it.
private enum Capabilities {
    /// `CAP_DAC_OVERRIDE` and `CAP_DAC_READ_SEARCH`.
    static let ofFiles: UInt32 = 1 << 1 | 1 << 2

    private typealias Call = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int32
    private static let get = dlsym(nil, "capget").map { unsafeBitCast($0, to: Call.self) }
    private static let set = dlsym(nil, "capset").map { unsafeBitCast($0, to: Call.self) }

    /// Changes the lower 32 of the thread's effective capabilities, and returns whether that worked.
    static func change(_ change: (UInt32) -> UInt32) -> Bool {
        guard let get, let set else { return false }
        // Version 3, this thread; and twice the effective, the permitted and the inheritable ones.
        var header: [UInt32] = [0x2008_0522, 0]
        var data: [UInt32] = Array(repeating: 0, count: 6)
        guard get(&header, &data) == 0 else { return false }
        data[0] = change(data[0])
        return set(&header, &data) == 0
    }
}

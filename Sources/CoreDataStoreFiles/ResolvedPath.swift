import Foundation

/// Paths without symbolic links.
package enum ResolvedPath {
    /// Returns the path of the file at a path; nil if there is none.
    package static func resolving(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the path of an open file; nil if the system does not provide it.
    package static func of(_ descriptor: Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            #if canImport(Darwin)
            guard fcntl(descriptor, F_GETPATH, buffer.baseAddress!) == 0 else { return nil }
            let count = strnlen(buffer.baseAddress!, buffer.count)
            #else
            let count = readlink("/proc/self/fd/\(descriptor)", buffer.baseAddress!, buffer.count)
            #endif
            guard count > 0, count < buffer.count else { return nil }
            return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}

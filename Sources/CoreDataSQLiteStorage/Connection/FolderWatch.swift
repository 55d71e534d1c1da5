import Dispatch
import Foundation
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Reports the names of files in a folder as they are written to, by Linux's inotify.
final class FolderWatch {
    #if os(Linux)
    private let source: any DispatchSourceRead

    /// Starts watching a folder; returns nil if the system cannot (some network file systems, or too many watches).
    ///
    /// - Parameter onChange: Called on `queue` with the file's name, or with nil if the event queue overflowed.
    init?(folder: URL, queue: DispatchQueue, onChange: @escaping (String?) -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let mask = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)
        guard inotify_add_watch(descriptor, folder.path, mask) >= 0 else {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            for name in Self.names(from: descriptor) { onChange(name) }
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Reads all pending events and returns their file names without duplicates.
    private static func names(from descriptor: Int32) -> Set<String?> {
        var names: Set<String?> = []
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
            while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                var offset = 0
                let header = MemoryLayout<inotify_event>.size
                while offset + header <= count {
                    let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { names.insert(nil) }
                    if event.len > 0, let text = buffer.baseAddress?.advanced(by: offset + header) {
                        names.insert(String(cString: text.assumingMemoryBound(to: CChar.self)))
                    }
                    offset += header + Int(event.len)
                }
            }
        }
        return names
    }
    #else
    init?(folder: URL, queue: DispatchQueue, onChange: @escaping (String?) -> Void) { return nil }
    #endif
}

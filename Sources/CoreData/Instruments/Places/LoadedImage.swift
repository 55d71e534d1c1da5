import Foundation

/// A program or library in the memory of the process.
///
/// Read from the kernel's list of mappings. `Runtime` has a list of its own, and reads the beginning of every mapped file for
/// it: a file that another thread unmaps meanwhile, as SQLite does with the index of a write-ahead log, ends the process.
package struct LoadedImage: Equatable {
    package let path: String
    package let base: UInt
    package let end: UInt

    package init(path: String, base: UInt, end: UInt) {
        self.path = path
        self.base = base
        self.end = end
    }

    /// The images of this process, the lowest address first; none where the kernel does not list them.
    package static func all() -> [LoadedImage] {
        // A read of this file gives a page of it at the most, and only `FileHandle` reads on.
        guard let file = FileHandle(forReadingAtPath: "/proc/self/maps"), let data = try? file.readToEnd() else {
            return []
        }
        return all(in: String(decoding: data, as: UTF8.self))
    }

    /// Reads lines of the form that `proc_pid_maps(5)` describes: range, permissions, offset, device, inode, path.
    ///
    /// An image is a file with a mapping that may be executed; it begins where its first byte is mapped.
    package static func all(in mappings: String) -> [LoadedImage] {
        var images: [LoadedImage] = []
        var first: (path: Substring, address: UInt)?
        for mapping in mappings.split(separator: "\n") {
            let fields = mapping.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6 else { continue }
            let path = fields[5].drop { $0 == " " }
            let range = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard path.hasPrefix("/"), range.count == 2, range[0] < range[1] else { continue }
            if UInt(fields[2], radix: 16) == 0 { first = (path, range[0]) }
            guard fields[1].contains("x") else { continue }
            let base = first.map { $0.path == path ? $0.address : range[0] } ?? range[0]
            images.append(LoadedImage(path: String(path), base: base, end: range[1]))
        }
        return images
    }
}
